import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../objects/api-object.ts';
import { type SimulatedWorld, simulatedWorld } from './simulation.fixture.ts';

let world: SimulatedWorld;
beforeEach(() => {
  world = simulatedWorld();
});
afterEach(() => world.stop());

function workload(
  apiVersion: string,
  kind: string,
  spec: Record<string, unknown>,
  image = 'app:1',
): Record<string, unknown> {
  const labels = { app: 'x' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } };
  return { apiVersion, kind, metadata: { name: 'x' }, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

function setImage(draft: ApiObject, image: string): void {
  const spec = draft['spec'] as { template: { spec: { containers: { image: string }[] } } };
  for (const container of spec.template.spec.containers) container.image = image;
}

const names = (kind: string): string[] =>
  world
    .list(kind)
    .map(({ metadata }) => metadata.name)
    .sort();
const status = (kind: string, name = 'x'): unknown => world.get(kind, name)?.['status'];
const images = (): string[] =>
  world
    .list('Pod')
    .map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0]?.image ?? '')
    .sort();

describe('a number of pods that somebody mistyped', () => {
  it.each([
    ['ReplicaSet', workload('apps/v1', 'ReplicaSet', { replicas: 2_000_000_000 })],
    ['StatefulSet', workload('apps/v1', 'StatefulSet', { replicas: 2_000_000_000, podManagementPolicy: 'Parallel' })],
    [
      'Job',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'x' },
        spec: {
          completions: 2_000_000_000,
          parallelism: 2_000_000_000,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } },
        },
      },
    ],
  ])('holds up nobody else: a %s makes some at a time', (kind, object) => {
    world.create(object);
    const removed = world.api.store.subscribe(({ key }) => {
      if (key === '/pods' && world.get(kind, 'x') !== undefined) world.remove(kind, 'x');
    });
    world.settle();
    removed();
    expect(world.list('Pod').length).toBeLessThanOrEqual(500);
  });
});

describe('a StatefulSet', () => {
  it('makes its pods one by one, each with its claim, which gets a volume', async () => {
    world.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard' },
      provisioner: 'x',
    });
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    world.create(workload('apps/v1', 'StatefulSet', { replicas: 2, serviceName: 'x', volumeClaimTemplates }));
    await world.pass(300);
    expect(names('Pod')).toEqual(['x-0']);
    await world.pass(3_000);
    expect(names('Pod')).toEqual(['x-0', 'x-1']);
    expect(names('PersistentVolumeClaim')).toEqual(['data-x-0', 'data-x-1']);
    expect(status('PersistentVolumeClaim', 'data-x-0')).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
    expect(status('StatefulSet')).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      currentReplicas: 2,
    });
  });

  it('is updated from the top down, and shrinks from the top', async () => {
    world.create(workload('apps/v1', 'StatefulSet', { replicas: 3 }));
    await world.pass(5_000);
    world.change('StatefulSet', 'x', (draft) => setImage(draft, 'app:2'));
    await world.pass(500);
    expect(world.get('Pod', 'x-0')?.metadata.deletionTimestamp).toBeUndefined();
    expect(images()).toEqual(['app:1', 'app:1', 'app:2']);
    await world.pass(6_000);
    expect(images()).toEqual(['app:2', 'app:2', 'app:2']);
    expect(status('StatefulSet')).toMatchObject({ updatedReplicas: 3, currentReplicas: 3, readyReplicas: 3 });
    world.change('StatefulSet', 'x', (draft) => Object.assign(draft['spec'] as object, { replicas: 1 }));
    await world.pass(3_000);
    expect(names('Pod')).toEqual(['x-0']);
  });

  it('stands still at a pod that does not get ready, and goes on when its template is mended', async () => {
    world.create(workload('apps/v1', 'StatefulSet', { replicas: 2 }, 'app:broken'));
    await world.pass(5_000);
    expect(names('Pod')).toEqual(['x-0']);
    world.change('StatefulSet', 'x', (draft) => setImage(draft, 'app:2'));
    await world.pass(5_000);
    expect(images()).toEqual(['app:2', 'app:2']);
  });
});

