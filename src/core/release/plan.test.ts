import { describe, expect, it } from 'vitest';
import { entriesOfPlan, keptFromPruning, type PlanOptions, planOf, pruneOrder } from './plan.ts';
import { config, object, rendered } from './render.fixture.ts';

const FIRST: PlanOptions = { attempt: 1, appliedBefore: false };
const wave = (number: number): Record<string, string> => ({ 'convoy.kumodo.io/sync-wave': String(number) });
const hook = (phase: string, number = 0): Record<string, string> => ({
  'convoy.kumodo.io/hook': phase,
  ...wave(number),
});

describe('the waves of a plan', () => {
  it('ascend, and hold two stages each, in the order in which kinds need each other', () => {
    const { waves } = planOf(
      rendered(
        object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'guard'),
        object('apps/v1', 'Deployment', 'web'),
        object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web'),
        object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'web'),
        object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'web'),
        object('v1', 'ServiceAccount', 'web'),
        object('v1', 'Service', 'web'),
        object('v1', 'PersistentVolumeClaim', 'data'),
        object('v1', 'Secret', 'a'),
        config('b'),
        object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.org'),
        object('v1', 'Namespace', 'extra'),
        config('early', wave(-3)),
        config('late', wave(10)),
      ),
      FIRST,
    );
    expect(
      waves.map(({ wave: number, stages }) => [number, stages.map((stage) => stage.map(({ ref }) => ref.kind))]),
    ).toEqual([
      [-3, [['ConfigMap']]],
      [
        0,
        [
          ['Namespace', 'CustomResourceDefinition'],
          [
            'ServiceAccount',
            'ClusterRole',
            'RoleBinding',
            'Secret',
            'ConfigMap',
            'PersistentVolumeClaim',
            'Service',
            'Deployment',
            'HorizontalPodAutoscaler',
            'ValidatingWebhookConfiguration',
          ],
        ],
      ],
      [10, [['ConfigMap']]],
    ]);
  });

  it('are none for a render of nothing', () => {
    expect(planOf(rendered(), FIRST).waves).toEqual([]);
  });
});

describe('the hooks of a plan', () => {
  const hookNames = (options: PlanOptions, ...annotations: readonly Record<string, string>[]) => {
    const jobs = annotations.map((one, index) => object('batch/v1', 'Job', `job-${index}`, one));
    const { hooks } = planOf(rendered(...jobs), options);
    return Object.entries(hooks).flatMap(([phase, list]) => list.map(({ ref }) => `${phase} ${ref.name}`));
  };

  it('run by wave, then name', () => {
    expect(
      hookNames(FIRST, hook('preSync', 1), hook('preSync'), hook('preSync,postSync', -1), hook('preSync')),
    ).toEqual(['preSync job-2', 'preSync job-1', 'preSync job-3', 'preSync job-0', 'postSync job-2']);
  });

  it('of a chart are those of its install until an attempt has succeeded, then those of its upgrade', () => {
    const helm = ['pre-install', 'pre-upgrade', 'post-install,post-upgrade', 'pre-delete'].map((text) => ({
      'helm.sh/hook': text,
    }));
    expect(hookNames(FIRST, ...helm)).toEqual(['preSync job-0', 'postSync job-2', 'preDelete job-3']);
    expect(hookNames({ attempt: 1, appliedBefore: true }, ...helm)).toEqual([
      'preSync job-1',
      'postSync job-2',
      'preDelete job-3',
    ]);
  });

  it('are left out of a rollback unless they ask for it', () => {
    const asking = { ...hook('preSync'), 'convoy.kumodo.io/hook-on-rollback': 'true' };
    expect(hookNames({ ...FIRST, rollback: true }, hook('preSync'), asking)).toEqual(['preSync job-1']);
  });

  it('know the attempt that they run in, also by a generated name', () => {
    const generated = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: 'migrate-', annotations: hook('preSync') },
    };
    const render = rendered(generated, config('a'));
    const plan = planOf(render, { attempt: 3, appliedBefore: true });
    const run = `${render.renderRef.slice('sha256:'.length, 'sha256:'.length + 12)}-3`;
    expect(plan.hookRun).toBe(run);
    expect(plan.hooks.preSync[0]?.object['metadata']).toEqual({
      name: `migrate-${run}`,
      namespace: 'shop',
      annotations: { ...hook('preSync'), 'convoy.kumodo.io/hook-run': run },
    });
    expect(entriesOfPlan(plan)).toMatchObject([
      { kind: 'ConfigMap' },
      { kind: 'Job', name: `migrate-${run}`, hook: 'preSync' },
    ]);
  });
});

