import type { Clock } from '../../ports/clock.ts';

/** Something changed, and perhaps again before anybody looked: one look sees it all. */
export class Changes {
  #changed = false;
  #wake: (() => void) | undefined;

  mark(): void {
    this.#changed = true;
    this.#wake?.();
  }

  /** Resolves when something has changed since the last time it did, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      this.#wake = undefined;
    }
    this.#changed = false;
  }
}

/** A timer that is set anew each time. Does nothing any more when its signal aborts. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  readonly #end: AbortSignal;
  #set: AbortController | undefined;

  constructor(clock: Clock, ring: () => void, end: AbortSignal) {
    this.#clock = clock;
    this.#ring = ring;
    this.#end = end;
    end.addEventListener('abort', () => this.#set?.abort(), { once: true });
  }

  /** In so many ms, instead of what was set before; undefined: not at all. */
  set(ms: number | undefined): void {
    this.#set?.abort();
    this.#set = undefined;
    if (ms === undefined || this.#end.aborted) return;
    this.#set = new AbortController();
    this.#clock.sleep(ms, this.#set.signal).then(this.#ring, () => undefined);
  }
}