describe('a DaemonSet', () => {
  it('has a pod on each node, also on a new one, and is updated one by one', async () => {
    world.create(workload('apps/v1', 'DaemonSet', {}));
    await world.pass(2_000);
    expect(status('DaemonSet')).toMatchObject({
      desiredNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
    });
    world.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'another' }, spec: {} });
    await world.pass(2_000);
    expect(status('DaemonSet')).toMatchObject({ numberReady: 4 });
    world.change('DaemonSet', 'x', (draft) => setImage(draft, 'app:2'));
    await world.pass(600);
    expect(images().filter((image) => image === 'app:1')).toHaveLength(3);
    await world.pass(6_000);
    expect(images()).toEqual(['app:2', 'app:2', 'app:2', 'app:2']);
  });
});

describe('a Job', () => {
  const job = (spec: Record<string, unknown>, image = 'app:1'): Record<string, unknown> => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image }] } };
    return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: { template, ...spec } };
  };

  it('runs its pods to the end, so many at once', async () => {
    world.create(job({ completions: 3, parallelism: 2 }));
    await world.pass(1_000);
    expect(status('Job')).toMatchObject({ active: 2 });
    await world.pass(6_000);
    expect(status('Job')).toMatchObject({
      succeeded: 3,
      conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete', status: 'True' }],
    });
  });

  it('gives up after so many failures', async () => {
    world.create(job({ backoffLimit: 1 }, 'app:broken'));
    await world.pass(10_000);
    expect(status('Job')).toMatchObject({
      failed: 2,
      conditions: [{ type: 'Failed', reason: 'BackoffLimitExceeded' }],
    });
  });

  it('goes when its time is over, if it asked for that', async () => {
    world.create(job({ ttlSecondsAfterFinished: 5 }));
    await world.pass(4_000);
    expect(names('Job')).toEqual(['x']);
    await world.pass(8_000);
    expect(names('Job').concat(names('Pod'))).toEqual([]);
  });
});

describe('a Service', () => {
  it('has its ready pods as endpoints', async () => {
    world.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'x' },
      spec: { selector: { app: 'x' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    world.create(workload('apps/v1', 'ReplicaSet', { replicas: 2 }));
    await world.pass(2_000);
    expect(world.get('EndpointSlice', 'x-sandbox')).toMatchObject({
      ports: [{ port: 8080, protocol: 'TCP' }],
      endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
    });
    world.change('ReplicaSet', 'x', (draft) => Object.assign(draft['spec'] as object, { replicas: 0 }));
    await world.pass(1_000);
    expect(world.get('EndpointSlice', 'x-sandbox')?.['endpoints']).toEqual([]);
  });
});

describe('a claim', () => {
  it('of a storage class that does not exist stays pending, and is bound when the class comes', async () => {
    world.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'x' },
      spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await world.pass(100);
    expect(status('PersistentVolumeClaim')).toMatchObject({ phase: 'Pending' });
    expect(world.list('Event').map(({ reason }) => reason)).toEqual(['ProvisioningFailed']);
    world.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'x',
    });
    await world.pass(100);
    expect(status('PersistentVolumeClaim')).toMatchObject({ phase: 'Bound' });
    world.remove('PersistentVolumeClaim', 'x');
    await world.pass(100);
    expect(names('PersistentVolume')).toEqual([]);
  });
});

describe('a pod', () => {
  it('that no node takes says so, in its status and by an Event', async () => {
    const annotations = { 'sandbox.convoy.kumodo.io/scenario': 'unschedulable' };
    world.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', annotations },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    });
    await world.pass(1_000);
    expect(status('Pod')).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', reason: 'Unschedulable' }],
    });
    expect(world.list('Event').map(({ reason }) => reason)).toEqual(['FailedScheduling']);
  });

  it('of which a workload carries the scenario lives by it', async () => {
    const object = workload('apps/v1', 'StatefulSet', { replicas: 1 });
    const annotations = { 'sandbox.convoy.kumodo.io/scenario': 'image-pull' };
    world.create({ ...object, metadata: { name: 'x', annotations } });
    await world.pass(4_000);
    expect(status('Pod', 'x-0')).toMatchObject({
      containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }],
    });
  });
});
