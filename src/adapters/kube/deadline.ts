import type { Clock } from '../../ports/clock.ts';

/** What a sleep that is no longer needed ends with; one for all, because an error costs its stack. */
const DONE = new Error('done in time');

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** The error of a work that is late. */
  late(): Error;
  /** Signals that end the work early, with their reasons. */
  readonly signals?: readonly (AbortSignal | undefined)[];
}

/** Does a work with a signal that aborts at the deadline, or with the first of the signals given. The work must heed it. */
export async function inTime<Result>(
  { clock, ms, late, signals = [] }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.throwIfAborted();
  const stop = new AbortController();
  const done = new AbortController();
  // By hand and not by AbortSignal.any: signals of a caller live long, and nothing of ours may stay on them.
  const abort = (event: Event): void => {
    const { target } = event;
    stop.abort(target instanceof AbortSignal ? target.reason : undefined);
  };
  for (const signal of given) signal.addEventListener('abort', abort, { once: true });
  clock.sleep(ms, done.signal).then(
    () => stop.abort(late()),
    () => undefined,
  );
  try {
    return await work(stop.signal);
  } finally {
    done.abort(DONE);
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
