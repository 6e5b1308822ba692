import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
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

  it('shows a whole rule, which is the one of its example but for the links', () => {
    const [, block = ''] = /`rule\.yaml` says[^`]*```yaml\n([\s\S]*?)```/.exec(PAGE) ?? [];
    const { links, ...rule } = readObject('examples/own-kind/rule.yaml');
    expect(links).toHaveLength(1);
    expect(load(block)).toEqual(rule);
  });
});

/** The console blocks of the page: a command of the checkout and what it prints. */
const CAPTURES = [...PAGE.matchAll(/```console\n\$ bin\/convoy (.+)\n([\s\S]*?)```/g)].map(
  ([, command = '', output = '']) => ({
    command,
    output,
  }),
);

/** Words of a command line, as a shell splits them; the page uses single quotes only. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

describe('the commands of docs/spec/health-rules.md', () => {
  it('are on the page', () => {
    expect(CAPTURES.length).toBeGreaterThanOrEqual(5);
  });

  it.each(CAPTURES)('bin/convoy $command prints what the page shows', ({ command, output }) => {
    const run = spawnSync(process.execPath, ['src/apps/cli.ts', ...wordsOf(command)], { cwd: ROOT, encoding: 'utf8' });
    expect(run.stdout + run.stderr).toBe(output);
  });
});
