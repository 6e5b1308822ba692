import type { Clock } from '../ports/clock.ts';
import type { Lease, LeaseTimes } from './lease.ts';
import { pause } from './pause.ts';

/** The lease could not be renewed in time, or somebody else has it. The process ends: a new one starts without stale state. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

export interface LeaderElectionOptions {
  readonly clock: Clock;
  readonly lease: Lease;
  readonly times: LeaseTimes;
  /** A try that failed because the cluster could not be asked; it is tried again. */
  readonly onError?: (error: Error) => void;
}

/** client-go's JitterFactor: candidates come at different times. */
const JITTER = 1.2;

/**
 * Leads when the lease is won. `lead` gets a signal that aborts at the stop and at the loss of the lease; it may act while the signal
 * is not aborted. At a stop the lease is renewed until `lead` has ended, then given away.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  get leading(): boolean {
    return this.#options.lease.acting;
  }

  /** Ends when the signal aborts or `lead` ends, in both cases without the lease. Throws what `lead` throws, or `LeadershipLostError`. */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, lease, times } = this.#options;
    while (!(await this.#attempt(signal))) {
      const wait = times.retryPeriod * (1 + JITTER * clock.random());
      if (signal.aborted || !(await pause(clock, wait, signal))) break;
    }
    if (signal.aborted) return this.#release();
    const term = new AbortController();
    const over = new AbortController();
    const stop = (): void => term.abort();
    signal.addEventListener('abort', stop, { once: true });
    const renewing = this.#renew(over.signal);
    let lost = false;
    const keeping = this.#untilLost(over.signal, () => {
      lost = true;
      stop();
    });
    try {
      await lead(term.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
      await Promise.all([renewing, keeping]);
      await this.#release();
    }
    if (lost && !signal.aborted) throw new LeadershipLostError(`the lease ${lease.name} could not be renewed in time`);
  }

  /** Renews until it is over. A lease that is lost is not taken again: `lead` has been told. */
  async #renew(over: AbortSignal): Promise<void> {
    const { clock, lease, times } = this.#options;
    while ((await pause(clock, times.retryPeriod, over)) && lease.acting) await this.#attempt(over);
  }

  async #untilLost(over: AbortSignal, lose: () => void): Promise<void> {
    const { clock, lease } = this.#options;
    for (;;) {
      const left = lease.actingUntil - clock.now();
      if (left <= 0) return lose();
      if (!(await pause(clock, left, over))) return;
    }
  }

  async #attempt(signal: AbortSignal): Promise<boolean> {
    return this.#tried(async () => {
      // An attempt that won after its deadline has not won: the time to act is over before it begins.
      return (await this.#options.lease.attempt(signal)) && this.#options.lease.acting;
    });
  }

  async #release(): Promise<void> {
    await this.#tried(async () => {
      await this.#options.lease.release();
      return true;
    });
  }

  async #tried(call: () => Promise<boolean>): Promise<boolean> {
    try {
      return await call();
    } catch (error) {
      this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }
}
