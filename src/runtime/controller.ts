import { assertNever } from '../core/object/assert-never.ts';
import type { Clock } from '../ports/clock.ts';
import { asError } from './as-error.ts';
import { pause } from './pause.ts';
import type { WorkQueue } from './work-queue.ts';

/**
 * What a reconcile that did not fail asks for.
 * - `done` nothing: the next event brings it back
 * - `again` soon, with the back-off of a failure
 * - `after` in so many ms, also without an event
 */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'again' }
  | { readonly kind: 'after'; readonly ms: number };

export const DONE: Result = { kind: 'done' };

/** Makes the world of one key as it should be. Level-based: the key says what to look at, not what happened. */
export interface Reconciler<Key> {
  /**
   * Throws a `TerminalError` when trying again is of no use until something changes; any other throw is tried again with a growing
   * wait. The signal aborts when the process stops or loses its right to act: end soon, and write no more.
   */
  reconcile(key: Key, signal: AbortSignal): Promise<Result>;
}

/** A failure that no second try mends; the key comes back when something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** How a reconcile ended: a result, or one of two failures. */
export type Outcome = Result | { readonly kind: 'terminal' | 'failed'; readonly error: Error };

export interface ControllerOptions<Key> {
  /** Names the controller in messages and metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly queue: WorkQueue<Key>;
  readonly reconciler: Reconciler<Key>;
  /** Resolves with false when the signal aborts first. Typically: all informers have synced. */
  readonly ready?: (signal: AbortSignal) => Promise<boolean>;
  /** Reconciles at once, of different keys. Default 1, as in controller-runtime. */
  readonly workers?: number;
  /** ms that running reconciles get to end after the stop. Default 30,000, as in controller-runtime. */
  readonly grace?: number;
  /** For logs and metrics; `duration` in ms. Does not throw. */
  readonly onOutcome?: (key: Key, outcome: Outcome, duration: number) => void;
}

/** Takes keys from a queue and reconciles them. */
export class Controller<Key> {
  readonly name: string;
  readonly #options: ControllerOptions<Key>;

  constructor(options: ControllerOptions<Key>) {
    this.name = options.name;
    this.#options = options;
  }

  /**
   * Works until the signal aborts: then takes nothing in any more, tells the running reconciles, and ends with the last of them. A
   * reconcile that does not end in its grace is left behind with an error. What waits in the queue is not begun: the next process
   * finds it in its lists.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, queue, ready, workers = 1, grace = 30_000 } = this.#options;
    const shutDown = (): void => queue.shutDown();
    signal.addEventListener('abort', shutDown, { once: true });
    if (signal.aborted) shutDown();
    if (ready && !(await ready(signal))) return;
    const ended = new AbortController();
    const working = Promise.all(Array.from({ length: workers }, () => this.#work(signal))).finally(() => ended.abort());
    const late = this.#afterStop(clock, grace, signal, ended.signal);
    const inTime = await Promise.race([working.then(() => true), late]);
    if (!inTime)
      throw new Error(`${this.name}: ${queue.numbers.running} reconciles did not end ${grace} ms after the stop`);
  }

  /** Resolves with false when the grace behind the stop is over; never when the work ends before. */
  async #afterStop(clock: Clock, grace: number, signal: AbortSignal, ended: AbortSignal): Promise<false> {
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        ended.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    const over = !ended.aborted && (await pause(clock, grace, ended));
    return over ? false : new Promise<false>(() => {});
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    while (!signal.aborted) {
      const key = await queue.get(signal);
      if (key === undefined) return;
      if (!signal.aborted) await this.#handle(key, signal);
      queue.done(key);
    }
  }

  async #handle(key: Key, signal: AbortSignal): Promise<void> {
    const { clock, onOutcome } = this.#options;
    const start = clock.now();
    const outcome = await this.#outcome(key, signal);
    onOutcome?.(key, outcome, clock.now() - start);
    this.#follow(key, outcome);
  }

  async #outcome(key: Key, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.#options.reconciler.reconcile(key, signal);
    } catch (thrown) {
      const error = asError(thrown);
      return { kind: error instanceof TerminalError ? 'terminal' : 'failed', error };
    }
  }

  /** The one place that says what an outcome means for the queue; as controller-runtime's `reconcileHandler`. */
  #follow(key: Key, outcome: Outcome): void {
    const { queue } = this.#options;
    switch (outcome.kind) {
      case 'failed':
      case 'again':
        queue.addRateLimited(key);
        return;
      case 'after':
        // A wait that was asked for is no failure: the next failure begins its back-off anew.
        queue.forget(key);
        queue.addAfter(key, outcome.ms);
        return;
      case 'terminal':
      case 'done':
        queue.forget(key);
        return;
      default:
        assertNever(outcome);
    }
  }
}
