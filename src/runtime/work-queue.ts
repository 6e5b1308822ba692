import type { Clock } from '../ports/clock.ts';
import { FairOrder } from './fair-order.ts';
import { controllerRateLimiter, type RateLimiter } from './rate-limiter.ts';

export interface WorkQueueOptions<Key> {
  readonly clock: Clock;
  /** Default: `controllerRateLimiter`. */
  readonly rateLimiter?: RateLimiter<Key>;
  /** Keys of one group wait for each other, groups take turns. Default: all keys are one group. */
  readonly groupOf?: (key: Key) => string;
}

/** Numbers of a queue for metrics. Counters only grow. */
export interface WorkQueueNumbers {
  /** Keys that wait to be taken. */
  readonly depth: number;
  /** Keys that are being worked on. */
  readonly running: number;
  /** Keys whose time has not come. */
  readonly delayed: number;
  /** Keys that became due; a key that was due already does not count again. */
  readonly adds: number;
  /** Calls of `addRateLimited`. */
  readonly retries: number;
}

/** What a wait that is no longer needed ends with; one for all, because an error costs its stack. */
const NOT_NEEDED = new Error('the key is due at another time');

interface Delayed {
  readonly due: number;
  readonly timer: AbortController;
}

/**
 * client-go's rate-limiting work queue. Laws:
 * - a key that waits is there once, however often it is added;
 * - a key is never worked on twice at once: what is added while it runs comes back when it is done;
 * - every `add` is followed by a `get` that begins after it, unless the queue is shut down first;
 * - of several delays of one key the earliest counts.
 *
 * It is bounded by the number of different keys. Keys are compared as in a Map.
 */
export class WorkQueue<Key> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<Key>;
  readonly #order: FairOrder<Key>;
  /** Keys that have to be worked on: those in #order, and those that were added while they run. */
  readonly #dirty = new Set<Key>();
  readonly #processing = new Set<Key>();
  readonly #delayed = new Map<Key, Delayed>();
  /** Those that wait for a key, with the signals that end their wait. */
  readonly #takers = new Map<(key: Key | undefined) => void, AbortSignal | undefined>();
  /** Signals that are listened to: once each, for a listener of every wait would make all others of that signal dear. */
  readonly #heard = new WeakSet<AbortSignal>();
  readonly #drained = new Set<() => void>();
  #down = false;
  #adds = 0;
  #retries = 0;

  constructor({ clock, rateLimiter, groupOf }: WorkQueueOptions<Key>) {
    this.#clock = clock;
    this.#limiter = rateLimiter ?? controllerRateLimiter(clock);
    this.#order = new FairOrder(groupOf);
  }

  get numbers(): WorkQueueNumbers {
    return {
      depth: this.#order.size,
      running: this.#processing.size,
      delayed: this.#delayed.size,
      adds: this.#adds,
      retries: this.#retries,
    };
  }

  get shuttingDown(): boolean {
    return this.#down;
  }

  add(key: Key): void {
    if (this.#down || this.#dirty.has(key)) return;
    this.#adds += 1;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#push(key);
  }

  /** Adds the key in `ms`; at once if that is not positive. */
  addAfter(key: Key, ms: number): void {
    if (this.#down) return;
    if (!(ms > 0)) {
      this.add(key);
      return;
    }
    const due = this.#clock.now() + ms;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.timer.abort(NOT_NEEDED);
    const delayed = { due, timer: new AbortController() };
    this.#delayed.set(key, delayed);
    void this.#addWhenDue(key, ms, delayed);
  }

  /** Adds the key when the rate limiter says so. */
  addRateLimited(key: Key): void {
    if (this.#down) return;
    this.#retries += 1;
    this.addAfter(key, this.#limiter.when(key));
  }

  /** Ends the back-off of a key. Does not remove the key. */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  /** How often the key was added by `addRateLimited` since it was last forgotten. */
  retries(key: Key): number {
    return this.#limiter.retries(key);
  }

  /**
   * The next key, which the caller has to give to `done`; waits for one. Undefined: the queue is shut down and empty, or the
   * signal was aborted.
   */
  get(signal?: AbortSignal): Promise<Key | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    if (this.#order.size > 0) return Promise.resolve(this.#take());
    if (this.#down) return Promise.resolve(undefined);
    if (signal !== undefined) this.#hear(signal);
    return new Promise((resolve) => {
      const taker = (key: Key | undefined): void => {
        this.#takers.delete(taker);
        resolve(key);
      };
      this.#takers.set(taker, signal);
    });
  }

  /** Says that the work on a key has ended. */
  done(key: Key): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#push(key);
    if (this.#processing.size === 0) this.#tellDrained();
  }

  /** Takes nothing in any more and drops what is delayed; what waits is still handed out. */
  shutDown(): void {
    this.#down = true;
    for (const { timer } of this.#delayed.values()) timer.abort(NOT_NEEDED);
    this.#delayed.clear();
    for (const taker of [...this.#takers.keys()]) taker(undefined);
  }

  /** As `shutDown`; resolves when no key is being worked on and none waits. Somebody has to go on calling `get` and `done`. */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
    while (this.#processing.size > 0 || this.#order.size > 0) {
      await new Promise<void>((resolve) => this.#drained.add(resolve));
    }
  }

  async #addWhenDue(key: Key, ms: number, delayed: Delayed): Promise<void> {
    try {
      await this.#clock.sleep(ms, delayed.timer.signal);
    } catch {
      return;
    }
    if (this.#delayed.get(key) !== delayed) return;
    this.#delayed.delete(key);
    this.add(key);
  }

  #hear(signal: AbortSignal): void {
    if (this.#heard.has(signal)) return;
    this.#heard.add(signal);
    const abort = (): void => {
      for (const [taker, its] of [...this.#takers]) if (its === signal) taker(undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
  }

  #push(key: Key): void {
    this.#order.push(key);
    const [taker] = this.#takers.keys();
    if (taker) taker(this.#take());
  }

  #take(): Key | undefined {
    const key = this.#order.shift();
    if (key === undefined) return undefined;
    this.#processing.add(key);
    this.#dirty.delete(key);
    return key;
  }

  #tellDrained(): void {
    for (const tell of this.#drained) tell();
    this.#drained.clear();
  }
}
