import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../ports/errors.ts';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { PausableProcess } from '../testing/pausable-process.ts';
import { LeaderElection } from './leader-election.ts';
import { LEADER_TIMES, Lease, leasesIn } from './lease.ts';

const LEASE = { ...leasesIn('system'), name: 'convoy' };

class Candidate {
  readonly identity: string;
  readonly process: PausableProcess;
  readonly lease: Lease;
  readonly events: string[] = [];
  readonly errors: string[] = [];
  readonly ended: Promise<string>;
  /** ms that the work needs to end after it is told to. */
  windDown = 0;
  finish: () => void = () => {};
  readonly #stop = new AbortController();

  constructor(clock: FakeClock, cluster: MemoryCluster, identity: string, skew = 0) {
    this.identity = identity;
    this.process = new PausableProcess(clock, skew);
    this.lease = new Lease({
      cluster: this.process.reach(cluster),
      clock: this.process.clock,
      namespace: 'system',
      name: 'convoy',
      identity,
      times: LEADER_TIMES,
    });
    const election = new LeaderElection({
      clock: this.process.clock,
      lease: this.lease,
      times: LEADER_TIMES,
      onError: (error) => this.errors.push(error.message),
    });
    this.ended = election
      .run(this.#stop.signal, (signal) => this.#lead(signal))
      .then(
        () => 'stopped',
        (error: Error) => error.name,
      );
  }

  stop(): Promise<string> {
    this.#stop.abort();
    return this.ended;
  }

  async #lead(signal: AbortSignal): Promise<void> {
    this.events.push('leads');
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    if (this.windDown > 0) await this.process.clock.sleep(this.windDown);
    this.events.push('ends');
  }
}

function start(): { clock: FakeClock; cluster: MemoryCluster; candidate: (name: string, skew?: number) => Candidate } {
  const clock = new FakeClock();
  const cluster = new MemoryCluster({ clock });
  return { clock, cluster, candidate: (name, skew) => new Candidate(clock, cluster, name, skew) };
}

describe('leader election', () => {
  it('is won by the first, whose lease reads as client-go writes it', async () => {
    const { clock, cluster, candidate } = start();
    const [a, b] = [candidate('a'), candidate('b')];
    await clock.advance(60_000);
    expect([a.events, b.events]).toEqual([['leads'], []]);
    expect((await cluster.get(LEASE))['spec']).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
  });

  it('passes on at once when the leader stops, after its work has ended', async () => {
    const { clock, candidate } = start();
    const a = candidate('a');
    await clock.advance(1000);
    const b = candidate('b');
    a.windDown = 20_000;
    const ended = a.stop();
    await clock.advance(19_000);
    expect([a.events, b.events]).toEqual([['leads'], []]);
    await clock.advance(1000 + 4400);
    expect([a.events, b.events]).toEqual([['leads', 'ends'], ['leads']]);
    expect(await ended).toBe('stopped');
  });

  it('passes on when the leader dies, by the watch of those who wait and not by the clock of the dead', async () => {
    const { clock, cluster, candidate } = start();
    const a = candidate('a', -3_600_000);
    await clock.advance(10_000);
    const b = candidate('b', 3_600_000);
    await clock.advance(2500);
    a.process.pause();
    await clock.advance(12_000);
    expect(b.events).toEqual([]);
    await clock.advance(8_000);
    expect(b.events).toEqual(['leads']);
    expect((await cluster.get(LEASE))['spec']).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    a.process.resume();
    await clock.advance(1);
    expect(a.events).toEqual(['leads', 'ends']);
    expect(await a.ended).toBe('LeadershipLostError');
  });

  it('is lost by a leader that cannot reach the server for 10 s, before anybody else can win', async () => {
    const { clock, cluster, candidate } = start();
    const a = candidate('a');
    await clock.advance(1000);
    cluster.down = true;
    await clock.advance(8_999);
    expect(a.events).toEqual(['leads']);
    await clock.advance(1);
    expect(a.events).toEqual(['leads', 'ends']);
    expect(await a.ended).toBe('LeadershipLostError');
    expect(a.errors[0]).toBe('connection refused');
  });

  it('is lost 10 s after the last renewal was sent, however late its answer came', async () => {
    const { clock, cluster, candidate } = start();
    const a = candidate('a');
    await clock.advance(1000);
    cluster.fault = async ({ verb, moment }) => {
      if (verb === 'update' && moment === 'after') await clock.sleep(7000);
    };
    await clock.advance(8500);
    cluster.down = true;
    // The renewal was sent at 2 s and answered at 9 s.
    await clock.advance(2499);
    expect(a.lease.acting).toBe(true);
    await clock.advance(1);
    expect(a.lease.acting).toBe(false);
    expect(await a.ended).toBe('LeadershipLostError');
  });

  it('outlives a lost answer and a write of somebody else on the lease', async () => {
    const { clock, cluster, candidate } = start();
    let lose = 1;
    cluster.fault = ({ verb, moment }) => {
      if (verb === 'update' && moment === 'after' && lose-- > 0) throw new TransportError('timeout', 'no answer');
    };
    const a = candidate('a');
    await clock.advance(5000);
    await cluster.patch(LEASE, 'merge', { metadata: { labels: { x: 'y' } } });
    await clock.advance(60_000);
    expect(a.events).toEqual(['leads']);
    expect(a.errors).toEqual(['no answer']);
    expect(await cluster.get(LEASE)).toMatchObject({ metadata: { labels: { x: 'y' } } });
  });

  it('ends with the work, gives the lease away and leaves no timer', async () => {
    const { clock, cluster, candidate } = start();
    const a = candidate('a');
    await clock.advance(1000);
    a.finish();
    await settled();
    expect(await a.ended).toBe('stopped');
    expect((await cluster.get(LEASE))['spec']).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(clock.sleeping).toBe(0);
  });

  it('stops while it waits for its turn', async () => {
    const { clock, candidate } = start();
    candidate('a');
    await clock.advance(100);
    const b = candidate('b');
    await clock.advance(10_000);
    expect(await b.stop()).toBe('stopped');
    expect(b.events).toEqual([]);
  });
});