describe('the entries of a plan', () => {
  it('say what the observer needs and nothing more', () => {
    const annotations = { ...wave(2), 'convoy.kumodo.io/ignore-health': 'true', 'convoy.kumodo.io/deadline': '5m' };
    const job = (phase: string) => object('batch/v1', 'Job', phase.slice(0, 3).toLowerCase(), hook(phase));
    const plan = planOf(
      rendered(config('a', annotations), job('preSync,postSync'), job('syncFail'), job('postDelete')),
      FIRST,
    );
    const identity = { namespace: 'shop', version: 'v1' };
    expect(entriesOfPlan(plan)).toEqual([
      {
        ...identity,
        group: '',
        kind: 'ConfigMap',
        name: 'a',
        resource: 'configmaps',
        wave: 2,
        ignoreHealth: true,
        deadline: '5m',
      },
      { ...identity, group: 'batch', kind: 'Job', name: 'pre', resource: 'jobs', wave: 0, hook: 'preSync' },
      { ...identity, group: 'batch', kind: 'Job', name: 'syn', resource: 'jobs', wave: 0, hook: 'syncFail' },
    ]);
    expect(entriesOfPlan(plan, ['postDelete']).map(({ name }) => name)).toEqual(['a', 'pos']);
  });
});

describe('pruning', () => {
  it('goes the way of applying backwards', () => {
    const objects = [
      config('late', wave(4)),
      object('apps/v1', 'Deployment', 'web'),
      object('v1', 'Service', 'web'),
      object('v1', 'Namespace', 'n'),
      config('a'),
    ];
    const plan = planOf(rendered(...objects), FIRST);
    const applied = plan.waves.flatMap(({ stages }) => stages.flat()).map(({ ref }) => `${ref.kind}/${ref.name}`);
    const pruned = pruneOrder(entriesOfPlan(plan)).map(({ kind, name }) => `${kind}/${name}`);
    expect(pruned).toEqual([...applied].reverse());
  });

  const PRUNE = 'convoy.kumodo.io/prune';
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['an object like any other', 'ConfigMap', {}, undefined],
    ['one that is to stay', 'ConfigMap', { [PRUNE]: 'false' }, 'it has the annotation convoy.kumodo.io/prune: "false"'],
    [
      'one that Helm was to keep',
      'ConfigMap',
      { 'helm.sh/resource-policy': 'keep' },
      'it has the annotation helm.sh/resource-policy: keep',
    ],
    [
      'one that Helm was to keep, but convoy is not',
      'ConfigMap',
      { 'helm.sh/resource-policy': 'keep', [PRUNE]: 'true' },
      undefined,
    ],
    ['a Namespace', 'Namespace', {}, 'a Namespace is pruned only with the annotation convoy.kumodo.io/prune: "true"'],
    [
      'a claim',
      'PersistentVolumeClaim',
      {},
      'a PersistentVolumeClaim is pruned only with the annotation convoy.kumodo.io/prune: "true"',
    ],
    ['a Namespace that may go', 'Namespace', { [PRUNE]: 'true' }, undefined],
  ])('%s', (_, kind, annotations, expected) => {
    expect(keptFromPruning(object('v1', kind, 'x', annotations), { group: '', kind })).toBe(expected);
  });
});
