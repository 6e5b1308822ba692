import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_VARIABLES } from '../../src/core/health/bindings.ts';
import { ROOT, readObject } from './rule-folders.ts';

const PAGE = readFileSync(join(ROOT, 'docs/spec/health-rules.md'), 'utf8');

/** What docs/spec/health-rules.md has to explain. */
const VERDICT_SOURCE = readFileSync(join(ROOT, 'src/core/health/verdict.ts'), 'utf8');

describe('docs/spec/health-rules.md', () => {
  it.each(Object.keys(RULE_VARIABLES))('explains the variable %s', (name) => {
    expect(PAGE).toContain(`\`${name}\``);
  });

  it.each(['healthy', 'failed', 'suspended', 'message', 'reason', 'variables', 'related', 'links'])(
    'explains the field %s',
    (name) => {
      expect(PAGE).toContain(`| \`${name}\` |`);
    },
  );

  it('explains every reason of a verdict', () => {
    const reasons = [...(VERDICT_SOURCE.split('VerdictReason =')[1]?.split(';')[0] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, name]) => name,
    );
    expect(reasons.length).toBeGreaterThan(10);
    expect(reasons.filter((reason) => !PAGE.includes(`\`${reason}\``))).toEqual([]);
  });

  it('quotes the healthy expression of its example as it stands', () => {
    const healthy = String(readObject('examples/own-kind/rule.yaml')['healthy']).trimEnd();
    expect(PAGE).toContain(healthy.replaceAll('\n', '\n  '));
  });
});
