/** A number of seats for those that work; whoever only waits for somebody else leaves its seat meanwhile. */
export class Seats {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Works on a seat, when there is one. Seats are given in the order in which they were asked for. */
  async on<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Called within `on`: waits without the seat, and goes on when there is one again. */
  async off<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#leave();
    try {
      return await wait();
    } finally {
      await this.#take();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
