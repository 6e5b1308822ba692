import { describe, expect, it } from 'vitest';
import { complaints, EVERYTHING, parsed, shape } from './syntax.fixture.ts';

describe('macros become the node that they mean', () => {
  it.each([
    ['has(a.b.c)', 'a.b.has:c'],
    ['has(a.?b.c)', 'a.?b.has:c'],
    ['a.all(x, x > 1)', '<all x in a: (> x 1)>'],
    ['a.existsOne(x, x)', '<exists_one x in a: x>'],
    ['a.map(x, x > 0, x * 2)', '<map x in a if (> x 0): (* x 2)>'],
    ['a.filter(x, x)', '<filter x in a: x>'],
    ['a.exists(k, v, v)', '<exists k,v in a: v>'],
    ['a.transformMap(k, v, v > 0, v)', '<transformMap k,v in a if (> v 0): v>'],
    ['a.transformMapEntry(k, v, {v: k})', '<transformMapEntry k,v in a: {v:k}>'],
    ['a.sortBy(x, -x)', '<sortBy x in a: (- x)>'],
    ['a.?b.optMap(x, x + 1)', '<optMap x of a.?b: (+ x 1)>'],
    ['a.optFlatMap(x, x.?y)', '<optFlatMap x of a: x.?y>'],
    ['cel.bind(x, a + b, x * x)', '<bind x=(+ a b): (* x x)>'],
    ['math.least(a, b)', '(.least math a b)'],
    ['math.least(a, b, c)', '(.least math [a b c])'],
    ['cel.block([1, cel.index(0)], cel.index(1))', '<block 1, @index0: @index1>'],
    ['a.map(cel.iterVar(0, 1), cel.iterVar(0, 1))', '<map @it:0:1 in a: @it:0:1>'],
  ])('%s', (source, expected) => {
    expect(shape(parsed(source).root)).toBe(expected);
  });
});

describe('a call stays a call', () => {
  it.each([
    ['a.all(x)', '(.all a x)'],
    ['a.filter(x, y, z)', '(.filter a x y z)'],
    ['has(a, b)', '(has a b)'],
    ['all(x, y)', '(all x y)'],
    ['other.bind(x, 1, x)', '(.bind other x 1 x)'],
  ])('when the number of arguments or the namespace does not fit: %s', (source, expected) => {
    expect(shape(parsed(source).root)).toBe(expected);
  });

  it('when the environment has no such macro', () => {
    const standard = { ...EVERYTHING, macros: new Set(['has', 'all']) };
    expect(shape(parsed('a.exists(x, x)', standard).root)).toBe('(.exists a x x)');
    expect(shape(parsed('a.all(i, x, x)', standard).root)).toBe('(.all a i x x)');
    expect(shape(parsed('a.all(x, x)', standard).root)).toBe('<all x in a: x>');
  });
});

describe('mistakes in macros', () => {
  it.each([
    [
      'has(a)',
      '1:5 invalid_macro has() needs a field selection | has(a.field) tests a field; a variable itself is always there',
    ],
    ["has(a['b'])", "1:5 invalid_macro has() needs a field selection | for a key use 'key' in map"],
    ['has(a.?b)', '1:5 invalid_macro has() needs a field selection | an optional selection is tested with .hasValue()'],
    ['l.all(a.b, true)', '1:7 invalid_macro all() needs a plain variable name here'],
    ['l.map(__result__, 1)', '1:7 invalid_macro the name __result__ is taken by the macro itself'],
    ['l.all(x, x, true)', '1:10 invalid_macro all() needs two different variable names'],
    ["math.greatest(1, 'a')", '1:18 invalid_macro math.greatest() takes numbers only'],
    ['math.least()', '1:1 invalid_macro math.least() needs at least one argument'],
    ['"a".sortBy(x, x)', '1:1 invalid_macro sortBy() needs a list before the dot'],
    ['cel.index(x)', '1:11 invalid_macro cel.index() needs int literals'],
  ])('%s', (source, expected) => {
    expect(complaints(source)).toEqual([expected]);
  });
});
