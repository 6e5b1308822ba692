import type { Clock } from '../../ports/clock.ts';
import { ApiError } from '../../ports/errors.ts';
import type { Target } from '../../ports/targets.ts';
import { asError } from '../../runtime/as-error.ts';
import { pause } from '../../runtime/pause.ts';
import { within } from './within.ts';

export interface ClusterGateOptions {
  readonly clock: Clock;
  readonly target: Target;
  /** Reads at once. */
  readonly reads: number;
  /** Passes at once: a cluster that hangs must not take every worker. */
  readonly passes: number;
  /** Releases that were turned away, or whose cluster was lost, may come again. */
  readonly wake: (releases: Iterable<string>) => void;
  readonly signal: AbortSignal;
}

/** ms until a cluster that cannot be reached is asked again: doubled up to five minutes. */
const FIRST_PROBE = 2_000;
const LAST_PROBE = 300_000;
/** ms that it gets to answer. */
const PROBE_LIMIT = 10_000;

/**
 * Whether a target cluster can be reached, and how much is asked of it at once. A cluster that cannot be reached is asked by one probe
 * in the background; its Releases are answered at once and hold no worker.
 */
export class ClusterGate {
  readonly #options: ClusterGateOptions;
  #problem: string | undefined;
  #probing = false;
  #passes = 0;
  #reads = 0;
  readonly #releases = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #readers: (() => void)[] = [];

  constructor(options: ClusterGateOptions) {
    this.#options = options;
  }

  /** Why the cluster cannot be reached, in the words of the first failure: what failed later is no news. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** No Release has its objects here any more. */
  get unused(): boolean {
    return this.#releases.size === 0;
  }

  /** Whether a pass may begin; false: it is woken when another one has ended. */
  enter(release: string): boolean {
    this.#releases.add(release);
    if (this.#passes >= this.#options.passes) {
      this.#waiting.add(release);
      return false;
    }
    this.#waiting.delete(release);
    this.#passes += 1;
    return true;
  }

  leave(): void {
    this.#passes -= 1;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#options.wake([next]);
  }

  forget(release: string): void {
    this.#releases.delete(release);
    this.#waiting.delete(release);
  }

  /** Runs a read when there is room for it. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.#reads >= this.#options.reads) await new Promise<void>((resolve) => this.#readers.push(resolve));
    else this.#reads += 1;
    try {
      return await work();
    } finally {
      // The room goes to the next in line, or is free.
      const next = this.#readers.shift();
      if (next === undefined) this.#reads -= 1;
      else next();
    }
  }

  /** Everything that was asked failed: the cluster counts as lost until a probe gets an answer. */
  lose(error: Error): void {
    if (this.#problem !== undefined) return;
    this.#problem = error.message;
    this.#wakeAll();
    if (!this.#probing) void this.#probe(FIRST_PROBE);
  }

  /** Something failed that other reads may not have met: one probe finds out. */
  suspect(): void {
    if (this.#problem === undefined && !this.#probing) void this.#probe(0);
  }

  /** Asks until there is an answer. */
  async #probe(first: number): Promise<void> {
    const { clock, signal } = this.#options;
    this.#probing = true;
    let wait = first;
    try {
      while (!signal.aborted && this.#releases.size > 0) {
        if (wait > 0 && !(await pause(clock, wait * (1 + clock.random() / 4), signal))) return;
        const error = await this.#ask();
        if (error === undefined) break;
        if (this.#problem === undefined) {
          this.#problem = error.message;
          this.#wakeAll();
        }
        wait = Math.min(Math.max(wait * 2, FIRST_PROBE), LAST_PROBE);
      }
    } finally {
      this.#probing = false;
    }
    if (signal.aborted || this.#problem === undefined) return;
    this.#problem = undefined;
    this.#wakeAll();
  }

  /** Undefined: it answered, whatever it said. */
  async #ask(): Promise<Error | undefined> {
    const { clock, target, signal } = this.#options;
    try {
      await within(clock, PROBE_LIMIT, signal, (limited) =>
        target.reader.raw('GET', '/version', undefined, { signal: limited, timeout: PROBE_LIMIT }),
      );
      return undefined;
    } catch (error) {
      return error instanceof ApiError ? undefined : asError(error);
    }
  }

  #wakeAll(): void {
    this.#options.wake(this.#releases);
  }
}
