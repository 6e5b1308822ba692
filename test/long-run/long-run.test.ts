import { describe, expect, it } from 'vitest';
import { BAND, type Heap, longRun } from './run.ts';

function growth({ early, late }: Heap): number {
  return late - early;
}

describe('a process that runs for long', () => {
  it('holds no more at the end of 20,000 programs and 1,000,000 evaluations than early on', () => {
    const { compiling, evaluating } = longRun(20_000, 1_000_000);
    expect(growth(compiling)).toBeLessThan(BAND);
    expect(growth(evaluating)).toBeLessThan(BAND);
  }, 600_000);
});
