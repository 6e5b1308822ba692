import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../ports/errors.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { PausableProcess } from '../testing/pausable-process.ts';
import { leasesIn } from './lease.ts';
import { metadataOf } from './object-key.ts';
import { quotaOf, shardOf } from './shard-quota.ts';
import { Shards } from './shards.ts';

class Replica {
  readonly process: PausableProcess;
  readonly shards: Shards;
  readonly errors: string[] = [];
  /** Shards that are worked on, also while their work is told to end. */
  readonly working = new Set<number>();
  readonly ended: Promise<void>;
  windDown = 0;
  readonly #stop = new AbortController();

  constructor(clock: FakeClock, cluster: MemoryCluster, identity: string, count: number, skew = 0) {
    this.process = new PausableProcess(clock, skew);
    this.shards = new Shards({
      cluster: this.process.reach(cluster),
      clock: this.process.clock,
      namespace: 'system',
      name: 'convoy',
      identity,
      count,
      onError: (error) => this.errors.push(error.message),
    });
    this.ended = this.shards.run(this.#stop.signal, (shard, signal) => this.#work(shard, signal));
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.ended;
  }

  async #work(shard: number, signal: AbortSignal): Promise<void> {
    this.working.add(shard);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    if (this.windDown > 0) await this.process.clock.sleep(this.windDown);
    this.working.delete(shard);
  }
}

function start(count: number): { clock: FakeClock; cluster: MemoryCluster; replica: (name: string) => Replica } {
  const clock = new FakeClock();
  const cluster = new MemoryCluster({ clock });
  return { clock, cluster, replica: (name) => new Replica(clock, cluster, name, count) };
}

async function leases(cluster: MemoryCluster): Promise<unknown[]> {
  const { items } = await cluster.list(leasesIn('system'));
  return items.map((item) => metadataOf(item)['name']);
}

const sizes = (...replicas: readonly Replica[]): number[] => replicas.map(({ shards }) => shards.acting.length);

describe('shards', () => {
  it('are all held by the only replica', async () => {
    const { clock, replica } = start(5);
    const a = replica('a');
    await clock.advance(1000);
    expect(a.shards.acting).toEqual([0, 1, 2, 3, 4]);
    expect([...a.working]).toEqual([0, 1, 2, 3, 4]);
  });

  it('are shared out anew when a replica comes, each given away after its work has ended', async () => {
    const { clock, replica } = start(5);
    const a = replica('a');
    await clock.advance(1000);
    a.windDown = 20_000;
    const b = replica('b');
    await clock.advance(15_000);
    expect([...a.working, ...b.working].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(b.working.size).toBe(0);
    await clock.advance(10_000);
    expect(sizes(a, b)).toEqual([3, 2]);
    expect(new Set([...a.working, ...b.working]).size).toBe(5);
  });

  it('move at once from a replica that stops; it leaves no lease of its own and no timer', async () => {
    const { clock, cluster, replica } = start(4);
    const [a, b] = [replica('a'), replica('b')];
    await clock.advance(10_000);
    expect(sizes(a, b)).toEqual([2, 2]);
    const ended = b.stop();
    await clock.advance(2000);
    await ended;
    expect(sizes(a, b)).toEqual([4, 0]);
    expect(await leases(cluster)).not.toContain('convoy-member-b');
    const last = a.stop();
    await clock.advance(1);
    await last;
    expect(clock.sleeping).toBe(0);
    expect(await leases(cluster)).toEqual([0, 1, 2, 3].map((shard) => `convoy-shard-${shard}`));
  });

  it('of a replica that dies move within 15 s, whatever the moment of its death', async () => {
    for (let moment = 0; moment < 2000; moment += 170) {
      const { clock, cluster, replica } = start(6);
      const replicas = [replica('a'), replica('b'), replica('c')] as const;
      await clock.advance(20_000 + moment);
      expect(sizes(...replicas)).toEqual([2, 2, 2]);
      replicas[2].process.pause();
      cluster.fault = () => clock.sleep(100);
      await clock.advance(15_000);
      expect(sizes(replicas[0], replicas[1])).toEqual([3, 3]);
    }
  });

  it('forget a replica that has long been dead', async () => {
    const { clock, cluster, replica } = start(2);
    const [, b] = [replica('a'), replica('b')];
    await clock.advance(5000);
    b.process.pause();
    await clock.advance(290_000);
    expect(await leases(cluster)).toContain('convoy-member-b');
    await clock.advance(20_000);
    expect(await leases(cluster)).not.toContain('convoy-member-b');
  });

  it('are let go when the server is away for 7 s, and held again when it is back', async () => {
    const { clock, cluster, replica } = start(2);
    const a = replica('a');
    await clock.advance(2000);
    cluster.down = true;
    await clock.advance(7000);
    expect(a.shards.acting).toEqual([]);
    expect(a.working.size).toBe(0);
    cluster.down = false;
    await clock.advance(3000);
    expect(a.shards.acting).toEqual([0, 1]);
    expect(a.errors).toContain('connection refused');
  });
});

type Happening =
  | { readonly do: 'pause' | 'resume' | 'stop' | 'crash'; readonly who: number }
  | { readonly do: 'advance' | 'latency'; readonly ms: number }
  | { readonly do: 'outage' | 'loseAnswers'; readonly on: boolean };

const who = fc.nat(2);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'crash' as const), who }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(12_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('latency' as const), ms: fc.nat(8_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('outage' as const, 'loseAnswers' as const), on: fc.boolean() }),
  },
);

