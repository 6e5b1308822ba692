import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Bytes of heap in use after garbage collection, at a tenth of a run and at its end. */
export interface Heap {
  readonly early: number;
  readonly late: number;
}

/**
 * How much the heap may have grown from the tenth to the end: what the compiler of the host and its feedback take now and then. A leak of
 * 100 bytes for each of the 18,000 compiles, or of 2 for each of the 900,000 evaluations, of the short form would be more.
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
