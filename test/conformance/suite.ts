import type { ConformanceCase } from './cases.ts';
import { type Profile, runCase } from './run.ts';

export interface Tally {
  passed: number;
  failed: number;
  listed: number;
}

export interface SuiteResult {
  readonly total: Tally;
  readonly files: Readonly<Record<string, Tally>>;
  /** Cases outside the ledger that failed, and listed ones that passed: both are faults of the run. */
  readonly faults: readonly { readonly id: string; readonly expr: string; readonly why: string }[];
}

/** Runs every case. A listed case is expected to fail; one that passes has to leave the ledger, so it counts as failed. */
export function runSuite(
  cases: readonly ConformanceCase[],
  ledger: ReadonlyMap<string, string>,
  profile: Profile,
): SuiteResult {
  const total: Tally = { passed: 0, failed: 0, listed: 0 };
  const files: Record<string, Tally> = {};
  const faults: { id: string; expr: string; why: string }[] = [];
  for (const test of cases) {
    files[test.file] ??= { passed: 0, failed: 0, listed: 0 };
    const why = outcome(test, ledger.get(test.id), profile);
    const counted = why === 'listed' ? 'listed' : why === undefined ? 'passed' : 'failed';
    total[counted] += 1;
    files[test.file]![counted] += 1;
    if (counted === 'failed') faults.push({ id: test.id, expr: test.expr, why: why ?? '' });
  }
  return { total, files, faults };
}

function outcome(test: ConformanceCase, listedFor: string | undefined, profile: Profile): string | undefined {
  const why = runCase(test, profile);
  if (listedFor === undefined) return why;
  return why === undefined ? `passes, though the ledger lists it for: ${listedFor}` : 'listed';
}
