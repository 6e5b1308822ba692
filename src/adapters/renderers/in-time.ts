import type { Clock } from '../../ports/clock.ts';
import { SourceError } from '../../ports/renderer.ts';

const DONE = new Error('done in time');

/**
 * Does a work with a signal that aborts after `ms`, or when the caller's does. The work must heed it.
 * @throws SourceError when it was late, the caller's reason, or what the work throws
 */
export async function inTime<Result>(
  clock: Clock,
  ms: number,
  what: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const done = new AbortController();
  const abort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  clock.sleep(ms, done.signal).then(
    () => stop.abort(new SourceError(`${what} did not end within ${ms / 1000} s; it is tried again`, 'retry')),
    () => undefined,
  );
  try {
    return await work(stop.signal);
  } catch (error) {
    // What a work says when it is ended is of no interest: why it was ended is.
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    done.abort(DONE);
    signal.removeEventListener('abort', abort);
  }
}
