import { load, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { asList, asMap, field } from '../../src/core/object/fields.ts';
import { run } from './memory-io.ts';

async function objects(...flags: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { code, out, err } = await run(['install', ...flags]);
  expect([code, err]).toEqual([0, '']);
  return loadAll(out).map(asMap);
}

const kinds = (all: readonly unknown[]): readonly unknown[] => all.map((object) => field(object, 'kind'));

describe('convoy install', () => {
  it('prints what a cluster needs, in an order in which it can be applied', async () => {
    const all = kinds(await objects());
    expect(all.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'CustomResourceDefinition'));
    expect(all.indexOf('Namespace')).toBeLessThan(all.indexOf('ServiceAccount'));
    expect(all.indexOf('ServiceAccount')).toBeLessThan(all.indexOf('Deployment'));
    expect(all.slice(-4)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service', 'APIService']);
    expect(all).toContain('GlobalHealthRuleSet');
  });

  it('starts the operator with flags that it takes', async () => {
    const [deployment] = await objects('--only', 'operator', '--default-service-account', 'deployer');
    const template = field(field(deployment, 'spec'), 'template');
    const [container] = asList(field(field(template, 'spec'), 'containers'));
    const args = asList(field(container, 'args')).map(String);
    let taken: unknown;
    const { err } = await run(args, {
      runOperator: async (options) => {
        taken = options;
      },
    });
    expect(err).toBe('');
    expect(taken).toMatchObject({
      shards: 16,
      defaultServiceAccount: 'deployer',
      operations: { host: '0.0.0.0', port: 8080 },
      aggregatedApi: { host: '0.0.0.0', port: 6443, service: 'convoy' },
      cluster: { namespace: 'convoy-system' },
    });
  });

  it('grants no more than what was asked for needs', async () => {
    const granted = async (...flags: readonly string[]): Promise<string> =>
      JSON.stringify(await objects('--only', 'rbac', ...flags));
    expect(await granted()).not.toContain('"cluster-admin"');
    expect(await granted('--cluster-admin')).toContain('"cluster-admin"');
    expect(await granted('--no-aggregated-api')).not.toMatch(/auth-delegator|apiservices/);
    expect(await granted('--controllers', 'observer')).not.toContain('"delete"],"resourceNames"');
    const observer = await objects('--only', 'rbac', '--controllers', 'observer');
    const role = observer.find(
      ({ kind, metadata }) => kind === 'ClusterRole' && field(metadata, 'name') === 'convoy-operator',
    );
    const verbs = asList(role?.['rules']).flatMap((rule) => asList(field(rule, 'verbs')));
    expect(verbs).not.toContain('delete');
    expect(verbs).not.toContain('*');
  });

  it('is one List as JSON', async () => {
    const { out } = await run(['install', '--only', 'crds', '-o', 'json']);
    expect(asMap(load(out))).toMatchObject({ kind: 'List', items: [{ kind: 'CustomResourceDefinition' }, {}, {}, {}] });
  });

  it.each([
    [['--only', 'all'], '--only "all" is no part; use crds, rules, rbac, operator'],
    [
      ['--replicas', '0'],
      '--replicas is no whole number from 1 to 16: 0; write digits alone, for example --replicas 4',
    ],
    [['--image', 'a b'], '--image "a b" is no image; write registry/name:tag'],
    [['-n', 'Convoy'], '--namespace "Convoy" is no name; use small letters, digits, - and .'],
  ])('refuses %j in one line', async (flags, told) => {
    expect(await run(['install', ...flags])).toEqual({ code: 2, out: '', err: `convoy: ${told}\n` });
  });
});
