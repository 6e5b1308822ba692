import type { Clock } from '../ports/clock.ts';
import { asError } from './as-error.ts';
import type { Informer } from './informer.ts';
import type { LeaderElection } from './leader-election.ts';
import { aborted, pause } from './pause.ts';

/** Something that works until its signal aborts. A throw, or an end before that, stops the whole manager. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly clock: Clock;
  /** Followed from the start, also without leadership: caches are warm when the lease is won. */
  readonly informers: readonly Informer[];
  /** Run from the start, as soon as the caches have synced: servers, observers. */
  readonly always?: readonly Runnable[];
  /** Run while this process leads; as `always` if there is no election. */
  readonly leading?: readonly Runnable[];
  readonly election?: LeaderElection;
  /** ms for everything to end after the stop. Default 30,000, as in controller-runtime. */
  readonly grace?: number;
}

/** A runnable ended or failed although nobody had told it to stop. */
export class RunnableFailedError extends Error {
  override readonly name = 'RunnableFailedError';
}

/**
 * Starts what a process consists of in its order and stops it in the opposite one: informers, then what always runs, then the
 * election and what leads; at the stop first what leads, with the lease given away behind it, then what always runs, then informers.
 */
export class Manager {
  readonly #options: ManagerOptions;

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Whether all caches hold their first list. */
  get synced(): boolean {
    return this.#options.informers.every(({ hasSynced }) => hasSynced);
  }

  /**
   * Ends when the signal aborts and everything has stopped. Throws the first failure of a part, after the others have been stopped,
   * or an error that says that the grace was too short.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, always = [], leading = [], election, grace = 30_000 } = this.#options;
    const failures: Error[] = [];
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const fail = (error: unknown): void => {
      failures.push(asError(error));
      abort();
    };
    const reading = new AbortController();
    const serving = new AbortController();
    const finished = new AbortController();
    const readers = this.#options.informers.map((informer) => informer.run(reading.signal).catch(fail));
    const work = async (): Promise<void> => {
      const ready = await this.#allSynced(stop.signal);
      const servers = ready ? always.map((part) => watched(part, serving.signal).catch(fail)) : [];
      if (ready) await this.#lead(election, leading, stop.signal, fail);
      serving.abort();
      await Promise.all(servers);
      reading.abort();
      await Promise.all(readers);
    };
    const inTime = work().then(() => true as const);
    const late = this.#graceOver(clock, grace, stop.signal, finished.signal);
    const ended = await Promise.race([inTime, late]);
    for (const part of [finished, serving, reading]) part.abort();
    signal.removeEventListener('abort', abort);
    if (failures[0]) throw failures[0];
    if (!ended) throw new Error(`not everything ended ${grace} ms after the stop`);
  }

  async #allSynced(signal: AbortSignal): Promise<boolean> {
    const all = await Promise.all(this.#options.informers.map((informer) => informer.synced(signal)));
    return !signal.aborted && all.every((synced) => synced);
  }

  /** Ends with the stop. */
  async #lead(
    election: LeaderElection | undefined,
    leading: readonly Runnable[],
    stop: AbortSignal,
    fail: (error: unknown) => void,
  ): Promise<void> {
    const lead = async (signal: AbortSignal): Promise<void> => {
      const parts = leading.map((part) => watched(part, signal).catch(fail));
      await aborted(signal);
      await Promise.all(parts);
    };
    try {
      if (election) await election.run(stop, lead);
      else await lead(stop);
    } catch (error) {
      fail(error);
    }
  }

  /** Resolves with false when the grace behind the stop is over; never when all has ended before. */
  async #graceOver(clock: Clock, grace: number, stop: AbortSignal, finished: AbortSignal): Promise<false> {
    await Promise.race([aborted(stop), aborted(finished)]);
    if (!finished.aborted && (await pause(clock, grace, finished))) return false;
    return new Promise<false>(() => {});
  }
}

/** Fails when the part ends although it was not told to. */
async function watched(part: Runnable, signal: AbortSignal): Promise<void> {
  await part.run(signal);
  if (!signal.aborted) throw new RunnableFailedError(`${part.name} ended by itself`);
}
