/** Watches how long the event loop stands still. */
export class LoopWatch {
  #worst = 0;
  #worstOfProcessor = 0;
  #running = true;
  readonly #ended: Promise<void>;

  constructor() {
    this.#ended = this.#run();
  }

  /** Ends it. ms of the longest turn: by the clock, which other processes lengthen, and of processor time of this thread. */
  async stop(): Promise<{ readonly byClock: number; readonly ofProcessor: number }> {
    this.#running = false;
    await this.#ended;
    return { byClock: this.#worst, ofProcessor: this.#worstOfProcessor };
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const [start, before] = [performance.now(), process.threadCpuUsage()];
      await new Promise(setImmediate);
      const { user, system } = process.threadCpuUsage(before);
      this.#worst = Math.max(this.#worst, performance.now() - start);
      this.#worstOfProcessor = Math.max(this.#worstOfProcessor, (user + system) / 1000);
    }
  }
}