type Happening =
  | { readonly do: 'pause' | 'resume' | 'stop' | 'crash'; readonly who: number }
  | { readonly do: 'advance' | 'latency'; readonly ms: number }
  | { readonly do: 'outage' | 'loseAnswers'; readonly on: boolean };

const who = fc.nat(2);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'crash' as const), who }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(20_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('latency' as const), ms: fc.nat(20_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('outage' as const, 'loseAnswers' as const), on: fc.boolean() }),
  },
);

/** Three candidates with different clocks; who stops, crashes or loses is replaced by a new process. */
class Contest {
  readonly clock: FakeClock;
  readonly cluster: MemoryCluster;
  readonly all: Candidate[] = [];
  readonly places: Candidate[] = [];
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

  acting(): string[] {
    return this.all.filter(({ lease }) => lease.acting).map(({ identity }) => identity);
  }

  async meet(one: Happening): Promise<void> {
    if ('ms' in one) {
      if (one.do === 'advance') await this.advance(one.ms);
      else this.latency = one.ms;
    } else if ('on' in one) {
      if (one.do === 'outage') this.cluster.down = one.on;
      else this.loseAnswers = one.on;
    } else {
      const candidate = this.places[one.who] as Candidate;
      if (one.do === 'pause' || one.do === 'resume') candidate.process[one.do]();
      else {
        // A process that crashed is one that is paused for ever.
        if (one.do === 'crash') candidate.process.pause();
        else void candidate.stop();
        this.#fill(one.who);
      }
    }
    await this.advance(0);
  }

  /** Looks at every moment in which something happens. */
  async advance(ms: number): Promise<void> {
    await this.clock.advanceUntil(() => {
      expect(this.acting().length).toBeLessThanOrEqual(1);
      return false;
    }, ms);
  }

  #fill(place: number): void {
    const skew = (this.clock.random() - 0.5) * 7_200_000;
    const candidate = new Candidate(this.clock, this.cluster, `p${this.all.length}`, skew);
    this.places[place] = candidate;
    this.all.push(candidate);
    void candidate.ended.then((how) => {
      if (how === 'LeadershipLostError' && this.places[place] === candidate) this.#fill(place);
    });
  }
}

describe('leader election in any weather', () => {
  it('never has two who act, and has one soon after the weather has calmed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 60 }), fc.integer(), async (happenings, seed) => {
        const contest = new Contest(seed);
        for (const one of happenings) await contest.meet(one);
        contest.latency = 0;
        contest.loseAnswers = false;
        contest.cluster.down = false;
        for (const { process } of contest.places) process.resume();
        await contest.advance(60_000);
        expect(contest.acting()).toHaveLength(1);
        for (const candidate of contest.places) await candidate.stop();
        expect(contest.acting()).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
