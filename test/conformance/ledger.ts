import { readFileSync, writeFileSync } from 'node:fs';
import type { ConformanceCase } from './cases.ts';
import { reasonOutside } from './scope.ts';

const FILE = new URL('./ledger.txt', import.meta.url);

/** The cases that may fail, each with its reason: one `id<TAB>reason` a line. */
export function readLedger(): ReadonlyMap<string, string> {
  const ledger = new Map<string, string>();
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    const [id, reason] = line.split('\t');
    if (id && reason) ledger.set(id, reason);
  }
  return ledger;
}

/** The ledger as the rule of `scope.ts` makes it. */
export function ledgerByRule(cases: readonly ConformanceCase[]): ReadonlyMap<string, string> {
  const ledger = new Map<string, string>();
  for (const test of cases) {
    const reason = reasonOutside(test);
    if (reason) ledger.set(test.id, reason);
  }
  return ledger;
}

export function writeLedger(ledger: ReadonlyMap<string, string>): void {
  writeFileSync(FILE, Array.from(ledger, ([id, reason]) => `${id}\t${reason}\n`).join(''));
}
