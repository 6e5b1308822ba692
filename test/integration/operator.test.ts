import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { catalogue } from '../../src/catalogue/index.ts';
import { ruleSetObjects } from '../../src/catalogue/rule-set-objects.ts';
import { API_VERSION, GLOBAL_HEALTH_RULE_SETS, RELEASES } from '../../src/core/api/index.ts';
import { asList, asMap, type JsonMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { at, refusal, until } from '../../src/testing/contracts/cluster/law.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import { ask, connect } from './contract-target.ts';
import { type OperatorTestFlags, type RunningOperator, startOperator } from './running-operator.ts';

const SUBRESOURCES = '/apis/subresources.convoy.kumodo.io/v1alpha1/namespaces/default/releases';
const folder = mkdtempSync(join(tmpdir(), 'convoy-operator-'));
/** An operator on the sandbox. */
const started = (flags: OperatorTestFlags = {}, identity = 'one'): Promise<RunningOperator> =>
  startOperator(cluster, 'default', { cacheDir: join(folder, 'cache'), ...flags }, identity);

let sandbox: Sandbox;
let cluster: Cluster;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  writeFileSync(join(folder, 'kubeconfig'), sandbox.kubeconfig);
  cluster = await connect({ kubeconfig: join(folder, 'kubeconfig') });
  await defineOwnKinds(cluster);
});
afterAll(async () => {
  await cluster.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const world = () => ({ cluster, namespace: 'default', warnings: [], request: ask(sandbox), forget: async () => {} });
const path = (name: string) => ({ type: RELEASES, namespace: 'default', name });

function configMap(name: string, data: JsonMap = {}): JsonMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

async function createRelease(name: string, objects: readonly JsonMap[]): Promise<void> {
  const spec = { source: { inline: { objects } }, healthAssessment: { globalRuleSetSelector: {} } };
  await cluster.create(path(name), { apiVersion: API_VERSION, kind: 'Release', metadata: { name }, spec });
}

function conditionIs(object: KubernetesObject | undefined, type: string, status: string): boolean {
  return asList(at(object, 'status', 'conditions')).some(
    (one) => at(one, 'type') === type && at(one, 'status') === status,
  );
}

describe('an operator', () => {
  it('applies a Release, tells its health, answers by the API server, and ends when it is told to', async () => {
    const operator = await started();
    const port = operator.ports.get('aggregated API') ?? 0;
    await cluster.create(
      { type: { group: '', version: 'v1', resource: 'services' }, namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'convoy' },
        spec: { type: 'ExternalName', externalName: '127.0.0.1' },
      },
    );
    const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    const name = 'v1alpha1.subresources.convoy.kumodo.io';
    await cluster.create(
      { type: apiServices, namespace: '' },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name },
        spec: {
          group: 'subresources.convoy.kumodo.io',
          version: 'v1alpha1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          service: { name: 'convoy', namespace: 'default', port },
        },
      },
    );
    await until(world(), { type: apiServices, namespace: '', name }, (object) =>
      conditionIs(object, 'Available', 'True'),
    );

    await createRelease('web', [configMap('a', { x: '1' })]);
    await until(
      world(),
      path('web'),
      (object) => conditionIs(object, 'Ready', 'True') && conditionIs(object, 'Healthy', 'True'),
    );
    expect(asMap(await cluster.raw('GET', `${SUBRESOURCES}/web/health`))).toMatchObject({
      kind: 'ReleaseHealth',
      summary: { total: 1, healthy: 1 },
      resources: [{ kind: 'ConfigMap', name: 'a', state: 'Healthy' }],
    });
    const operations = `http://127.0.0.1:${operator.ports.get('operations')}`;
    expect((await fetch(`${operations}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${operations}/metrics`)).text();
    expect(metrics).toContain('convoy_release_info{namespace="default",name="web",healthy="True",ready="True"} 1');
    expect(metrics).toMatch(/convoy_reconcile_seconds_count\{controller="release",result="\w+"\} [1-9]/);
    expect(metrics).toMatch(/convoy_api_requests_total\{verb="apply",code="2xx"\} [1-9]/);
    expect(await cluster.raw('POST', `${SUBRESOURCES}/web/sync`, { reason: 'Manual' })).toMatchObject({
      status: 'Success',
    });
    expect((await refusal(cluster.raw('GET', `${SUBRESOURCES}/none/health`))).code).toBe(404);
    await operator.stop();
    await expect(fetch(`${operations}/livez`)).rejects.toThrow();
  });

  it('finds no drift in what it applied itself', async () => {
    const operator = await started({ aggregatedApi: false });
    await createRelease('untouched', [configMap('untouched', { x: '1' })]);
    const compared = (object: KubernetesObject | undefined) =>
      conditionIs(object, 'Drifted', 'True') || conditionIs(object, 'Drifted', 'False');
    await until(world(), path('untouched'), compared);
    expect(
      asList(at(await cluster.get(path('untouched')), 'status', 'conditions')).find(
        (one) => at(one, 'type') === 'Drifted',
      ),
    ).toMatchObject({
      status: 'False',
      reason: 'InSync',
    });
    await operator.stop();
  });

  it('hears of objects by watches: what examples/release.yaml asks for is done long before anybody polls', async () => {
    const operator = await started({ aggregatedApi: false });
    for (const set of ruleSetObjects(catalogue())) {
      await cluster.create({ type: GLOBAL_HEALTH_RULE_SETS, namespace: '' }, set);
    }
    const text = readFileSync(join(import.meta.dirname, '../../examples/release.yaml'), 'utf8');
    await cluster.create({ type: RELEASES, namespace: 'default' }, asMap(load(text)));
    // Its hook alone takes two seconds; without events the next look would be after five minutes.
    await until(world(), path('podinfo'), (object) => conditionIs(object, 'Ready', 'True'));
    await operator.stop();
  });

  it('that shares the work acts on the Releases of its shards alone, and takes over those of one that ended', async () => {
    const [one, two] = [
      await started({ shards: '2', aggregatedApi: false }, 'one'),
      await started({ shards: '2', aggregatedApi: false }, 'two'),
    ];
    const names = ['s1', 's2', 's3', 's4'];
    for (const name of names) await createRelease(name, [configMap(`of-${name}`)]);
    for (const name of names) await until(world(), path(name), (object) => conditionIs(object, 'Ready', 'True'));
    await one.stop();
    for (const name of names) {
      await cluster.patch(path(name), 'merge', {
        spec: { source: { inline: { objects: [configMap(`of-${name}`, { again: 'x' })] } } },
      });
    }
    for (const name of names) {
      await until(
        world(),
        path(name),
        (object) => at(object, 'status', 'observedGeneration') === 2 && conditionIs(object, 'Ready', 'True'),
      );
    }
    await two.stop();
  });

  it('says that a port is taken', async () => {
    const first = await started({ aggregatedApi: false });
    const taken = `127.0.0.1:${first.ports.get('operations')}`;
    await expect(started({ aggregatedApi: false, healthBindAddress: taken })).rejects.toThrow('EADDRINUSE');
    await first.stop();
  });
});
