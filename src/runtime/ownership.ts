import { createHash } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import { aborted, pause } from './pause.ts';
import type { Shards } from './shards.ts';

/** `isGained`: whether an object (by its uid) is one of those that were gained. */
export type GainListener = (isGained: (uid: string) => boolean) => void;

/** For which objects this process answers. */
export interface Ownership {
  /** Whether it answers for the object with this uid, and will for at least `ms` (default 0) more. */
  owns(uid: string, ms?: number): boolean;
  /** Whether it answers for anything at all. */
  readonly some: boolean;
  /** Calls the listener whenever it answers for more than before. Returns what takes the listener away. */
  onGain(listener: GainListener): () => void;
}

/** One process that answers for everything. */
export const OWNS_ALL: Ownership = { owns: () => true, some: true, onGain: () => () => {} };

/** The shard that an object belongs to: the first 48 bits of a hash of its uid, modulo the number of shards. */
export function shardOf(uid: string, count: number): number {
  return createHash('sha256').update(uid).digest().readUIntBE(0, 6) % count;
}

export interface ShardOwnershipOptions {
  readonly clock: Clock;
  readonly shards: Pick<Shards, 'run' | 'actingFor'>;
  readonly count: number;
  /** ms that an effect which was begun may take. A shard is given away no earlier than that after its last effect may have begun. */
  readonly effectLimit: number;
}

/** Answers for the objects of those shards whose leases this process holds. */
export class ShardOwnership implements Ownership {
  readonly #options: ShardOwnershipOptions;
  /** Shards on which work may begin. */
  readonly #mine = new Set<number>();
  readonly #listeners = new Set<GainListener>();

  constructor(options: ShardOwnershipOptions) {
    this.#options = options;
  }

  owns(uid: string, ms = 0): boolean {
    const shard = shardOf(uid, this.#options.count);
    return this.#mine.has(shard) && this.#options.shards.actingFor(shard) > ms;
  }

  get some(): boolean {
    return this.#mine.size > 0;
  }

  onGain(listener: GainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes part in the division of shards until the signal aborts. `idle` aborts when nothing works any more: then shards are given
   * away at once, and not only when an effect that had begun must have ended.
   */
  async run(signal: AbortSignal, idle: AbortSignal): Promise<void> {
    const { clock, shards, effectLimit } = this.#options;
    await shards.run(signal, async (shard, term) => {
      this.#mine.add(shard);
      const isGained = (uid: string): boolean => shardOf(uid, this.#options.count) === shard;
      for (const listener of [...this.#listeners]) listener(isGained);
      try {
        await aborted(term);
      } finally {
        this.#mine.delete(shard);
      }
      if (!idle.aborted) await pause(clock, effectLimit, idle);
    });
  }
}

/** ms that are waited for more before something begins anew: shards are often won several at a time. */
const MORE_GAINS = 250;

/**
 * Does a work that looks at all objects when it begins, and hears only of changes later: it is begun anew with each gain. While
 * nothing is owned there is none. Ends when the signal aborts; throws what the work throws.
 */
export async function workAnew(
  ownership: Ownership,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let gained = new AbortController();
  const remove = ownership.onGain(() => gained.abort());
  try {
    while (!signal.aborted) {
      const term = AbortSignal.any([signal, gained.signal]);
      await (ownership.some ? work(term) : aborted(term));
      if (gained.signal.aborted) await pause(clock, MORE_GAINS, signal);
      gained = gained.signal.aborted ? new AbortController() : gained;
      if (!term.aborted) return;
    }
  } finally {
    remove();
  }
}
