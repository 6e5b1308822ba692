import type { Clock } from '../../ports/clock.ts';
import { StatusError } from '../objects/status-error.ts';
import type { StoreEvent } from '../store/store.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** Asks to be looked at again after some ms. */
export type Again = (milliseconds: number) => void;

/** Keeps one kind of thing as it is wanted. Level-based: what a change was does not matter, only what is there. */
export interface Controller {
  /** What to look at after a change. */
  keys(event: StoreEvent): readonly string[];
  reconcile(key: string, again: Again): void;
}

/** ms of work before requests are served again. */
const SLICE = 8;
/** ms until what was refused is tried again. */
const RETRY = 1_000;
/** ms to which times are rounded up. */
const TICK = 10;

/** Gets what a controller threw that is no refusal, and at what it was. */
export type OnDefect = (error: unknown, what: string) => void;

/** Tests must see it. */
function throwIt(error: unknown): never {
  throw error;
}

/** Runs controllers whenever something changed or time has passed. */
export class Simulation {
  readonly #controllers: readonly Controller[];
  readonly #clock: Clock;
  readonly #onDefect: OnDefect;
  readonly #pending = new Map<Controller, Set<string>>();
  readonly #stopped = new AbortController();
  readonly #unsubscribe: () => void;
  /** What to look at again, by time: one timer for all, since each timer on one signal makes the next one dearer. */
  readonly #waiting = new Map<number, [Controller, string][]>();
  #wakes = Number.POSITIVE_INFINITY;
  #scheduled = false;

  constructor(
    cluster: SimulatedCluster,
    controllers: readonly Controller[],
    clock: Clock,
    onDefect: OnDefect = throwIt,
  ) {
    this.#controllers = controllers;
    this.#clock = clock;
    this.#onDefect = onDefect;
    this.#unsubscribe = cluster.api.store.subscribe((event) => {
      for (const controller of this.#controllers) {
        for (const key of controller.keys(event)) this.#add(controller, key);
      }
    });
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopped.abort();
    this.#pending.clear();
  }

  /** Does all that can be done at this moment. */
  settle(): void {
    while (this.#step()) {
      // Each step may give more to do.
    }
  }

  #add(controller: Controller, key: string): void {
    const keys = this.#pending.get(controller);
    if (keys === undefined) this.#pending.set(controller, new Set([key]));
    else keys.add(key);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#scheduled = false;
    const end = performance.now() + SLICE;
    while (!this.#stopped.signal.aborted && this.#step()) {
      if (performance.now() < end) continue;
      this.#scheduled = true;
      setImmediate(() => this.#slice());
      return;
    }
  }

  /** One key of one controller. Returns false when nothing is left. */
  #step(): boolean {
    for (const [controller, keys] of this.#pending) {
      const [key] = keys;
      if (key === undefined) continue;
      keys.delete(key);
      // To the end of the round, so that a busy controller does not starve the others.
      this.#pending.delete(controller);
      this.#pending.set(controller, keys);
      this.#reconcile(controller, key);
      return true;
    }
    return false;
  }

  #reconcile(controller: Controller, key: string): void {
    const again: Again = (milliseconds) => this.#later(this.#clock.now() + milliseconds, controller, key);
    try {
      controller.reconcile(key, again);
    } catch (error) {
      // What is refused (a template that makes no valid pod) is tried again; anything else is a defect, and stays one.
      if (error instanceof StatusError) again(RETRY);
      else this.#onDefect(error, `${controller.constructor.name} ${key}`);
    }
  }

  #later(due: number, controller: Controller, key: string): void {
    const time = Math.ceil(due / TICK) * TICK;
    const waiting = this.#waiting.get(time);
    if (waiting === undefined) this.#waiting.set(time, [[controller, key]]);
    else waiting.push([controller, key]);
    if (time < this.#wakes) this.#sleepUntil(time);
  }

  #sleepUntil(time: number): void {
    this.#wakes = time;
    // Rejects only when the simulation stops.
    this.#clock.sleep(Math.max(0, time - this.#clock.now()), this.#stopped.signal).then(
      () => this.#wake(time),
      () => {},
    );
  }

  #wake(time: number): void {
    // Another sleep is under way: this one is over.
    if (this.#wakes !== time) return;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [due, waiting] of this.#waiting) {
      // A timer may go off a little early: what it was for waits once more.
      if (due > now) {
        next = Math.min(next, due);
        continue;
      }
      this.#waiting.delete(due);
      for (const [controller, key] of waiting) this.#add(controller, key);
    }
    this.#wakes = Number.POSITIVE_INFINITY;
    if (next < Number.POSITIVE_INFINITY) this.#sleepUntil(next);
  }
}
