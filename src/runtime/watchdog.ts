import type { Clock } from '../ports/clock.ts';
import type { WatchEvent } from '../ports/cluster.ts';
import { pause } from './pause.ts';

/** Barks once when nobody has touched it for a time. One timer sleeps at a time, however often it is touched. */
export class Watchdog {
  readonly #clock: Clock;
  #silence: number;
  #end: number;
  #touched: number;

  /** `silence` and `total` in ms; behind `total` touching does not help. */
  constructor(clock: Clock, silence: number, total = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#silence = silence;
    this.#touched = clock.now();
    this.#end = this.#touched + total;
  }

  touch(): void {
    this.#touched = this.#clock.now();
  }

  /** From now on only silence counts, and one of `silence` ms at least as long as before. */
  relax(silence: number): void {
    this.#silence = silence;
    this.#end = Number.POSITIVE_INFINITY;
    this.touch();
  }

  /** Ends when it has barked or the signal aborts. */
  async guard(signal: AbortSignal, bark: () => void): Promise<void> {
    for (;;) {
      const left = Math.min(this.#touched + this.#silence, this.#end) - this.#clock.now();
      if (left <= 0) break;
      if (!(await pause(this.#clock, left, signal))) return;
    }
    if (!signal.aborted) bark();
  }
}

/** A stream sent nothing for longer than a living one does. */
export class SilentWatchError extends Error {
  override readonly name = 'SilentWatchError';
}

/**
 * Hands the events of a stream on, one after the other, each of which touches the dog. Ends as the stream does, quietly when the
 * signal aborts, and with a `SilentWatchError` when the dog barks. No timer and no listener stays behind.
 */
export async function guarded(
  open: (signal: AbortSignal) => AsyncIterable<WatchEvent>,
  dog: Watchdog,
  signal: AbortSignal,
  take: (event: WatchEvent) => Promise<void> | undefined,
): Promise<void> {
  const stream = new AbortController();
  const abort = (): void => stream.abort();
  let silent = false;
  if (signal.aborted) return;
  signal.addEventListener('abort', abort, { once: true });
  void dog.guard(stream.signal, () => {
    silent = true;
    abort();
  });
  try {
    for await (const event of open(stream.signal)) {
      if (stream.signal.aborted) break;
      dog.touch();
      const work = take(event);
      if (work !== undefined) await work;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    abort();
  }
  if (silent) throw new SilentWatchError('the watch sent neither an event nor a bookmark');
}
