import type { Clock } from '../../ports/clock.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';

/** Consecutive failures that open it. */
const THRESHOLD = 5;
/** ms it stays open, doubled with each failed probe up to the longest: a server that is back must be seen within seconds. */
const FIRST_REST = 500;
const LONGEST_REST = 2000;

/**
 * Spares a cluster that cannot be asked, and those who ask: after five transport failures in a row, calls fail at once for a
 * short while; then one call is let through to see.
 */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  #rest = FIRST_REST;
  #openUntil = 0;
  #probing = false;
  #last: TransportError | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work. @throws TransportError (`open`) instead of doing it, while open */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const probe = this.#enter();
    try {
      const result = await work();
      this.#succeed();
      return result;
    } catch (error) {
      if (error instanceof ApiError) this.#succeed();
      // No credentials: the cluster has no part in it.
      else if (error instanceof TransportError && error.fault !== 'credentials') this.#fail(error);
      throw error;
    } finally {
      if (probe) this.#probing = false;
    }
  }

  #enter(): boolean {
    if (this.#failures < THRESHOLD || !this.#last) return false;
    if (this.#probing || this.#clock.now() < this.#openUntil) {
      throw new TransportError(
        'open',
        `${this.#last.message} (failed ${this.#failures} times in a row; waiting a moment)`,
        {
          cause: this.#last,
        },
      );
    }
    this.#probing = true;
    return true;
  }

  #succeed(): void {
    this.#failures = 0;
    this.#rest = FIRST_REST;
  }

  #fail(error: TransportError): void {
    this.#failures += 1;
    this.#last = error;
    if (this.#failures < THRESHOLD) return;
    // Between half and the whole rest, so that many clients do not come back at one time.
    this.#openUntil = this.#clock.now() + this.#rest * (0.5 + this.#clock.random() / 2);
    this.#rest = Math.min(LONGEST_REST, this.#rest * 2);
  }
}
