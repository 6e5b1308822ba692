import { describe, expect, it } from 'vitest';
import { runTarget } from './run-target.ts';
import { TARGETS } from './targets/index.ts';

/** `FUZZ_RUNS=100000 FUZZ_SEED=7 npm run fuzz`; without a seed each run has another one. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 1e9));

describe(`${RUNS} random inputs, seed ${SEED}`, () => {
  for (const { name, law } of TARGETS) {
    it(`${name}: ${law}`, { timeout: 3_600_000 }, async () => {
      console.log(`fuzz ${name}: ${RUNS} inputs, seed ${SEED}`);
      expect(await runTarget(name, RUNS, SEED)).toBeUndefined();
    });
  }
});
