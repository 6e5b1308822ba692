/** Time as the product sees it; tests and the sandbox move it. */
export interface Clock {
  /**
   * ms since 1970, counted on by a monotonic clock: steps of the system's clock do not reach it while the process runs, so that
   * differences are durations (a lease that a step made look expired would have two owners).
   */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. The process may end meanwhile. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1) for jitter. */
  random(): number;
}
