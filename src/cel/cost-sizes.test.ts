import { describe, expect, it } from 'vitest';
import { comparisonCost, costSize, fifthOf, regexCost, tenthOf, traversalCost } from './cost-sizes.ts';
import { CelError } from './error.ts';
import { CelOptional, type CelValue } from './value/cel-value.ts';
import { CelMap } from './value/map.ts';

describe('sizes of the cost rules', () => {
  it.each<[CelValue | CelError, number]>([
    ['', 0],
    ['a😀', 2],
    [[1, 2, 3], 3],
    [{ a: 1 }, 1],
    [new Uint8Array(5), 5],
    [new CelMap(), 0],
    [42, 1],
    [null, 1],
    [CelOptional.of('abc'), 3],
    [CelOptional.none, 1],
    [new CelError('overflow', ''), 1],
  ])('%o is %i', (value, size) => {
    expect(costSize(value)).toBe(size);
  });

  it('round tenths and fifths up, and count pairs of surrogates once', () => {
    expect(['', 'a', 'a'.repeat(10), 'a'.repeat(11), '😀'.repeat(10), '😀'.repeat(11)].map(tenthOf)).toEqual([
      0, 1, 1, 2, 1, 2,
    ]);
    expect(['', 'a', 'a'.repeat(5), 'a'.repeat(6)].map(fifthOf)).toEqual([0, 1, 1, 2]);
  });

  it('price a pattern by both lengths, even over an empty text', () => {
    expect(regexCost('', 'abcde')).toBe(2);
    expect(regexCost('a'.repeat(10), 'abcd')).toBe(2);
    expect(comparisonCost('a'.repeat(30), 'a'.repeat(11))).toBe(2);
  });
});

describe('walking a value once', () => {
  it('rounds bytes down, counts scalars 1, and adds up elements, keys and values', () => {
    expect(traversalCost('a'.repeat(19))).toBe(1);
    expect(traversalCost('é'.repeat(5))).toBe(1);
    expect(traversalCost(new Uint8Array(25))).toBe(2);
    expect(traversalCost([1, ['b', 2.5], null])).toBe(3);
    expect(traversalCost({ aaaaaaaaaa: 1, b: [1, 2] })).toBe(4);
  });

  it('counts a shared value as often as it stands there, without visiting it as often', () => {
    let value: CelValue = [1, 1];
    for (let level = 1; level < 60; level += 1) value = [value, value];
    expect(traversalCost(value)).toBe(2 ** 60);
  });

  it('ends on a value deeper than any stack', () => {
    let value: CelValue = [];
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(traversalCost(value)).toBe(1);
  });
});
