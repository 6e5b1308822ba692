import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEnvironment, type Environment, type EnvironmentVersion, isCelError } from '../../src/cel/index.ts';
import { withMadeParts } from './cel-functions.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/spec/cel.md'), 'utf8');

interface Example {
  readonly version: string;
  readonly expression: string;
  readonly expected: string;
}

/** The fenced blocks of a page with their info strings. */
function blocks(): readonly { readonly info: string; readonly text: string }[] {
  return [...PAGE.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({ info, text }));
}

/** An expression runs until the line that has its arrow. */
function examplesOf(info: string, text: string): readonly Example[] {
  const version = info.split(' ')[1] ?? 'convoy';
  const examples: Example[] = [];
  let expression = '';
  for (const line of text.trimEnd().split('\n')) {
    const [code = '', expected] = line.split(' // → ');
    expression += code;
    if (expected === undefined) expression += '\n';
    else {
      examples.push({ version, expression, expected });
      expression = '';
    }
  }
  if (expression.trim() !== '') throw new Error(`no arrow behind ${expression}`);
  return examples;
}

const examples = blocks()
  .filter(({ info }) => /^cel\b/.test(info))
  .flatMap(({ info, text }) => examplesOf(info, text));
const obj: unknown = JSON.parse(blocks().find(({ info }) => info === 'json obj')?.text ?? 'null');

const environments = new Map<string, Environment>();
function environment(version: string): Environment {
  const known =
    environments.get(version) ??
    createEnvironment({ version: version as EnvironmentVersion, variables: { obj: 'dyn' } });
  environments.set(version, known);
  return known;
}

describe('docs/spec/cel.md', () => {
  it.each(examples)('$version: $expression gives $expected', ({ version, expression, expected }) => {
    const compiled = environment(version).compile(expression);
    const refused = /^does not compile: (\w+)$/.exec(expected)?.[1];
    if (refused !== undefined || !compiled.ok) {
      expect(compiled.ok ? 'compiles' : compiled.issues[0]?.code).toBe(refused);
      return;
    }
    const value = compiled.program.evaluate({ obj });
    if (isCelError(value)) {
      expect(`error ${value.code}`).toBe(expected);
      return;
    }
    const same = environment(version).compile(
      `dyn(${expression}) == dyn(${expected}) && type(${expression}) == type(${expected})`,
    );
    if (!same.ok) throw new Error(`${expected} is no value: ${same.issues[0]?.message}`);
    expect(same.program.evaluate({ obj })).toBe(true);
  });

  it('has the functions and versions of the engine (node test/docs/write-cel-reference.ts)', () => {
    expect(withMadeParts(PAGE)).toBe(PAGE);
  });

  it.each([
    ['error', 'src/cel/error.ts', 'CelErrorCode ='],
    ['lint code', 'src/cel/issue.ts', "'unguarded_field'"],
  ])('explains every %s', (_what, file, from) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const start = source.indexOf(from);
    const codes = [...source.slice(start, source.indexOf(';', start)).matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    // Callers alone report a result that is no bool.
    expect(codes.filter((code) => code !== 'result_not_bool' && !PAGE.includes(`\`${code}\``))).toEqual([]);
  });

  it('names the limits as they are', () => {
    const limits = readFileSync(join(ROOT, 'src/cel/limits.ts'), 'utf8');
    for (const [, value = ''] of limits.matchAll(/(?:cost|depth|expressionLength|regexLength): ([\d_]+)/g)) {
      expect(PAGE).toContain(Number(value.replaceAll('_', '')).toLocaleString('en-US'));
    }
  });
});
