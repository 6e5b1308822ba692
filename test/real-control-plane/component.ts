import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/** ms that a component has to become ready on a busy machine. */
const READY_WITHIN = 120_000;
/** ms from the request to end until it is ended by force; it keeps no state that a KILL could harm. */
const PATIENCE = 15_000;

/** One process of the control plane. It is stopped by its own handle, and ends with this process at the latest. */
export class Component {
  readonly name: string;
  readonly #start: () => ChildProcess;
  readonly #log: string;
  readonly #ready: () => Promise<boolean>;
  #process: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(name: string, executable: string, flags: readonly string[], log: string, ready: () => Promise<boolean>) {
    this.name = name;
    this.#log = log;
    this.#ready = ready;
    this.#start = () => {
      const file = openSync(log, 'a');
      try {
        return spawn(executable, [name, ...flags], { stdio: ['ignore', file, file] });
      } finally {
        closeSync(file);
      }
    };
    process.on('exit', () => this.#process?.kill('SIGKILL'));
  }

  /** Resolves when the component is ready. @throws Error with the end of its log when it ends or takes too long */
  async start(): Promise<void> {
    const started = this.#start();
    this.#process = started;
    let why = '';
    this.#ended = new Promise((resolve) => {
      started.once('error', (error) => {
        why = error.message;
        resolve();
      });
      started.once('exit', (code, signal) => {
        why = `ended with ${signal ?? code}`;
        resolve();
      });
    });
    const limit = AbortSignal.timeout(READY_WITHIN);
    while (!(await this.#ready())) {
      if (limit.aborted) why = `was not ready within ${READY_WITHIN / 1000} s`;
      if (why !== '') {
        await this.stop();
        throw new Error(`${this.name} ${why}; the end of its log:\n${this.#lastLines()}`);
      }
      await rest(50);
    }
  }

  /** Resolves when the process is gone. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#process?.kill(signal);
    const force = setTimeout(() => this.#process?.kill('SIGKILL'), PATIENCE);
    await this.#ended;
    clearTimeout(force);
    this.#process = undefined;
  }

  #lastLines(): string {
    return readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  }
}
