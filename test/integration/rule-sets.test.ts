import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleSetControllers } from '../../src/controllers/rule-sets/index.ts';
import { API_VERSION, GLOBAL_HEALTH_RULE_SETS, HEALTH_RULE_SETS } from '../../src/core/api/index.ts';
import { lintStatus, lintStatusChange } from '../../src/core/conditions/status-lint.ts';
import { asMap, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster, ObjectPath } from '../../src/ports/cluster.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { at, until } from '../../src/testing/contracts/cluster/law.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import { type RunningSandbox, runSandbox } from './running-sandbox.ts';

let sandbox: RunningSandbox;
let cluster: Cluster;
const stop = new AbortController();
const running: Promise<unknown>[] = [];
const applies: KubernetesObject[] = [];

beforeAll(async () => {
  sandbox = await runSandbox();
  ({ cluster } = sandbox);
  await defineOwnKinds(cluster);
  const { clock } = sandbox;
  const local = new Informer({ cluster, clock, path: { type: HEALTH_RULE_SETS, namespace: '' } });
  const global = new Informer({ cluster, clock, path: { type: GLOBAL_HEALTH_RULE_SETS, namespace: '' } });
  const counted = {
    apply: async (...call: Parameters<Cluster['apply']>) => {
      const after = await cluster.apply(...call);
      applies.push(after);
      return after;
    },
  };
  for (const part of [
    local,
    global,
    ...ruleSetControllers({ cluster: counted, clock, informers: { local, global } }),
  ]) {
    running.push(part.run(stop.signal));
  }
});

afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await sandbox.close();
});

const path = (name: string): ObjectPath => ({ type: HEALTH_RULE_SETS, namespace: 'default', name });

function ruleSet(name: string, healthy: string): KubernetesObject {
  const rules = [{ apiVersion: 'example.com/v1', resources: ['widgets'], healthy }];
  return { apiVersion: API_VERSION, kind: 'HealthRuleSet', metadata: { name }, spec: { rules } };
}

/** The object as soon as its condition Ready is decided for its generation. */
async function decided(where: ObjectPath): Promise<KubernetesObject> {
  const world = { cluster, namespace: where.namespace, warnings: [], request: sandbox.request, forget: async () => {} };
  await until(
    world,
    where,
    (object) => at(object, 'status', 'observedGeneration') === at(object, 'metadata', 'generation'),
  );
  return cluster.get(where);
}

describe('the condition Ready of a rule set', () => {
  it('follows what its rules say, and its time moves with its status alone', async () => {
    await cluster.create(path('a'), ruleSet('a', 'status.ready'));
    const good = await decided(path('a'));
    expect(at(good, 'status', 'conditions', 0)).toMatchObject({ type: 'Ready', status: 'True', observedGeneration: 1 });

    await sandbox.clock.advance(60_000);
    await cluster.patch(path('a'), 'merge', ruleSet('a', 'status.'));
    const bad = await decided(path('a'));
    expect(at(bad, 'status', 'conditions', 0)).toMatchObject({
      status: 'False',
      reason: 'RuleInvalid',
      message: expect.stringMatching(/^a#0 healthy 1:8: .*\nstatus\.\n {7}\^/),
      observedGeneration: 2,
    });

    await sandbox.clock.advance(60_000);
    await cluster.patch(path('a'), 'merge', ruleSet('a', 'status. + 1'));
    const worse = await decided(path('a'));
    const time = (object: KubernetesObject): unknown => at(object, 'status', 'conditions', 0, 'lastTransitionTime');
    expect(time(worse)).toBe(time(bad));
    expect(time(bad)).not.toBe(time(good));
    expect([good, bad, worse].flatMap((object) => lintStatus(object))).toEqual([]);
    expect([...lintStatusChange(good, bad), ...lintStatusChange(bad, worse)]).toEqual([]);
    const managers = asMap(bad['metadata'])['managedFields'] as readonly unknown[];
    expect(managers.map((one) => [field(one, 'manager'), field(one, 'subresource')])).toContainEqual([
      'convoy-rule-sets',
      'status',
    ]);
  });

  it('is written for a set of all namespaces too', async () => {
    const where = { type: GLOBAL_HEALTH_RULE_SETS, namespace: '', name: 'g' };
    await cluster.create(where, { ...ruleSet('g', 'true'), kind: 'GlobalHealthRuleSet' });
    expect(at(await decided(where), 'status', 'conditions', 0)).toMatchObject({ status: 'True' });
  });

  it('is not written again when a label changes', async () => {
    await cluster.create(path('b'), ruleSet('b', 'true'));
    await decided(path('b'));
    const before = applies.length;
    for (const n of [1, 2, 3]) await cluster.patch(path('b'), 'merge', { metadata: { labels: { n: String(n) } } });
    // Another set, decided behind it, shows that the labels have been seen.
    await cluster.create(path('c'), ruleSet('c', 'true'));
    await decided(path('c'));
    expect(applies.slice(before).map((object) => at(object, 'metadata', 'name'))).toEqual(['c']);
  });
});
