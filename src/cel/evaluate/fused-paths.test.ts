import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../environment.ts';
import { CelDouble, CelOptional } from '../value/cel-value.ts';
import { CelMap } from '../value/map.ts';

/** What may stand where a plain object is hoped for, the absent included. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  3,
  1.5,
  2 ** 60,
  5n,
  'text',
  [],
  [{ b: 1 }],
  {},
  { b: 3 },
  { b: null },
  { b: { c: 4 } },
  { b: { c: new Date(0) } },
  new Uint8Array([1]),
  new Date(0),
  new CelMap(),
  new CelDouble(1),
  CelOptional.none,
  CelOptional.of(2),
  () => 1,
];

const EXPRESSIONS: readonly string[] = [
  'obj.a',
  'obj.a.b',
  'obj.a.b.c',
  'has(obj.a)',
  'has(obj.a.b)',
  'has(obj.a.b.c)',
  'has(obj.a.b) ? obj.a.b : 7',
  'has(obj.a.b.c) ? obj.a.b.c : obj.a.b',
  'has(obj.a) ? obj.a : has(obj.a.b) ? obj.a.b : 1',
  'obj.?a.orValue(1)',
  'obj.a.?b.orValue(obj.a)',
  'obj.?a.?b.orValue(2)',
  'obj.?a.b.?c.orValue([obj.?a.orValue(1)])',
  'has(obj.a.b) && obj.a.b == 3 && obj.a.b > 2 || has(obj.a.b.c) && obj.a.b.c == 4',
  '[obj.a.b, 1].exists(x, has(x.c) ? x.c == 4 : obj.a.b == x)',
];

/** Value or error with its place, as text, so that each back end is compared whole. */
function told(result: unknown): unknown {
  return JSON.stringify(result, (_key, value: unknown) =>
    typeof value === 'bigint' || typeof value === 'function' || value === undefined ? String(value) : value,
  );
}

describe.each(['convoy', 'cel-go', 'spec', '1.36'] as const)('reads that are fused (%s)', (version) => {
  const closures = createEnvironment({ version, variables: { obj: 'dyn' } });
  const code = createEnvironment({ version, variables: { obj: 'dyn' }, codegen: 'eager' });

  it.each(EXPRESSIONS)('%s gives what the general walk gives, at its cost, whatever stands in the data', (source) => {
    const [plain, generated] = [closures, code].map((environment) => {
      const compiled = environment.compile(source, { check: false });
      if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
      return compiled.program;
    });
    // Twice over, so that errors kept from the first time are met.
    for (const a of [...ODD, ...ODD]) {
      for (const obj of [{ a }, { a: { b: a } }, { a: { b: { c: a } } }, a]) {
        const walked = plain!.explain({ obj });
        for (const program of [plain!, generated!]) {
          expect(told(program.evaluate({ obj }))).toBe(told(walked.result));
          expect(program.lastCost).toBe(walked.cost);
        }
      }
    }
  });
});
