import { describe, expect, it } from 'vitest';
import { resourceType } from '../testing/builders.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { ShardOwnership, shardOf } from './ownership.ts';
import { Shards } from './shards.ts';

const LEASES = resourceType({ group: 'coordination.k8s.io', kind: 'Lease' });
const COUNT = 8;
const EFFECT = 4_000;
/** One object in each shard. */
const UIDS = Array.from({ length: COUNT }, (_, shard) => {
  let number = 0;
  while (shardOf(`uid-${number}`, COUNT) !== shard) number += 1;
  return `uid-${number}`;
});

class Replica {
  readonly ownership: ShardOwnership;
  readonly stop = new AbortController();
  readonly idle = new AbortController();
  readonly ended: Promise<void>;
  gains = 0;
  /** What was gained, each time. */
  readonly gained: string[] = [];
  ownedAtGain = 0;

  constructor(identity: string, clock: FakeClock, cluster: MemoryCluster) {
    const shards = new Shards({ cluster, clock, namespace: 'default', name: 'convoy', identity, count: COUNT });
    this.ownership = new ShardOwnership({ clock, shards, count: COUNT, effectLimit: EFFECT });
    this.ownership.onGain((isGained) => {
      this.gains += 1;
      this.gained.push(...UIDS.filter(isGained));
      this.ownedAtGain = this.owned.length;
    });
    this.ended = this.ownership.run(this.stop.signal, this.idle.signal);
  }

  get owned(): readonly string[] {
    return UIDS.filter((uid) => this.ownership.owns(uid));
  }
}

describe('the owner of an object', () => {
  it('is decided by its uid alone, and objects spread evenly', () => {
    const counts = new Array<number>(COUNT).fill(0);
    for (let number = 0; number < 8_000; number += 1) {
      const shard = shardOf(`0f3a9b7c-1111-4222-8333-${number}`, COUNT);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(shardOf('a', 1)).toBe(0);
  });

  it('is at each moment at most one of two replicas, and all are owned again within 15 s of a death', async () => {
    const clock = new FakeClock(7);
    const cluster = new MemoryCluster({ clock, types: [LEASES] });
    const [one, two] = [new Replica('one', clock, cluster), new Replica('two', clock, cluster)];
    const step = async (): Promise<readonly string[]> => {
      await clock.advance(500);
      const owned = [...one.owned, ...two.owned];
      expect(new Set(owned).size).toBe(owned.length);
      return owned;
    };
    let waited = 0;
    while ((await step()).length < COUNT || one.owned.length !== two.owned.length) {
      waited += 1;
      expect(waited).toBeLessThan(120);
    }
    expect(one.owned.length).toBe(COUNT / 2);
    // Nothing that was owned already is told again: what is known of it still counts.
    expect(two.gained.toSorted()).toEqual(two.owned.toSorted());

    // A process that is killed renews nothing and gives nothing away; what it believes of itself ends with its leases.
    cluster.fault = ({ moment }) => {
      if (moment === 'before' && silent) throw new Error('gone');
    };
    let silent = false;
    const gains = two.gains;
    one.stop.abort();
    one.idle.abort();
    await one.ended;
    expect(one.owned).toEqual([]);
    for (waited = 0; two.owned.length < COUNT; waited += 1) {
      await step();
      expect(waited).toBeLessThan(30);
    }
    expect(two.gains).toBeGreaterThan(gains);
    expect(two.ownedAtGain).toBe(COUNT);

    silent = true;
    await clock.advance(8_000);
    expect(two.owned).toEqual([]);
    two.stop.abort();
    two.idle.abort();
    silent = false;
    await clock.advance(20_000);
    await two.ended;
    expect(clock.sleeping).toBe(0);
  });

  it('has enough time left for what it begins', async () => {
    const clock = new FakeClock(3);
    const cluster = new MemoryCluster({ clock, types: [LEASES] });
    const replica = new Replica('one', clock, cluster);
    await clock.advance(3_000);
    const [uid = ''] = UIDS;
    expect([replica.ownership.owns(uid, EFFECT), replica.ownership.owns(uid, 7_001)]).toEqual([true, false]);
    cluster.fault = () => {
      throw new Error('gone');
    };
    await clock.advance(4_000);
    expect([replica.ownership.owns(uid), replica.ownership.owns(uid, EFFECT)]).toEqual([true, false]);
    replica.stop.abort();
    replica.idle.abort();
    cluster.fault = () => {};
    await clock.advance(20_000);
    await replica.ended;
  });
});
