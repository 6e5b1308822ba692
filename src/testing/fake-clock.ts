import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * A clock that stands until a test moves it. Sleepers wake in the order of their due times, those of one time in the order in
 * which they went to sleep, and all that follows from one waking has happened before the next: a run depends on its seed alone.
 */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  #state: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(seed = 1, now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
    this.#state = seed >>> 0;
  }

  /** How many sleep: 0 after a clean stop. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper = { due: this.#now + Math.max(0, ms), order: this.#order++, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** The generator mulberry32 of the public domain: 32 bits of state are enough for jitter. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Moves the time on by `ms`, waking on the way. */
  async advance(ms: number): Promise<void> {
    await this.advanceUntil(() => false, ms);
  }

  /** As `advance`, but stops as soon as the condition holds. Returns whether it does. */
  async advanceUntil(condition: () => boolean, ms: number): Promise<boolean> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      if (condition()) return true;
      const next = this.#next();
      if (next === undefined || next.due > end) break;
      this.#sleepers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await settled();
    }
    this.#now = end;
    return condition();
  }

  #next(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of this.#sleepers) {
      if (first === undefined || one.due < first.due || (one.due === first.due && one.order < first.order)) first = one;
    }
    return first;
  }
}

/** Resolves when everything that can go on without time passing has gone on. */
export async function settled(): Promise<void> {
  await nextTurn();
}
