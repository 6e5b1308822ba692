import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../ports/errors.ts';
import { CONFIG_MAPS, configMap } from '../testing/builders.ts';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { History, running, versionsOf } from './history.fixture.ts';
import { Informer } from './informer.ts';

const ALL = { type: CONFIG_MAPS, namespace: '' };

/** One thing that happens to the cluster, its network or its clock. */
type Happening =
  | { readonly write: string; readonly value: string }
  | { readonly delete: string }
  | { readonly advance: number }
  | { readonly restart: number }
  | { readonly fail: 'never' | 'sometimes' | 'always'; readonly code: number }
  | { readonly delay: number }
  | { readonly latency: number }
  | { readonly replay: number }
  | { readonly streaming: boolean }
  | { readonly event: 'cut' | 'reset' | 'silence' | 'compact' };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ write: name, value: fc.constantFrom('1', '2', '3') }) },
  { weight: 4, arbitrary: fc.record({ delete: name }) },
  { weight: 6, arbitrary: fc.record({ advance: fc.oneof(fc.nat(2000), fc.nat(200_000)) }) },
  { weight: 1, arbitrary: fc.record({ restart: fc.nat(60_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      fail: fc.constantFrom('never' as const, 'sometimes' as const, 'always' as const),
      code: fc.constantFrom(0, 403, 410, 429, 500, 504),
    }),
  },
  { weight: 1, arbitrary: fc.record({ delay: fc.nat(20_000) }) },
  { weight: 2, arbitrary: fc.record({ latency: fc.nat(3_000) }) },
  { weight: 1, arbitrary: fc.record({ replay: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ streaming: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ event: fc.constantFrom('cut', 'reset', 'silence', 'compact') }) },
);

class World {
  readonly clock: FakeClock;
  readonly cluster: MemoryCluster;
  #fail: 'never' | 'sometimes' | 'always' = 'never';
  #code = 0;
  #latency = 0;

  constructor(seed: number) {
    this.clock = new FakeClock(seed);
    this.cluster = new MemoryCluster({ clock: this.clock });
    this.cluster.fault = async ({ verb, moment }) => {
      if (verb !== 'list' && verb !== 'watch') return;
      if (this.#latency > 0) await this.clock.sleep(this.clock.random() * this.#latency);
      if (this.#fail === 'never' || (this.#fail === 'sometimes' && this.clock.random() < 0.5)) return;
      if (moment === 'before' && this.#code === 0) throw new TransportError('unreachable', 'no route');
      if (moment === 'before') throw new ApiError('refused', this.#code, '');
    };
  }

  async meet(one: Happening): Promise<void> {
    const { cluster, clock } = this;
    if ('write' in one) await this.#write(one.write, one.value);
    else if ('delete' in one) await this.#whenUp(() => cluster.delete({ ...ALL, namespace: 'n', name: one.delete }));
    else if ('advance' in one) await clock.advance(one.advance);
    else if ('restart' in one) void cluster.restart(one.restart);
    else if ('fail' in one) [this.#fail, this.#code] = [one.fail, one.code];
    else if ('latency' in one) this.#latency = one.latency;
    else if ('delay' in one) cluster.streams.delay = () => clock.random() * one.delay;
    else if ('replay' in one) cluster.streams.replay = () => Math.floor(clock.random() * (one.replay + 1));
    else if ('streaming' in one) cluster.streams.streamingLists = one.streaming;
    else if (one.event === 'cut') cluster.cutWatches();
    else if (one.event === 'reset') cluster.cutWatches(new TransportError('unreachable', 'reset'));
    else if (one.event === 'silence') cluster.silenceWatches();
    else cluster.compact();
  }

  /** Nothing fails any more, and there is time for the longest back-off and the longest silence. */
  async calm(): Promise<void> {
    this.#fail = 'never';
    this.#latency = 0;
    this.cluster.streams.delay = () => 0;
    await this.clock.advance(600_000);
  }

  async #write(key: string, value: string): Promise<void> {
    const object = configMap(`n/${key}`, { value });
    await this.#whenUp(() =>
      this.cluster.apply({ ...ALL, namespace: 'n', name: key }, object, { fieldManager: 'test', force: true }),
    );
  }

  /** Deletes of what is not there, and writes while nobody answers, do not happen. */
  async #whenUp(write: () => Promise<unknown>): Promise<void> {
    await write().catch(() => undefined);
  }
}

describe('an informer in any weather', () => {
  it('has told consistent histories, and its cache equals a LIST when the weather has calmed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 80 }), fc.integer(), async (happenings, seed) => {
        const world = new World(seed);
        const informer = new Informer({ cluster: world.cluster, clock: world.clock, path: ALL, pageSize: 2 });
        const history = new History();
        informer.addHandler(history);
        const { stop } = running(informer);
        for (const one of happenings) {
          await world.meet(one);
          await settled();
          expect(history.breaches).toEqual([]);
          expect(history.versions()).toEqual(versionsOf(informer.store.list()));
          expect(world.cluster.openWatches).toBeLessThanOrEqual(1);
        }
        await world.calm();
        const { items } = await world.cluster.list(ALL);
        expect(informer.hasSynced).toBe(true);
        expect(informer.problem).toBeUndefined();
        expect(versionsOf(informer.store.list())).toEqual(versionsOf(items));
        expect(history.versions()).toEqual(versionsOf(items));
        await stop();
        await settled();
        expect([world.cluster.openWatches, world.clock.sleeping]).toEqual([0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
