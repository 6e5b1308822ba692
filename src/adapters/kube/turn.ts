import type { Clock } from '../../ports/clock.ts';

/** ms of reading after which others get their turn: a fifth of what would be noticed. */
const LONGEST = 10;
/** Bytes of JSON that are read in about a millisecond: the clock need not be asked more often. */
const SHORT = 64 * 1024;

/** A long work that leaves the process to others from time to time. */
export class Turn {
  readonly #clock: Clock;
  #start: number;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** Whether others should get their turn, after so many bytes more were read. */
  isOverAfter(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < SHORT) return false;
    this.#bytes = 0;
    return this.#clock.now() - this.#start >= LONGEST;
  }

  /** Resolves when everything else that was due has been done. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#start = this.#clock.now();
  }
}
