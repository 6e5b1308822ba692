import { expect, it } from 'vitest';
import { OWN_KINDS } from '../src/core/api/index.ts';
import { pages, withTables } from './generate-field-reference.ts';

it('the tables of fields in docs/spec say what the schemas say', () => {
  for (const [path, text] of pages()) {
    expect(text === withTables(text), `${path}: run \`node scripts/generate-field-reference.ts\``).toBe(true);
  }
});

it('every kind has its table', () => {
  const all = [...pages().values()].join('');
  for (const { kind } of OWN_KINDS.filter((own) => own.kind !== 'HealthRuleSet')) {
    expect(all).toContain(`<!-- fields of ${kind} -->`);
  }
});
