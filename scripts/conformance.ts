import { loadCases } from '../test/conformance/cases.ts';
import { ledgerByRule, readLedger, writeLedger } from '../test/conformance/ledger.ts';
import { runSuite, type SuiteResult } from '../test/conformance/suite.ts';

/**
 * Runs the CEL specification's test data. `--json` prints the counts as one JSON object, `--write-ledger` makes the ledger
 * anew by its rule. Exits 1 when a case in scope fails or a listed one passes.
 */
function main(args: readonly string[]): number {
  const cases = loadCases();
  if (args.includes('--write-ledger')) {
    const ledger = ledgerByRule(cases);
    writeLedger(ledger);
    console.log(`${ledger.size} cases listed`);
    return 0;
  }
  const result = runSuite(cases, readLedger(), args.includes('--profile=convoy') ? 'convoy' : 'spec');
  if (args.includes('--json')) console.log(JSON.stringify({ total: result.total, files: result.files }));
  else printTable(result);
  return result.total.failed === 0 ? 0 : 1;
}

function printTable({ files, total, faults }: SuiteResult): void {
  for (const { id, expr, why } of faults) console.log(`${id}\n    ${JSON.stringify(expr)}\n    ${why}`);
  for (const [name, tally] of Object.entries({ ...files, total })) {
    console.log(`${name.padEnd(18)} ${tally.passed} passed, ${tally.failed} failed, ${tally.listed} listed`);
  }
  // The line that CI adds up.
  console.log(`${total.passed} passed, ${total.failed} failed`);
}

process.exitCode = main(process.argv.slice(2));
