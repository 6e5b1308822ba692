import { attempt, holdTerm, release, type TermOptions } from './lease-term.ts';
import { pause } from './pause.ts';

/** The lease could not be renewed in time, or somebody else has it. The process ends: a new one starts without stale state. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** client-go's JitterFactor: candidates come at different times. */
const JITTER = 1.2;

/** Leads when the lease is won. */
export class LeaderElection {
  readonly #options: TermOptions;

  constructor(options: TermOptions) {
    this.#options = options;
  }

  /** Whether this process may act as the leader now. */
  get leading(): boolean {
    return this.#options.lease.acting;
  }

  /**
   * Waits for the lease and leads as `holdTerm` says. Ends when the signal aborts or `lead` ends, in both cases without the lease.
   * Throws what `lead` throws, or a `LeadershipLostError`.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, lease, times } = this.#options;
    while (!signal.aborted && !(await attempt(this.#options, signal))) {
      await pause(clock, times.retryPeriod * (1 + JITTER * clock.random()), signal);
    }
    if (signal.aborted) {
      await release(this.#options);
      return;
    }
    const how = await holdTerm(this.#options, signal, lead);
    if (how === 'lost' && !signal.aborted) {
      throw new LeadershipLostError(`the lease ${lease.name} could not be renewed in time`);
    }
  }
}
