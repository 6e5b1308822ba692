import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Bytes of heap in use after garbage collection, in the first tenths of a run and in the last. */
export interface Heap {
  readonly early: number;
  readonly late: number;
}

/**
 * How much the heap may have grown: what the compiler of the host and its feedback take now and then. Of half of the long form, a leak of 3
 * bytes for each compile would be more; of half of the short form, one of 150 for each compile or 3 for each evaluation. Measured by
 * themselves, 400,000 compiles of one kind add less than half a byte each, and give that back.
 */
export const BAND = 1_500_000;

/** Runs it in a process of its own, whose heap nothing else is in. */
export function longRun(
  compiles: number,
  evaluations: number,
): { readonly compiling: Heap; readonly evaluating: Heap } {
  const args = ['--expose-gc', join(import.meta.dirname, 'work.ts'), String(compiles), String(evaluations)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
