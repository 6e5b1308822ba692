import type { Release } from '../../core/api/index.ts';
import type { CannotAssess } from '../../core/release/health/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { ApiError } from '../../ports/errors.ts';
import { type Target, TargetError, type Targets } from '../../ports/targets.ts';
import { Causes } from './causes.ts';
import { ClusterGate } from './cluster-gate.ts';
import { ObjectLooks } from './object-looks.ts';
import { RelatedObjects } from './related-objects.ts';

/** What the observer has for one target cluster. */
export interface TargetRoom {
  readonly target: Target;
  readonly gate: ClusterGate;
  readonly looks: ObjectLooks;
  readonly causes: Causes;
  readonly related: RelatedObjects;
}

export interface TargetRoomsOptions {
  readonly clock: Clock;
  readonly targets: Targets;
  readonly wake: (releases: Iterable<string>) => void;
}

/** Reads at once in one cluster. */
const READS = 8;
/** Passes at once in one cluster. */
const PASSES = 8;
/** ms that a target is believed before its Secret is read again. */
const STANDS = 30_000;

interface Found {
  readonly at: number;
  readonly target: Target;
}

/** The target clusters of Releases, each with what limits and serves the reads in it. */
export class TargetRooms {
  readonly #options: TargetRoomsOptions;
  readonly #rooms = new Map<string, TargetRoom>();
  /** By what a Release says about its target. */
  readonly #found = new Map<string, Found>();
  readonly #roomOf = new Map<string, TargetRoom>();
  #signal: AbortSignal | undefined;

  constructor(options: TargetRoomsOptions) {
    this.#options = options;
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
  }

  room(targetKey: string): TargetRoom | undefined {
    return this.#rooms.get(targetKey);
  }

  /** The room of a Release's cluster, or why it has none. Throws when the home cluster cannot be asked. */
  async of(key: string, release: Release, signal: AbortSignal): Promise<TargetRoom | CannotAssess> {
    let target: Target;
    try {
      target = await this.#target(release, signal);
    } catch (error) {
      if (error instanceof TargetError) return { reason: error.fault, message: error.message };
      if (error instanceof ApiError && error.code === 403)
        return { reason: 'KubeConfigInvalid', message: error.message };
      throw error;
    }
    const room = this.#rooms.get(target.key) ?? this.#open(target);
    const before = this.#roomOf.get(key);
    if (before !== undefined && before !== room) this.forget(key);
    this.#roomOf.set(key, room);
    return room;
  }

  forget(key: string): void {
    const room = this.#roomOf.get(key);
    this.#roomOf.delete(key);
    if (room === undefined) return;
    room.gate.forget(key);
    if (!room.gate.unused) return;
    this.#rooms.delete(room.target.key);
    for (const [name, { target }] of this.#found) if (target.key === room.target.key) this.#found.delete(name);
  }

  async #target(release: Release, signal: AbortSignal): Promise<Target> {
    const { clock, targets } = this.#options;
    const { metadata, spec } = release;
    const reference = spec.target?.kubeConfig?.secretRef;
    // The account does not matter: health is read with the rights of the operator, or of the kubeconfig.
    const name = reference === undefined ? '' : `${metadata.namespace}/${reference.name}/${reference.key ?? ''}`;
    const known = this.#found.get(name);
    if (known !== undefined && clock.now() - known.at < STANDS) return known.target;
    this.#found.delete(name);
    const target = await targets.of(release, signal);
    this.#found.set(name, { at: clock.now(), target });
    return target;
  }

  #open(target: Target): TargetRoom {
    const { clock, wake } = this.#options;
    const signal = this.#signal ?? AbortSignal.abort();
    const gate = new ClusterGate({ clock, target, reads: READS, passes: PASSES, wake, signal });
    const room = {
      target,
      gate,
      looks: new ObjectLooks(clock, target, gate),
      causes: new Causes(clock, target, gate),
      related: new RelatedObjects(clock, target, gate),
    };
    this.#rooms.set(target.key, room);
    return room;
  }
}
