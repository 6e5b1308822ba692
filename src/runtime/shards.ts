import { asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import { asError } from './as-error.ts';
import { Lease, type LeaseTimes, leasesIn } from './lease.ts';
import { attempt, holdTerm, type TermOptions } from './lease-term.ts';
import { listAll } from './list-all.ts';
import { metadataOf } from './object-key.ts';
import { aborted, pause } from './pause.ts';
import { quotaOf } from './shard-quota.ts';

/** Shorter than a leader's: what a dead replica worked on is worked on again within 15 s. */
export const SHARD_TIMES: LeaseTimes = { duration: 10_000, renewDeadline: 7_000, retryPeriod: 2_000 };

/** The label by which the leases of one set of shards are listed. */
const LABEL = 'convoy.kumodo.io/shards';
/** Leases of replicas that died are deleted when nobody has renewed them for so long, in ms. */
const MEMBER_GRAVE = 300_000;

export interface ShardsOptions {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'create' | 'update' | 'delete'>;
  readonly clock: Clock;
  readonly namespace: string;
  /** Names the set; leases are `NAME-shard-I` and `NAME-member-IDENTITY`. */
  readonly name: string;
  /** As the identity of a lease; also part of an object's name. */
  readonly identity: string;
  /** How many shards there are; the same for all replicas. */
  readonly count: number;
  /** A call that failed because the cluster could not be asked, or what the work threw. Both are tried again. */
  readonly onError?: (error: Error) => void;
}

interface Term {
  readonly lease: Lease;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Divides shards among the replicas that live, each held by a Lease: a shard has at most one replica that acts for it. Each replica
 * shows that it lives by a lease of its own; who has more than its part gives the rest away when the work on it has ended, who has
 * less takes what is free.
 */
export class Shards {
  readonly #options: ShardsOptions;
  readonly #leases: readonly Lease[];
  readonly #members = new Map<string, Lease>();
  readonly #terms = new Map<number, Term>();

  constructor(options: ShardsOptions) {
    this.#options = options;
    this.#leases = Array.from({ length: options.count }, (_, shard) => this.#lease(`${options.name}-shard-${shard}`));
  }

  /** Shards that this replica may act for now. */
  get acting(): readonly number[] {
    return [...this.#terms].filter(([, term]) => term.lease.acting).map(([shard]) => shard);
  }

  /** ms for which this replica may still act for a shard, should no renewal succeed from now on; 0 when it may not. */
  actingFor(shard: number): number {
    const lease = this.#terms.get(shard)?.lease;
    return lease === undefined ? 0 : Math.max(0, lease.actingUntil - this.#options.clock.now());
  }

  /**
   * Works on shards as they come and go, each with a signal as in `holdTerm`. Ends when the signal aborts, after all work, without
   * any lease.
   */
  async run(signal: AbortSignal, work: (shard: number, signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const living = this.#live(signal);
    while (!signal.aborted) {
      await this.#tried(() => this.#balance(signal, work));
      // Twice in a period, so that a dead replica is seen early enough.
      await pause(clock, SHARD_TIMES.retryPeriod / 2, signal);
    }
    for (const { stop } of this.#terms.values()) stop.abort();
    await Promise.all([living, ...[...this.#terms.values()].map(({ ended }) => ended)]);
  }

  /** Keeps the lease that says that this replica lives; deletes it at the end. */
  async #live(signal: AbortSignal): Promise<void> {
    const { clock, name, identity } = this.#options;
    const term = this.#term(this.#lease(`${name}-member-${identity}`));
    while (!signal.aborted) {
      if (await attempt(term, signal)) await holdTerm(term, signal, aborted);
      else await pause(clock, SHARD_TIMES.retryPeriod, signal);
    }
    await this.#tried(() => this.#bury(term.lease.name));
  }

  async #balance(signal: AbortSignal, work: (shard: number, signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.#look(signal);
    if (signal.aborted) return;
    const { count, identity } = this.#options;
    const quota = quotaOf(identity, this.#living(), count);
    const mine = [...this.#terms].filter(([, { stop }]) => !stop.signal.aborted);
    for (const [, term] of mine.slice(quota)) term.stop.abort();
    const free = this.#leases
      .map((lease, shard) => ({ lease, shard }))
      .filter((one) => this.#isFree(one.lease, one.shard));
    const wanted = free.slice(0, Math.max(0, quota - mine.length));
    await Promise.all(
      wanted.map(async ({ lease, shard }) => {
        if (await attempt(this.#term(lease), signal)) this.#begin(shard, lease, work);
      }),
    );
  }

  #isFree(lease: Lease, shard: number): boolean {
    return !this.#terms.has(shard) && ['', this.#options.identity].includes(lease.holder);
  }

  /** Reads all leases of the set. Those that this replica holds are not touched: their terms look after them. */
  async #look(signal: AbortSignal): Promise<void> {
    const { cluster, namespace, name } = this.#options;
    const { items } = await listAll(cluster, leasesIn(namespace), { labelSelector: `${LABEL}=${name}`, signal });
    const found = new Map(items.map((item) => [asString(metadataOf(item)['name']), item]));
    for (const [shard, lease] of this.#leases.entries()) {
      if (!this.#terms.has(shard)) lease.observe(found.get(lease.name));
    }
    await this.#lookAtMembers(found);
  }

  async #lookAtMembers(found: ReadonlyMap<string, KubernetesObject>): Promise<void> {
    const prefix = `${this.#options.name}-member-`;
    for (const key of this.#members.keys()) if (!found.has(key)) this.#members.delete(key);
    for (const [key, object] of found) {
      if (!key.startsWith(prefix)) continue;
      const member = this.#members.get(key) ?? this.#lease(key);
      this.#members.set(key, member);
      member.observe(object);
      if (member.unchangedFor < MEMBER_GRAVE) continue;
      await this.#bury(key, asString(metadataOf(object)['resourceVersion']));
    }
  }

  /** Deletes the lease of a member, unless it was renewed meanwhile. */
  async #bury(name: string, resourceVersion?: string): Promise<void> {
    const { cluster, namespace } = this.#options;
    try {
      await cluster.delete({ ...leasesIn(namespace), name }, resourceVersion === undefined ? {} : { resourceVersion });
    } catch (error) {
      if (!(error instanceof ApiError && [404, 409].includes(error.code))) throw error;
    }
  }

  /** Who lives, as far as this replica knows; itself included. */
  #living(): string[] {
    const holders = [...this.#members.values()].map(({ holder }) => holder).filter((holder) => holder !== '');
    return [...new Set([...holders, this.#options.identity])];
  }

  #begin(shard: number, lease: Lease, work: (shard: number, signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const ended = this.#tried(async () => {
      // The term is known before its work begins and asks for it.
      await Promise.resolve();
      await holdTerm(this.#term(lease), stop.signal, (signal) => work(shard, signal));
    }).finally(() => this.#terms.delete(shard));
    this.#terms.set(shard, { lease, stop, ended });
  }

  #lease(name: string): Lease {
    const { cluster, clock, namespace, identity } = this.#options;
    const labels = { [LABEL]: this.#options.name };
    return new Lease({ cluster, clock, namespace, name, identity, times: SHARD_TIMES, labels });
  }

  #term(lease: Lease): TermOptions {
    const { clock, onError } = this.#options;
    return { clock, lease, times: SHARD_TIMES, ...(onError && { onError }) };
  }

  async #tried(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#options.onError?.(asError(error));
    }
  }
}
