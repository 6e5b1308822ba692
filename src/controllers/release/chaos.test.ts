import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { configMap, job, ReleaseWorld } from './release-world.fixture.ts';

/** What can happen between two looks of the controller. */
type Happening =
  | { readonly kind: 'release'; readonly objects: readonly number[]; readonly version: number; readonly hooks: number }
  | { readonly kind: 'observe'; readonly state: 'Healthy' | 'Progressing' | 'Degraded'; readonly failed: boolean }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'kill'; readonly after: number }
  | { readonly kind: 'remove'; readonly object: number }
  | { readonly kind: 'request'; readonly reason: 'Manual' | 'Retry' | 'Drift' }
  | { readonly kind: 'rollback' | 'unroll' | 'inventory' | 'restart' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant('release' as const),
    objects: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 4 }),
    version: fc.nat(3),
    hooks: fc.nat(7),
  }),
  fc.record({
    kind: fc.constant('observe' as const),
    state: fc.constantFrom('Healthy' as const, 'Healthy' as const, 'Progressing' as const, 'Degraded' as const),
    failed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('time' as const), seconds: fc.constantFrom(1, 30, 90, 700) }),
  fc.record({ kind: fc.constant('kill' as const), after: fc.nat(6) }),
  fc.record({ kind: fc.constant('remove' as const), object: fc.nat(4) }),
  fc.record({
    kind: fc.constant('request' as const),
    reason: fc.constantFrom('Manual' as const, 'Retry' as const, 'Drift' as const),
  }),
  fc.record({
    kind: fc.constantFrom('rollback' as const, 'unroll' as const, 'inventory' as const, 'restart' as const),
  }),
);

const HEALTH = { healthAssessment: { globalRuleSetSelector: {}, deadline: '1m' } };
const ROLLBACK = 'convoy.kumodo.io/rollback-to';
const HOOKS = [
  job('pre', { hook: 'preSync' }),
  job('post', { hook: 'postSync', 'hook-run-after': 'Healthy' }),
  job('fail', { hook: 'syncFail' }),
];

function objectsOf({ objects, version, hooks }: Extract<Happening, { kind: 'release' }>): readonly KubernetesObject[] {
  const plain = objects.map((one) => configMap(`o${one}`, { v: String(version) }, { 'sync-wave': String(one % 3) }));
  return [...plain, ...HOOKS.filter((_, index) => (hooks >> index) % 2 === 1)];
}

class Killed extends Error {}

class Chaos {
  readonly world = new ReleaseWorld();
  readonly unrecorded: string[] = [];
  #killIn = Number.POSITIVE_INFINITY;

  constructor() {
    const { world } = this;
    world.cluster.around = (_, moment) => {
      if (moment === 'before') return;
      this.#killIn -= 1;
      if (this.#killIn < 0) throw new Killed('killed');
    };
    world.api.store.subscribe(({ type, object }) => {
      const id = object.metadata.annotations?.['convoy.kumodo.io/release-id'];
      if (type !== 'ADDED' || id === undefined) return;
      if (world.entry(object.metadata.name) === undefined) this.unrecorded.push(object.metadata.name);
    });
  }

  async happen(one: Happening): Promise<void> {
    const { world } = this;
    switch (one.kind) {
      case 'release':
        world.release(objectsOf(one), HEALTH);
        break;
      case 'observe':
        world.observe(one.state, one.failed ? { o1: { state: 'Progressing', reason: 'Failed' } } : {});
        break;
      case 'time':
        await world.clock.advance(one.seconds * 1000);
        break;
      case 'kill':
        this.#killIn = one.after;
        break;
      case 'remove':
        if (world.find('v1', 'ConfigMap', `o${one.object}`)) world.remove('v1', 'ConfigMap', `o${one.object}`);
        break;
      case 'request':
        world.request(one.reason);
        break;
      case 'rollback':
        world.annotate({ [ROLLBACK]: world.status.lastHealthy?.renderRef });
        break;
      case 'unroll':
        world.annotate({ [ROLLBACK]: undefined });
        break;
      case 'inventory':
        if (world.pages.length > 0) world.remove('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'web');
        break;
      case 'restart':
        world.restart();
        break;
    }
    await this.run();
  }

  async run(): Promise<void> {
    try {
      await this.world.run();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#killIn = Number.POSITIVE_INFINITY;
      this.world.restart();
      await this.world.run();
    }
  }

  /** A healthy cluster, and time enough. */
  async heal(): Promise<void> {
    this.#killIn = Number.POSITIVE_INFINITY;
    for (let rounds = 0; rounds < 12; rounds += 1) {
      this.world.observe();
      await this.world.run();
      await this.world.clock.advance(61_000);
    }
  }
}

function dataOf(world: ReleaseWorld): Record<string, unknown> {
  const maps = [...world.api.store.all('/configmaps', 'shop')];
  return Object.fromEntries(maps.map((one) => [one.metadata.name, one['data']]));
}

it('whatever happens, a Release ends as what is asked for, and every object of it is in its inventory all the while', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 14 }), fc.nat(3), async (happenings, version) => {
      const chaos = new Chaos();
      const { world } = chaos;
      const first = { kind: 'release', objects: [0, 1, 2], version: 0, hooks: 3 } as const;
      const last = { kind: 'release', objects: [1, 3], version, hooks: 2 } as const;
      await chaos.happen(first);
      for (const one of happenings) await chaos.happen(one);
      await chaos.happen({ kind: 'unroll' });
      await chaos.happen(last);
      await chaos.heal();
      // Whatever others took away meanwhile is drift, which is reported.
      world.request('Drift');
      await world.run();
      expect(world.conditions).toEqual(['Ready=True Succeeded']);
      expect(dataOf(world)).toEqual({ o1: { v: String(version) }, o3: { v: String(version) } });
      expect(world.status.lastHealthy?.renderRef).toBe(world.status.lastAttempted?.renderRef);
      expect(world.entries.map(({ name }) => name).sort()).toEqual(['o1', 'o3', 'post']);
      expect(chaos.unrecorded).toEqual([]);
      expect(world.faults).toEqual([]);
    }),
    { numRuns: Number(process.env['CONVOY_CHAOS_RUNS'] ?? 12) },
  );
});
