import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatProblem, readManifests } from './index.ts';

/** Pieces whose combinations reach the corners of both syntaxes. */
const PIECES = [
  'apiVersion: v1\n',
  'kind: A\n',
  'kind: List\nitems:\n',
  '- ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '---\n',
  '...\n',
  ': ',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '!x ',
  '| \n',
  '>-\n',
  '? ',
  '#',
  '%YAML 1.1\n',
  '0x',
  '1e400',
  '.inf',
  '9007199254740993',
  '\ufeff',
  '\u0000',
  '\u2028',
  '\ud800',
  '"apiVersion":"v1"',
  '"kind":"A"',
  '"items":',
  'null',
  '\\',
  '\\u12',
  '{{',
  '-',
  '~',
  '__proto__',
];

it('any combination of syntax is read or refused with one line, never with an exception', async () => {
  const runs = Number(process.env['FUZZ_RUNS'] ?? 500);
  const input = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(input, async (pieces) => {
      const content = new TextEncoder().encode(pieces.join(''));
      const { objects, problems } = await readManifests({ name: 'f', content });
      for (const problem of problems) expect(formatProblem(problem)).not.toContain('\n');
      for (const { line, document } of objects) expect(Math.min(line, document)).toBeGreaterThan(0);
    }),
    { numRuns: runs },
  );
});

it('any JSON value survives the way through both readers alike', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (spec) => {
      const json = JSON.stringify({ apiVersion: 'v1', kind: 'A', spec });
      const [fast, slow] = await Promise.all(
        [json, `---\n${json}`].map((content) => readManifests({ name: 'f', content })),
      );
      expect(fast?.problems).toEqual([]);
      expect(slow?.problems).toEqual([]);
      expect(slow?.objects[0]?.object).toEqual(fast?.objects[0]?.object);
    }),
    { numRuns: 300 },
  );
});
