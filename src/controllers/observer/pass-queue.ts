import type { Clock } from '../../ports/clock.ts';
import type { WorkQueue } from '../../runtime/work-queue.ts';

/** ms between two passes over one Release that events ask for. */
const PAUSE = 100;

/**
 * Brings Releases to their next pass: the first event at once, since a delay behind it would be a delay of every verdict; those behind
 * it together, 100 ms after the pass before began.
 */
export class PassQueue {
  readonly #clock: Clock;
  readonly #queue: WorkQueue<string>;
  readonly #began = new Map<string, number>();
  /** When the first event came that no pass has answered yet. */
  readonly #since = new Map<string, number>();

  constructor(clock: Clock, queue: WorkQueue<string>) {
    this.#clock = clock;
    this.#queue = queue;
  }

  /** Something happened that may change what is known of the Release. */
  event(key: string): void {
    const now = this.#clock.now();
    if (!this.#since.has(key)) this.#since.set(key, now);
    const wait = (this.#began.get(key) ?? Number.NEGATIVE_INFINITY) + PAUSE - now;
    if (wait > 0) this.#queue.addAfter(key, wait);
    else this.#queue.add(key);
  }

  /** A pass begins. Returns when the first event came that it answers, ms since 1970; undefined: none did. */
  begin(key: string): number | undefined {
    this.#began.set(key, this.#clock.now());
    const since = this.#since.get(key);
    this.#since.delete(key);
    return since;
  }

  /** The pass could not begin after all: it is brought back by whoever made it wait, without a pause. `since` is what `begin` gave. */
  postpone(key: string, since: number | undefined): void {
    this.#began.delete(key);
    if (since !== undefined && !this.#since.has(key)) this.#since.set(key, since);
  }

  /** Releases of which something is remembered. */
  get size(): number {
    return new Set([...this.#began.keys(), ...this.#since.keys()]).size;
  }

  forget(key: string): void {
    this.#began.delete(key);
    this.#since.delete(key);
  }
}
