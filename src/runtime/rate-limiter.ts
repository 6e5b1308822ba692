import type { Clock } from '../ports/clock.ts';

/** Says how long a key has to wait before its next try; each call of `when` counts as one. */
export interface RateLimiter<Key> {
  /** ms. */
  when(key: Key): number;
  /** Ends the counting of a key: it works again, or nobody tries any more. */
  forget(key: Key): void;
  /** Tries since the key was last forgotten. */
  retries(key: Key): number;
}

/** Doubles the wait of a key at each failure. client-go's default for controllers: 5 ms up to 1,000 s. */
export class ExponentialRateLimiter<Key> implements RateLimiter<Key> {
  readonly #failures = new Map<Key, number>();
  readonly #base: number;
  readonly #max: number;

  constructor(base = 5, max = 1_000_000) {
    this.#base = base;
    this.#max = max;
  }

  when(key: Key): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(this.#base * 2 ** failures, this.#max);
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  retries(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }
}

/**
 * All keys together draw tokens from one bucket. A token that is not there yet is reserved, and the wait is the time until it
 * comes, as `Reserve` of golang.org/x/time/rate does. client-go's default for controllers: 10 a second, 100 at once.
 */
export class BucketRateLimiter<Key> implements RateLimiter<Key> {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, perSecond = 10, burst = 100) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  when(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000;
  }

  forget(): void {}

  retries(): number {
    return 0;
  }
}

/** The longest wait that any of several limiters asks for. */
export class MaxOfRateLimiter<Key> implements RateLimiter<Key> {
  readonly #limiters: readonly RateLimiter<Key>[];

  constructor(...limiters: readonly RateLimiter<Key>[]) {
    this.#limiters = limiters;
  }

  when(key: Key): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: Key): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  retries(key: Key): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.retries(key)));
  }
}

/** client-go's `DefaultTypedControllerRateLimiter`: per key 5 ms doubling to 1,000 s, all together 10 a second with 100 at once. */
export function controllerRateLimiter<Key>(clock: Clock): RateLimiter<Key> {
  return new MaxOfRateLimiter(new ExponentialRateLimiter<Key>(), new BucketRateLimiter<Key>(clock));
}
