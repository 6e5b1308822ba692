import { asMap, asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ObjectPath, ResourcePath } from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import { metadataOf } from './object-key.ts';

/** How a lease is kept, in ms. */
export interface LeaseTimes {
  /** Others wait so long behind the last change that they saw. */
  readonly duration: number;
  /** A holder that could not renew for so long stops acting; shorter than `duration`. */
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** client-go's defaults. */
export const LEADER_TIMES: LeaseTimes = { duration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

export interface LeaseOptions {
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Who holds it: never the same for two processes, nor for a process and the one before it. */
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly labels?: Readonly<Record<string, string>>;
}

export function leasesIn(namespace: string): ResourcePath {
  return { type: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' }, namespace };
}

/** A MicroTime of the API: six digits behind the point, which is what the API server parses. */
function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}

/**
 * One Lease as one candidate sees it, by client-go's rules. Nobody compares clocks of two machines: a lease has expired when its
 * object has not changed for its duration since this process saw it, and the holder counts its deadline from the moment in which it
 * sent its last renewal that succeeded, which is before anybody could see it. Hence at any moment at most one candidate is `acting`.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #path: ObjectPath;
  #seen: KubernetesObject | undefined;
  #seenAt = 0;
  /** When the last renewal that succeeded was sent. */
  #renewed = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#path = { ...leasesIn(options.namespace), name: options.name };
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether this process may act as the holder now. */
  get acting(): boolean {
    return this.#options.clock.now() < this.actingUntil;
  }

  /** ms since 1970; in the past when it does not hold the lease. */
  get actingUntil(): number {
    return this.#renewed + this.#options.times.renewDeadline;
  }

  /** Who holds it; '' when it is free, has expired, or was never seen. */
  get holder(): string {
    const holder = asString(this.#spec()['holderIdentity']);
    return this.#expired() ? '' : holder;
  }

  /** ms since the lease was last seen to change. */
  get unchangedFor(): number {
    return this.#options.clock.now() - this.#seenAt;
  }

  /** Takes note of the lease as it was read; undefined: it does not exist. The time counts when it differs from what was seen before. */
  observe(lease: KubernetesObject | undefined): void {
    const version = (object: KubernetesObject | undefined): unknown => object && metadataOf(object)['resourceVersion'];
    if (lease === undefined || version(lease) !== version(this.#seen)) this.#seenAt = this.#options.clock.now();
    this.#seen = lease;
  }

  /**
   * Acquires or renews. Returns whether it did; false: somebody else holds it, or was faster. Throws what the cluster throws.
   * Not to be called while a call is under way.
   */
  async attempt(signal?: AbortSignal): Promise<boolean> {
    if (asString(this.#spec()['holderIdentity']) !== this.#options.identity) await this.read(signal);
    const first = await this.#write(signal);
    if (first !== 'raced') return first === 'won';
    // Somebody wrote in between: it may have been a label only.
    await this.read(signal);
    return this.#mine() && (await this.#write(signal)) === 'won';
  }

  /** Reads the lease, as a candidate that waits does. */
  async read(signal?: AbortSignal): Promise<void> {
    try {
      this.observe(await this.#options.cluster.get(this.#path, this.#call(signal)));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
      this.observe(undefined);
    }
  }

  /** Stops acting and gives the lease away, so that nobody has to wait until it expires. Throws what the cluster throws. */
  async release(): Promise<void> {
    this.#renewed = Number.NEGATIVE_INFINITY;
    if (!this.#mine() || !this.#seen) return;
    const now = microTime(this.#options.clock.now());
    const spec = {
      ...this.#spec(),
      holderIdentity: '',
      // client-go: the shortest that the API allows.
      leaseDurationSeconds: 1,
      renewTime: now,
      acquireTime: now,
    };
    try {
      this.observe(await this.#options.cluster.update(this.#path, { ...this.#seen, spec }, this.#call()));
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  }

  async #write(signal: AbortSignal | undefined): Promise<'won' | 'held' | 'raced'> {
    const { cluster, clock, identity } = this.#options;
    if (!['', identity].includes(this.holder)) return 'held';
    const sent = clock.now();
    const lease = this.#next(sent);
    try {
      this.observe(
        this.#seen
          ? await cluster.update(this.#path, lease, this.#call(signal))
          : await cluster.create(leasesIn(this.#options.namespace), lease, this.#call(signal)),
      );
    } catch (error) {
      if (isRace(error)) return 'raced';
      throw error;
    }
    this.#renewed = sent;
    return 'won';
  }

  /** The lease as it is to be written. */
  #next(now: number): KubernetesObject {
    const { namespace, name, identity, times, labels } = this.#options;
    const before = this.#spec();
    const same = asString(before['holderIdentity']) === identity;
    const transitions = Number(before['leaseTransitions'] ?? 0);
    const metadata = this.#seen ? metadataOf(this.#seen) : { namespace, name };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: labels ? { ...metadata, labels: { ...asMap(metadata['labels']), ...labels } } : metadata,
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(times.duration / 1000),
        acquireTime: same ? before['acquireTime'] : microTime(now),
        renewTime: microTime(now),
        leaseTransitions: this.#seen && !same ? transitions + 1 : transitions,
      },
    };
  }

  #mine(): boolean {
    return asString(this.#spec()['holderIdentity']) === this.#options.identity;
  }

  #expired(): boolean {
    const seconds = this.#spec()['leaseDurationSeconds'];
    const duration = typeof seconds === 'number' ? seconds * 1000 : this.#options.times.duration;
    return this.#options.clock.now() >= this.#seenAt + duration;
  }

  #spec(): Readonly<Record<string, unknown>> {
    return asMap(this.#seen?.['spec']);
  }

  /** Half of the deadline, as controller-runtime has it: one call that hangs leaves time for another. */
  #call(signal?: AbortSignal): { readonly timeout: number; readonly signal?: AbortSignal } {
    return { timeout: this.#options.times.renewDeadline / 2, ...(signal && { signal }) };
  }
}

/** The write came too late: the object is there already, has changed, or has gone. */
function isRace(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 409 || error.code === 404);
}
