import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evictPod } from '../api/eviction.ts';
import { StatusError } from '../objects/status-error.ts';
import { type SimulatedWorld, simulatedWorld } from './simulation.fixture.ts';

let world: SimulatedWorld;
beforeEach(() => {
  world = simulatedWorld();
});
afterEach(() => world.stop());

function web(replicas: number, image = 'app:1'): void {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  world.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
}

function budget(spec: object, name = 'web'): void {
  const selector = { matchLabels: { app: 'web' } };
  world.create({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector, ...spec },
  });
}

const pods = (): string[] =>
  world
    .list('Pod')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort();
const status = (): unknown => world.get('PodDisruptionBudget', 'web')?.['status'];

function evict(name = pods()[0] ?? '', options: { dryRun?: boolean } = {}): unknown {
  try {
    evictPod(world.api, { namespace: 'default', name }, {}, options);
    return 'evicted';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [error.code, error.details.causes?.[0]?.message ?? error.message];
  }
}

describe('a disruption budget', () => {
  it.each([
    [{ minAvailable: 2 }, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
    [{ minAvailable: '50%' }, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 1 }, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 }],
    [{ maxUnavailable: '34%' }, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 }],
    [{ maxUnavailable: 0 }, { expectedPods: 3, desiredHealthy: 3, disruptionsAllowed: 0 }],
  ])('of %j over three pods says %j', async (spec, counts) => {
    web(3);
    budget(spec);
    await world.pass(2_000);
    const isAllowed = counts.disruptionsAllowed > 0;
    const condition = { type: 'DisruptionAllowed', status: isAllowed ? 'True' : 'False' };
    expect(status()).toMatchObject({ ...counts, currentHealthy: 3, observedGeneration: 1, conditions: [condition] });
  });

  it('lets as many pods be evicted as it may lose, and more when others are ready again', async () => {
    web(3);
    budget({ minAvailable: 2 });
    await world.pass(2_000);
    const [first = '', second = ''] = pods();
    expect(evict(first, { dryRun: true })).toBe('evicted');
    expect(evict(first)).toBe('evicted');
    expect(evict(second)).toEqual([429, 'The disruption budget web does not allow evicting pods currently']);
    await world.pass(200);
    expect(evict(second)).toEqual([429, 'The disruption budget web needs 2 healthy pods and has 2 currently']);
    await world.pass(2_000);
    expect(pods()).toHaveLength(3);
    expect(evict(second)).toBe('evicted');
  });

  it('does not protect what serves nobody, nor a pod that no budget is about', async () => {
    web(1);
    budget({ minAvailable: 1 });
    expect(evict('none')).toEqual([404, 'pods "none" not found']);
    await world.pass(300);
    // Its containers are being created.
    expect(evict()).toBe('evicted');
    await world.pass(2_000);
    expect(evict()).toEqual([429, 'The disruption budget web needs 1 healthy pods and has 1 currently']);
  });

  it('guards pods that are not ready, unless it is told not to', async () => {
    web(2, 'app:never-ready');
    budget({ minAvailable: 2 });
    await world.pass(2_000);
    expect(evict()).toEqual([429, 'The disruption budget web needs 2 healthy pods and has 0 currently']);
    world.change('PodDisruptionBudget', 'web', (draft) =>
      Object.assign(draft['spec'] as object, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    );
    expect(evict()).toBe('evicted');
  });

  it('that has not been looked at yet allows nothing; two of them never do', async () => {
    web(3);
    await world.pass(2_000);
    budget({ minAvailable: 1 });
    expect(evict()).toEqual([429, 'The disruption budget web is still being processed by the server.']);
    await world.pass(200);
    budget({ minAvailable: 1 }, 'other');
    expect(evict()).toEqual([500, expect.stringContaining('more than one PodDisruptionBudget')]);
  });
});