const COUNT = 5;

/** Three replicas with different clocks; who stops or crashes is replaced by a new process. */
class Fleet {
  readonly clock: FakeClock;
  readonly cluster: MemoryCluster;
  readonly all: Replica[] = [];
  readonly places: Replica[] = [];
  latency = 0;
  loseAnswers = false;

  constructor(seed: number) {
    this.clock = new FakeClock(seed);
    this.cluster = new MemoryCluster({ clock: this.clock });
    this.cluster.fault = async ({ moment }) => {
      if (this.latency > 0) await this.clock.sleep(this.clock.random() * this.latency);
      if (moment === 'after' && this.loseAnswers && this.clock.random() < 0.5) {
        throw new TransportError('timeout', 'no answer');
      }
    };
    for (const place of [0, 1, 2]) this.#fill(place);
  }

  async meet(one: Happening): Promise<void> {
    if ('ms' in one) {
      if (one.do === 'advance') await this.advance(one.ms);
      else this.latency = one.ms;
    } else if ('on' in one) {
      if (one.do === 'outage') this.cluster.down = one.on;
      else this.loseAnswers = one.on;
    } else {
      const replica = this.places[one.who] as Replica;
      if (one.do === 'pause' || one.do === 'resume') replica.process[one.do]();
      else {
        // A process that crashed is one that is paused for ever.
        if (one.do === 'crash') replica.process.pause();
        else void replica.stop();
        this.#fill(one.who);
      }
    }
    await this.advance(0);
  }

  /** Looks at every moment in which something happens. */
  async advance(ms: number): Promise<void> {
    await this.clock.advanceUntil(() => {
      const acting = this.all.flatMap(({ shards }) => shards.acting);
      expect(acting.length).toBe(new Set(acting).size);
      return false;
    }, ms);
  }

  #fill(place: number): void {
    const skew = (this.clock.random() - 0.5) * 7_200_000;
    const replica = new Replica(this.clock, this.cluster, `p${this.all.length}`, COUNT, skew);
    this.places[place] = replica;
    this.all.push(replica);
  }
}

describe('shards in any weather', () => {
  it('have at most one replica each that acts, and are shared out evenly when the weather has calmed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 30 }), fc.integer(), async (happenings, seed) => {
        const fleet = new Fleet(seed);
        for (const one of happenings) await fleet.meet(one);
        fleet.latency = 0;
        fleet.loseAnswers = false;
        fleet.cluster.down = false;
        for (const { process } of fleet.places) process.resume();
        await fleet.advance(40_000);
        expect(sizes(...fleet.places).sort()).toEqual([1, 2, 2]);
        expect(fleet.places.flatMap(({ working }) => [...working]).sort()).toEqual([0, 1, 2, 3, 4]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the part of a member', () => {
  it('is the same for all, but for one', () => {
    expect(['a', 'b', 'c'].map((member) => quotaOf(member, ['c', 'a', 'b'], 5))).toEqual([2, 2, 1]);
    expect(['a', 'b', 'c'].map((member) => quotaOf(member, ['c', 'a', 'b'], 2))).toEqual([1, 1, 0]);
  });
});

describe('the shard of a key', () => {
  it('is always the same, and spreads keys evenly', () => {
    // Published test vectors of FNV-1a with 32 bits.
    expect(shardOf('a', 2 ** 32)).toBe(0xe40c292c);
    expect(shardOf('foobar', 2 ** 32)).toBe(0xbf9cf968);
    const sizes = new Array<number>(8).fill(0);
    for (let i = 0; i < 8000; i++) {
      const shard = shardOf(`team-${i % 40}/release-${i}`, 8);
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    for (const size of sizes) {
      expect(size).toBeGreaterThan(800);
      expect(size).toBeLessThan(1200);
    }
  });
});
