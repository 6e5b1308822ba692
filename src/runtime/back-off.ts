import type { Clock } from '../ports/clock.ts';
import { ApiError, TransportError } from '../ports/errors.ts';

/** client-go's reflector begins with 800 ms. */
const BASE = 800;
/** client-go's reflector waits at most 30 s for a server that answers with errors. */
const MAX = 30_000;
/** A server that cannot be reached is asked more often, so that nobody is blind for more than 5 s after it has come back. */
const MAX_UNREACHABLE = 3_000;

/** Growing waits between tries of a read, spread so that not all readers of a server come back at once. */
export class BackOff {
  readonly #clock: Clock;
  #failures = 0;
  #unreachable = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** ms until the next try: doubled at each call, between half of it and all of it; not before the server's Retry-After. The first answer
   * of a server that could not be reached begins anew. */
  after(error: unknown): number {
    const unreachable = error instanceof TransportError;
    // It is back, and refuses the first calls while it starts: what its absence has added up to says nothing about that.
    if (this.#unreachable && !unreachable) this.reset();
    this.#unreachable = unreachable;
    const max = unreachable ? MAX_UNREACHABLE : MAX;
    const whole = Math.min(max, BASE * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
    return Math.max(asked, whole * (0.5 + this.#clock.random() / 2));
  }
}
