import type { Clock } from '../../ports/clock.ts';
import { TransportError } from '../../ports/errors.ts';

/** Made once: a reason of its own for each would carry a stack that nobody reads. */
const OVER = new Error('the work has ended');

/** The result of the work, or a timeout when it takes longer than `ms`; its signal aborts then. */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const abort = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const late = clock.sleep(ms, ended.signal).then(() => {
    throw new TransportError('timeout', `no answer within ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work(ended.signal), late]);
  } finally {
    signal.removeEventListener('abort', abort);
    ended.abort(OVER);
    // Its rejection is of no interest once the work has ended.
    late.catch(() => {});
  }
}
