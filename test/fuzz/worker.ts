import { parentPort, workerData } from 'node:worker_threads';
import { Random } from './random.ts';
import { TARGETS } from './targets/index.ts';

/** What `runTarget` hands over. `progress[0]` is the number of the input being tried. */
export interface Assignment {
  readonly name: string;
  readonly runs: number;
  readonly seed: number;
  readonly progress: SharedArrayBuffer;
}

const { name, runs, seed, progress } = workerData as Assignment;
const target = TARGETS.find((each) => each.name === name);
if (!target) throw new Error(`no fuzz target ${name}`);
const current = new Int32Array(progress);
for (let run = 0; run < runs; run += 1) {
  Atomics.store(current, 0, run);
  let input = '';
  try {
    // Each input has a seed of its own, so that one can be tried again alone.
    await target.try(new Random(seed + run), (text) => {
      input = text;
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ failure: `input ${run} (seed ${seed + run}):\n${input.slice(0, 2_000)}\n${reason}` });
    break;
  }
}
parentPort?.postMessage({ done: true });
