/** What the exit code of the command line says. */
export const EXIT = {
  /** Everything is healthy, or `--exit-zero` was asked for. */
  healthy: 0,
  /** Something is not healthy. */
  notHealthy: 1,
  /** The command line is wrong or an input cannot be read. Nothing was judged. */
  unreadable: 2,
  /** The cluster cannot be reached, or not all of what was asked for may be read. */
  unreachable: 3,
  /** `--wait` took longer than its `--timeout`. */
  timeout: 4,
} as const;
