import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';

/**
 * The world of one process that can be stopped and continued (a long garbage collection, a suspended machine) and whose clock shows
 * another time than others do. While it is paused its timers do not fire, it sends nothing and hears no answer.
 */
export class PausableProcess {
  readonly clock: Clock;
  #resume: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(base: Clock, skew = 0) {
    this.clock = {
      now: () => base.now() + skew,
      random: () => base.random(),
      sleep: async (ms, signal) => {
        await base.sleep(ms, signal);
        await this.#go();
      },
    };
  }

  get paused(): boolean {
    return this.#resume !== undefined;
  }

  pause(): void {
    if (this.paused) return;
    this.#running = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** The cluster as this process reaches it. */
  reach(cluster: Cluster): Pick<Cluster, 'get' | 'create' | 'update' | 'list' | 'delete'> {
    const through = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.#go();
      try {
        return await call();
      } finally {
        await this.#go();
      }
    };
    return {
      get: (...args) => through(() => cluster.get(...args)),
      create: (...args) => through(() => cluster.create(...args)),
      update: (...args) => through(() => cluster.update(...args)),
      list: (...args) => through(() => cluster.list(...args)),
      delete: (...args) => through(() => cluster.delete(...args)),
    };
  }

  /** Resolves when the process runs: it may have been paused again while this one waited. */
  async #go(): Promise<void> {
    while (this.paused) await this.#running;
  }
}
