import { afterEach, describe, expect, it } from 'vitest';
import { ObserverWorld, RENDER } from './observer.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DEPLOYMENTS = {
  name: 'ready',
  apiVersion: 'apps/v1',
  resources: ['deployments'],
  healthy: 'has(status.readyReplicas) && status.readyReplicas > 0',
  message: '"no replica is ready"',
};

let world: ObserverWorld;

/** A Deployment of which one pod of the current and one of an older revision exist. */
function createWorkload(): void {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  const { uid } = world.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec }).metadata;
  for (const [name, revision] of [
    ['web-old', '1'],
    ['web-new', '2'],
  ] as const) {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true };
    const set = world.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name,
        labels,
        ownerReferences: [owner],
        annotations: { 'deployment.kubernetes.io/revision': revision },
      },
      spec,
    });
    const above = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: set.metadata.uid, controller: true };
    world.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-pod`, labels, ownerReferences: [above] },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    });
  }
}

function waiting(pod: string, reason: string, message: string): void {
  const containerStatuses = [{ name: 'main', ready: false, state: { waiting: { reason, message } } }];
  world.status(
    { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: pod } },
    { phase: 'Pending', containerStatuses },
  );
}

async function begin(applied: 'long ago' | 'now' = 'long ago'): Promise<void> {
  world = new ObserverWorld();
  world.ruleSet([DEPLOYMENTS]);
  createWorkload();
  waiting('web-old-pod', 'CreateContainerConfigError', 'an old story');
  const entry = { group: 'apps', kind: 'Deployment', namespace: 'default', name: 'web', version: 'v1' };
  world.release({ globalRuleSetSelector: {}, deadline: '1m' }, [
    {
      ...entry,
      resource: 'deployments',
      renderRef: RENDER,
      ...(applied === 'now' ? { appliedAt: new Date(world.clock.now()).toISOString() } : {}),
    },
  ]);
  await world.start();
}

const lists = (): number =>
  world.target.calls.filter(({ verb, resource }) => verb === 'list' && resource === 'pods').length;

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

describe('the cause of an unhealthy workload', () => {
  it('is the worst container of the current revision, found at the next look', async () => {
    await begin();
    expect(world.entries()[0]?.message).toBe('no replica is ready');
    waiting('web-new-pod', 'ImagePullBackOff', 'registry says no');
    await world.pass(2 * SECOND);
    expect(world.healthy()).toBe(
      'False Progressing: 1 of 1 resources Progressing: Deployment default/web: no replica is ready: pod web-new-pod ImagePullBackOff: registry says no',
    );
    await world.pass(MINUTE);
    expect(world.healthy()).toMatch(/^False Degraded: .*pod web-new-pod ImagePullBackOff: registry says no$/);
  });

  it('is a Warning Event where no container tells anything', async () => {
    await begin();
    const { uid } = world.targetApi.store.get('/pods', 'default', 'web-new-pod')?.metadata ?? { uid: '' };
    world.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      type: 'Warning',
      reason: 'FailedMount',
      message: 'no such volume',
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-new-pod', uid },
    });
    await world.pass(2 * SECOND);
    expect(world.entries()[0]?.message).toBe('no replica is ready: pod web-new-pod FailedMount: no such volume');
  });

  it('that cannot be read is none, and one that was found stands meanwhile', async () => {
    await begin();
    waiting('web-new-pod', 'ImagePullBackOff', 'registry says no');
    await world.pass(2 * SECOND);
    world.target.fault = ({ verb, resource }) => {
      if (verb === 'list' && resource === 'pods') throw new Error('not now');
    };
    await world.pass(20 * SECOND);
    expect(world.entries()[0]?.message).toContain('registry says no');
  });

  it('is looked for at most every 2 s, and not at all once the workload is healthy', async () => {
    await begin();
    const before = lists();
    for (let index = 0; index < 15; index += 1) {
      world.status(
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web' } },
        { observedGeneration: index + 1 },
      );
      await world.pass(100);
    }
    expect(lists()).toBe(before);
    world.status(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web' } },
      { readyReplicas: 1 },
    );
    await world.pass(MINUTE);
    expect([lists(), world.condition()?.status]).toEqual([before, 'True']);
  });

  it('is not looked for in the first 2 s behind an apply, and then at the next look', async () => {
    await begin('now');
    waiting('web-new-pod', 'ImagePullBackOff', 'registry says no');
    await world.pass(SECOND);
    expect([lists(), world.entries()[0]?.message]).toEqual([0, 'no replica is ready']);
    await world.pass(2 * SECOND);
    expect(world.entries()[0]?.message).toBe('no replica is ready: pod web-new-pod ImagePullBackOff: registry says no');
  });
});
