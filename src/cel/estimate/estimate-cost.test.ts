import { describe, expect, it } from 'vitest';
import { ExpressionWriter, SUBJECT } from '../../../test/oracle/expressions.ts';
import { typeOfSchema } from '../check/schema.ts';
import { createEnvironment } from '../environment.ts';
import { CelError } from '../error.ts';
import { estimateCost } from '../tools.ts';
import type { CostEstimate } from './estimate-cost.ts';
import type { SizeHints } from './shape.ts';

const dyn = createEnvironment({ variables: { obj: 'dyn' } });

/** The object of the random expressions, as a schema that bounds everything in it. */
const schema = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    zero: { type: 'integer' },
    neg: { type: 'integer' },
    big: { type: 'integer' },
    d: { type: 'number' },
    t: { type: 'boolean' },
    f: { type: 'boolean' },
    s: { type: 'string', maxLength: 12 },
    e: { type: 'string', maxLength: 0 },
    n: { type: 'string', maxLength: 5 },
    ints: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    strings: { type: 'array', maxItems: 5, items: { type: 'string', enum: ['a', 'b', 'c'] } },
    mixed: { type: 'array', maxItems: 5, items: { 'x-kubernetes-preserve-unknown-fields': true } },
    none: { type: 'array', maxItems: 0, items: { type: 'string' } },
    m: {
      type: 'object',
      properties: {
        a: { type: 'integer' },
        b: { type: 'string', maxLength: 3 },
        c: { type: 'object', properties: { d: { type: 'array', maxItems: 2, items: { type: 'integer' } } } },
      },
    },
    empty: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string', maxLength: 10 } },
    when: { type: 'string', maxLength: 30 },
    long: { type: 'string', maxLength: 5 },
    q: { type: 'object', properties: { r: { type: 'string', maxLength: 4 } } },
  },
} as const;
const typed = createEnvironment({ variables: { obj: { openapi: schema } } });

function estimate(source: string, sizes?: SizeHints, environment = dyn): CostEstimate {
  const compiled = environment.compile(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.issues[0]?.message}`);
  return estimateCost(compiled.program, sizes);
}

describe('the actual cost of an evaluation that gives a value lies within the estimate', () => {
  it.each([
    ['of untyped data', dyn, undefined, 0.2],
    ['of data with a largest size', dyn, { others: 24 }, 0.4],
    ['of data with a schema', typed, undefined, 0.4],
  ])('%s', (_title, environment, sizes, leastFinite) => {
    const writer = new ExpressionWriter(7);
    let evaluated = 0;
    let finite = 0;
    for (let count = 0; count < 1_500; count += 1) {
      const source = writer.write(5);
      const compiled = environment.compile(source);
      if (!compiled.ok) continue;
      const { program } = compiled;
      const { min, max } = estimateCost(program, sizes);
      if (program.evaluate({ obj: SUBJECT }) instanceof CelError) continue;
      evaluated += 1;
      if (max < Number.POSITIVE_INFINITY) finite += 1;
      expect(program.lastCost, `${source}: at least ${min}`).toBeGreaterThanOrEqual(min);
      expect(program.lastCost, `${source}: at most ${max}`).toBeLessThanOrEqual(max);
    }
    expect(evaluated).toBeGreaterThan(100);
    expect(finite / evaluated).toBeGreaterThan(leastFinite);
  });
});

describe('the estimate', () => {
  it.each<[string, SizeHints | undefined, CostEstimate]>([
    ['1 + 2 == 3', undefined, { min: 2, max: 2 }],
    ['obj.a.b', undefined, { min: 3, max: 3 }],
    ['has(obj.a.b)', undefined, { min: 2, max: 2 }],
    ['obj.?a.?b.orValue(1)', undefined, { min: 1, max: 3 }],
    ['obj.a == 1 && obj.b == 2', undefined, { min: 1, max: 6 }],
    ['obj.a ? obj.b : obj.c.d', undefined, { min: 3, max: 4 }],
    ['[1, 2].exists(x, x == 1)', undefined, { min: 7, max: 16 }],
    ['[1, 2].map(x, x)', undefined, { min: 27, max: 27 }],
    ['obj.list.all(x, x > 1)', { paths: { 'obj.list': 10 } }, { min: 3, max: 55 }],
    ['obj.list.all(x, x > 1)', undefined, { min: 3, max: Infinity }],
    ['obj.s.contains("abc")', { paths: { 'obj.s': 100 } }, { min: 2, max: 12 }],
    ['obj.s.lowerAscii().contains("abc")', { others: 100 }, { min: 2, max: 22 }],
    ['cel.bind(x, obj.list.map(e, e + 1), x.size() + x.size())', { others: 10 }, { min: 5, max: 148 }],
    ['obj.list.map(e, string(e)).sort()', { others: 10 }, { min: 14, max: 364 }],
  ])('of %s with %j is %j', (source, sizes, expected) => {
    expect(estimate(source, sizes)).toEqual(expected);
  });

  it.each([
    [{ type: 'string', maxLength: 7 }, 7],
    [{ type: 'string', enum: ['a', 'wörld'] }, 5],
    [{ type: 'string', enum: ['a', 'abcdef'], maxLength: 3 }, 3],
    [{ type: 'string' }, undefined],
    [{ type: 'array', items: { type: 'string' }, maxItems: 4 }, 4],
    [{ type: 'object', additionalProperties: { type: 'string' }, maxProperties: 6 }, 6],
    [{ type: 'object', properties: { a: { type: 'string' }, 'b-c': { type: 'string' } } }, 2],
    [
      { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
      undefined,
    ],
  ])('knows from %j that sizes go up to %s', (schemaOfOne, most) => {
    expect(typeOfSchema(schemaOfOne).maxSize).toBe(most);
  });

  it('takes the bounds of a schema', () => {
    expect(estimate('obj.ints.all(x, x > 1)', undefined, typed)).toEqual({ min: 3, max: 20 });
    expect(estimate('obj.strings.all(x, obj.strings.exists(y, x == y))', undefined, typed).max).toBe(225);
  });

  it('counts a bound value once, however often a loop reads it', () => {
    const once = estimate('cel.bind(x, obj.list.map(e, e), [1, 2, 3].all(i, i in x))', { others: 10 });
    const inside = estimate('[1, 2, 3].all(i, cel.bind(x, obj.list.map(e, e), i in x))', { others: 10 });
    expect(inside.max - once.max).toBeGreaterThan(200);
  });
});
