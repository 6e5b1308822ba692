import type { Clock } from '../../ports/clock.ts';

/** What a sleep that is no longer needed ends with; one for all, because an error costs its stack. */
const DONE = new Error('done in time');

/** Many deadlines by one timer: most works end long before theirs, and a timer for each would cost more than all the rest of it. */
export class Deadlines {
  readonly #clock: Clock;
  /** What is called, and when (ms of the clock). */
  readonly #due = new Map<() => void, number>();
  #timer: { readonly at: number; readonly stop: AbortController } | undefined;
  #tidying = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back in `ms`. Returns what takes that away. */
  set(ms: number, call: () => void): () => void {
    const at = this.#clock.now() + ms;
    this.#due.set(call, at);
    if (this.#timer === undefined || at < this.#timer.at) this.#sleep(at, ms);
    return () => {
      this.#due.delete(call);
      if (this.#due.size === 0) this.#tidy();
    };
  }

  /** A timer that nobody needs would keep the process alive. But of works in a row, the next begins in the same turn. */
  #tidy(): void {
    if (this.#tidying) return;
    this.#tidying = true;
    setImmediate(() => {
      this.#tidying = false;
      if (this.#due.size > 0) return;
      this.#timer?.stop.abort(DONE);
      this.#timer = undefined;
    });
  }

  #sleep(at: number, ms: number): void {
    this.#timer?.stop.abort(DONE);
    const timer = { at, stop: new AbortController() };
    this.#timer = timer;
    this.#clock.sleep(ms, timer.stop.signal).then(
      () => this.#ring(timer.at),
      () => undefined,
    );
  }

  #ring(now: number): void {
    this.#timer = undefined;
    for (const [call, at] of [...this.#due]) {
      if (at > now) continue;
      this.#due.delete(call);
      call();
    }
    this.#sleepUntilNext();
  }

  /** What was called may have set a deadline, and with it a timer, and not for the next. */
  #sleepUntilNext(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const at of this.#due.values()) next = Math.min(next, at);
    const isLate = this.#timer === undefined || next < this.#timer.at;
    if (this.#due.size > 0 && isLate) this.#sleep(next, Math.max(0, next - this.#clock.now()));
  }
}

export interface Deadline {
  readonly clock: Clock;
  /** Of works that are many and short. */
  readonly deadlines?: Deadlines;
  readonly ms: number;
  /** The error of a work that is late. */
  late(): Error;
  /** Signals that end the work early, with their reasons. */
  readonly signals?: readonly (AbortSignal | undefined)[];
}

/** Does a work with a signal that aborts at the deadline, or with the first of the signals given. The work must heed it. */
export async function inTime<Result>(
  { clock, deadlines = new Deadlines(clock), ms, late, signals = [] }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.throwIfAborted();
  const stop = new AbortController();
  // By hand and not by AbortSignal.any: signals of a caller live long, and nothing of ours may stay on them.
  const abort = (event: Event): void => {
    const { target } = event;
    stop.abort(target instanceof AbortSignal ? target.reason : undefined);
  };
  for (const signal of given) signal.addEventListener('abort', abort, { once: true });
  const done = deadlines.set(ms, () => stop.abort(late()));
  try {
    return await work(stop.signal);
  } finally {
    done();
    for (const signal of given) signal.removeEventListener('abort', abort);
  }
}

/** The promise, or the reason of the signal when it aborts first. What the promise stands for goes on. */
export async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
  }
}
