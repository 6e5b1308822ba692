import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployment } from '../api/object-api.fixture.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { type SimulatedWorld, simulatedWorld } from './simulation.fixture.ts';

let world: SimulatedWorld;
beforeEach(() => {
  world = simulatedWorld();
});
afterEach(() => world.stop());

function setImage(draft: ApiObject, image: string): void {
  const spec = draft['spec'] as { template: { spec: { containers: { image: string }[] } } };
  for (const container of spec.template.spec.containers) container.image = image;
}

function conditions(kind: string, name: string): Record<string, string> {
  const status = world.get(kind, name)?.['status'] as {
    conditions?: { type: string; status: string; reason?: string }[];
  };
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason ?? ''}`.trim()]),
  );
}

describe('a Deployment', () => {
  it('rolls out: a ReplicaSet, its pods on nodes, and a status that says so', async () => {
    world.create(deployment('web', { replicas: 3 }));
    await world.pass(300);
    expect(conditions('Deployment', 'web')).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'True ReplicaSetUpdated',
    });
    await world.pass(2_000);
    expect(world.get('Deployment', 'web')?.['status']).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(conditions('Deployment', 'web')).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
    const nodes = world.list('Pod').map(({ spec }) => (spec as { nodeName?: string }).nodeName);
    expect(nodes.sort()).toEqual(['sandbox-1', 'sandbox-2', 'sandbox-3']);
  });

  it('is updated within its budget: never more than it may surge, never fewer available than it must have', async () => {
    world.create(deployment('web', { replicas: 8 }));
    await world.pass(3_000);
    world.change('Deployment', 'web', (draft) => setImage(draft, 'app:2'));
    for (let step = 0; step < 100; step += 1) {
      await world.pass(100);
      const sets = world.list('ReplicaSet').map(({ spec, status }) => ({
        wanted: (spec as { replicas: number }).replicas,
        available: (status as { availableReplicas?: number } | undefined)?.availableReplicas ?? 0,
      }));
      expect(sets.reduce((sum, { wanted }) => sum + wanted, 0)).toBeLessThanOrEqual(10);
      expect(sets.reduce((sum, { available }) => sum + available, 0)).toBeGreaterThanOrEqual(6);
    }
    expect(world.get('Deployment', 'web')?.['status']).toMatchObject({ updatedReplicas: 8, availableReplicas: 8 });
    expect(world.get('Deployment', 'web')?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
  });

  it('that is rolled back uses the old ReplicaSet again, as the newest revision', async () => {
    world.create(deployment('web'));
    await world.pass(2_000);
    world.change('Deployment', 'web', (draft) => setImage(draft, 'app:2'));
    await world.pass(4_000);
    world.change('Deployment', 'web', (draft) => setImage(draft, 'app:1'));
    await world.pass(4_000);
    const revisions = world
      .list('ReplicaSet')
      .map(({ metadata, spec }) => [
        metadata.annotations?.['deployment.kubernetes.io/revision'],
        (spec as { replicas: number }).replicas,
      ]);
    expect(revisions.sort()).toEqual([
      ['2', 0],
      ['3', 1],
    ]);
  });

  it('of which nothing gets ready is over its deadline, and keeps what works', async () => {
    world.create(deployment('web', { replicas: 4, progressDeadlineSeconds: 60 }));
    await world.pass(3_000);
    world.change('Deployment', 'web', (draft) => setImage(draft, 'app:broken'));
    await world.pass(70_000);
    expect(conditions('Deployment', 'web')).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'False ProgressDeadlineExceeded',
    });
    expect(world.get('Deployment', 'web')?.['status']).toMatchObject({ availableReplicas: 3, updatedReplicas: 2 });
    const restarts = world.list('Pod').map(({ status }) => status as { containerStatuses: { restartCount: number }[] });
    expect(
      Math.max(...restarts.map(({ containerStatuses }) => containerStatuses[0]?.restartCount ?? 0)),
    ).toBeGreaterThan(1);
  });

  it('that recreates starts the new pods when the old ones are gone', async () => {
    world.create(deployment('web', { replicas: 2, strategy: { type: 'Recreate' } }));
    await world.pass(2_000);
    world.change('Deployment', 'web', (draft) => setImage(draft, 'app:2'));
    for (let step = 0; step < 40; step += 1) {
      await world.pass(100);
      const hashes = new Set(world.list('Pod').map(({ metadata }) => metadata.labels?.['pod-template-hash']));
      expect(hashes.size).toBeLessThanOrEqual(1);
    }
    expect(world.get('Deployment', 'web')?.['status']).toMatchObject({ updatedReplicas: 2, availableReplicas: 2 });
  });

  it('keeps only so many old ReplicaSets', async () => {
    world.create(deployment('web', { revisionHistoryLimit: 1 }));
    for (const tag of ['2', '3', '4']) {
      await world.pass(3_000);
      world.change('Deployment', 'web', (draft) => setImage(draft, `app:${tag}`));
    }
    await world.pass(3_000);
    expect(world.list('ReplicaSet')).toHaveLength(2);
  });
});

describe('a deletion', () => {
  it('in the background takes everything below with it', async () => {
    world.create(deployment('web', { replicas: 2 }));
    await world.pass(2_000);
    world.remove('Deployment', 'web');
    await world.pass(1_000);
    expect(['Deployment', 'ReplicaSet', 'Pod'].flatMap((kind) => world.list(kind))).toEqual([]);
  });

  it('in the foreground ends with the owner', async () => {
    world.create(deployment('web', { replicas: 2 }));
    await world.pass(2_000);
    world.remove('Deployment', 'web', 'Foreground');
    await world.pass(100);
    expect(world.get('Deployment', 'web')?.metadata.deletionTimestamp).toBeDefined();
    await world.pass(1_000);
    expect(['Deployment', 'ReplicaSet', 'Pod'].flatMap((kind) => world.list(kind))).toEqual([]);
  });

  it('that orphans leaves the dependents without an owner', async () => {
    world.create(deployment('web', { replicas: 2 }));
    await world.pass(2_000);
    world.remove('Deployment', 'web', 'Orphan');
    await world.pass(1_000);
    expect(world.get('Deployment', 'web')).toBeUndefined();
    expect(world.list('ReplicaSet').map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
    expect(world.list('Pod')).toHaveLength(2);
  });

  it('of a namespace empties it first', async () => {
    world.create(deployment('web'));
    await world.pass(2_000);
    world.remove('Namespace', 'default');
    expect(() => world.create(deployment('other'))).toThrow('because it is being terminated');
    await world.pass(2_000);
    expect(world.get('Namespace', 'default')).toBeUndefined();
    expect(world.list('Pod')).toEqual([]);
  });
});
