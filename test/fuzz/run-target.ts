import { Worker } from 'node:worker_threads';
import type { Assignment } from './worker.ts';

/** Ends an input that hangs; it decides nothing else, because every input is bounded by the cost and work limits. */
const WATCHDOG_MS = 30_000;

/** Tries `runs` inputs in a thread of their own. Resolves to undefined, or to what broke and the seed that shows it. */
export function runTarget(name: string, runs: number, seed: number): Promise<string | undefined> {
  const progress = new SharedArrayBuffer(4);
  const assignment: Assignment = { name, runs, seed, progress };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: assignment });
  const current = new Int32Array(progress);
  return new Promise((resolve) => {
    let last = -1;
    const watchdog = setInterval(() => {
      const now = Atomics.load(current, 0);
      if (now === last) end(`input ${now} (seed ${seed + now}) hangs`);
      last = now;
    }, WATCHDOG_MS);
    const end = (outcome: string | undefined): void => {
      clearInterval(watchdog);
      resolve(outcome);
      void worker.terminate();
    };
    worker.on('message', (message: { failure?: string }) => end(message.failure));
    worker.on('error', (error) => end(`input ${Atomics.load(current, 0)} ended the thread: ${String(error)}`));
  });
}
