import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/** ms that a component has to become ready on a busy machine. */
const READY_WITHIN = 120_000;
/** ms from the request to end until it is ended by force; it keeps no state that a KILL could harm. */
const PATIENCE = 15_000;

/** Tells the executable to end when its standard input does: the kernel closes it also when this process is killed. */
const ENDS_WITH_INPUT = { CONTROL_PLANE_ENDS_WITH_INPUT: '1' };

/** A component did not start. */
export class ComponentError extends Error {
  override readonly name = 'ComponentError';
  /** The last lines of its log. */
  readonly log: string;

  constructor(message: string, log: string) {
    super(message);
    this.log = log;
  }
}

/**
 * One process of the control plane. It is stopped by its own handle, and ends with this process at the latest. It has a process group
 * of its own: Ctrl-C in a terminal would end all components at once, and in no order.
 */
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
        return spawn(executable, [name, ...flags], {
          stdio: ['pipe', file, file],
          detached: true,
          env: { ...process.env, ...ENDS_WITH_INPUT },
        });
      } finally {
        closeSync(file);
      }
    };
  }

  /** Resolves when the component is ready. @throws ComponentError when it ends or takes too long, or the reason of the signal */
  async start(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const started = this.#start();
    this.#process = started;
    let why = '';
    this.#ended = new Promise((resolve) => {
      started.once('error', (error) => {
        why = error.message;
        resolve();
      });
      started.once('exit', (code, killedBy) => {
        why = `ended with ${killedBy ?? code}`;
        resolve();
      });
    });
    const limit = AbortSignal.timeout(READY_WITHIN);
    while (!(await this.#ready())) {
      if (limit.aborted) why = `was not ready within ${READY_WITHIN / 1000} s`;
      if (why !== '') {
        await this.stop();
        throw new ComponentError(`${this.name} ${why}`, this.#lastLines());
      }
      // What has been started is ended by whoever started it, in its order.
      signal?.throwIfAborted();
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
