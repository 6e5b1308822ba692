import type { Clock } from '../ports/clock.ts';
import { asError } from './as-error.ts';
import type { Lease, LeaseTimes } from './lease.ts';
import { pause } from './pause.ts';

export interface TermOptions {
  readonly clock: Clock;
  readonly lease: Lease;
  readonly times: LeaseTimes;
  /** A call that failed because the cluster could not be asked; it is tried again. */
  readonly onError?: (error: Error) => void;
}

/** One try to acquire or renew; false also when the cluster could not be asked. */
export async function attempt({ lease, onError }: TermOptions, signal: AbortSignal): Promise<boolean> {
  try {
    // An attempt that won after its deadline has not won: the time to act was over before it began.
    return (await lease.attempt(signal)) && lease.acting;
  } catch (error) {
    if (!signal.aborted) onError?.(asError(error));
    return false;
  }
}

/** Gives the lease away, if it is held. */
export async function release({ lease, onError }: TermOptions): Promise<void> {
  try {
    await lease.release();
  } catch (error) {
    onError?.(asError(error));
  }
}

/**
 * Does work under a lease that is held. The work gets a signal that aborts at the stop and at the loss of the lease; it may act while
 * the signal is not aborted. At a stop the lease is renewed until the work has ended, then given away. Returns how the term ended;
 * throws what the work throws.
 */
export async function holdTerm(
  options: TermOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<'ended' | 'lost'> {
  const term = new AbortController();
  const over = new AbortController();
  const stop = (): void => term.abort();
  let lost = false;
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const renewing = renew(options, over.signal);
  const guarding = untilLost(options, over.signal, () => {
    lost = true;
    stop();
  });
  try {
    await work(term.signal);
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort();
    await Promise.all([renewing, guarding]);
    await release(options);
  }
  return lost ? 'lost' : 'ended';
}

/** Renews until it is over. A lease that was lost is not taken again: the work has been told. */
async function renew(options: TermOptions, over: AbortSignal): Promise<void> {
  const { clock, lease, times } = options;
  while ((await pause(clock, times.retryPeriod, over)) && lease.acting) await attempt(options, over);
}

async function untilLost({ clock, lease }: TermOptions, over: AbortSignal, lose: () => void): Promise<void> {
  for (;;) {
    const left = lease.actingUntil - clock.now();
    if (left <= 0) {
      lose();
      return;
    }
    if (!(await pause(clock, left, over))) return;
  }
}
