import { describe, expect, it } from 'vitest';
import { type ConformanceCase, loadCases } from './cases.ts';
import { OutOfScope } from './decode.ts';
import { ledgerByRule, readLedger } from './ledger.ts';
import { runSuite } from './suite.ts';

const cases = loadCases();
const ledger = readLedger();

/** Where the specification's data and cel-go differ; the default profile answers as cel-go (docs: deviations). */
const FOLLOWS_CEL_GO = [
  'optionals/optionals/map_null_entry_no_such_key',
  'optionals/optionals/map_present_key_invalid_field',
  'string_ext/value_errors/indexof_out_of_range',
  'string_ext/value_errors/lastindexof_out_of_range',
];

function isNoTypeCase({ input }: ConformanceCase): boolean {
  return !(input instanceof OutOfScope) && input.expected.kind !== 'type';
}

describe('the test data of the CEL specification', () => {
  it('is the data the scope was counted on', () => {
    expect(cases).toHaveLength(2344);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(2344);
    expect(cases.filter(({ disableMacros }) => disableMacros)).toEqual([]);
  });

  it('lists in the ledger exactly what needs protocol buffers', () => {
    expect(ledger.size).toBe(694);
    expect([...ledger]).toEqual([...ledgerByRule(cases)]);
  });

  it('passes every case in scope under the strict profile', () => {
    const { total, faults } = runSuite(cases, ledger, 'spec');
    expect(faults).toEqual([]);
    expect(total).toEqual({ passed: 1650, failed: 0, listed: 694 });
  });

  it('passes every case in scope with generated code as well', () => {
    const { total, faults } = runSuite(cases, ledger, 'code');
    expect(faults).toEqual([]);
    expect(total).toEqual({ passed: 1650, failed: 0, listed: 694 });
  });

  it('gives every expected value and error without the checker as well', () => {
    const evaluated = cases.filter(({ id, checkOnly }) => !ledger.has(id) && !checkOnly);
    const unchecked = evaluated.map((test) => ({ ...test, checked: false })).filter(isNoTypeCase);
    const { total, faults } = runSuite(unchecked, ledger, 'spec');
    expect(faults).toEqual([]);
    expect(total.passed).toBe(1624);
  });

  it('differs under the default profile only where cel-go does', () => {
    const { faults } = runSuite(cases, ledger, 'convoy');
    expect(faults.map(({ id }) => id).sort()).toEqual(FOLLOWS_CEL_GO);
  });
});
