import { describe, expect, it } from 'vitest';
import { fromJs, parseJson, toJs } from './json.ts';
import { INT } from './value/cel-type.ts';
import { CelDouble, CelDuration, CelOptional, CelTimestamp, CelUint, type CelValue } from './value/cel-value.ts';
import { CelConcatList } from './value/list.ts';
import { CelMap } from './value/map.ts';

function mapOf(...entries: readonly (readonly [CelValue, string | number | boolean, CelValue])[]): CelMap {
  const map = new CelMap();
  for (const [key, canonical, value] of entries) map.insert(key, canonical, value);
  return map;
}

describe('numbers of JSON text', () => {
  it.each([
    ['1', 1],
    ['-0', 0],
    ['1.5', 1.5],
    ['1.0', new CelDouble(1)],
    ['-0.0', new CelDouble(-0)],
    ['1e3', new CelDouble(1000)],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', new CelDouble(2 ** 63)],
    ['[1, 2.0, "3.0", {"a": 9007199254740993}]', [1, new CelDouble(2), '3.0', { a: 9007199254740993n }]],
  ])('%s keeps its type and value', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseJson('{a: 1.0}')).toThrow(SyntaxError);
    expect(() => parseJson('')).toThrow(SyntaxError);
  });

  it('keeps a field named __proto__ as a field', () => {
    const parsed = parseJson('{"__proto__": {"a": 1.0}}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });
});

describe('JavaScript values', () => {
  it.each([
    [null, null],
    ['a', 'a'],
    [2 ** 60, 1152921504606846976n],
    [5n, 5],
    [2 ** 70, new CelDouble(2 ** 70)],
    [new Date('2024-01-01T00:00:00.250Z'), new CelTimestamp(1_704_067_200, 250_000_000)],
    [new Date(-1), new CelTimestamp(-1, 999_000_000)],
    [{ a: undefined, b: [1] }, { b: [1] }],
    [
      new Map<unknown, unknown>([
        [1, 'a'],
        ['1', 'b'],
        [true, [2]],
      ]),
      mapOf([1, 1, 'a'], ['1', '1', 'b'], [true, true, [2]]),
    ],
    [new CelUint(3n), new CelUint(3n)],
  ])('%o becomes a CEL value', (value, expected) => {
    expect(fromJs(value)).toEqual(expected);
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['an instance', new (class Thing {})()],
    ['a Set', new Set([1])],
    ['an int beyond 64 bits', 2n ** 63n],
    ['an invalid date', new Date(Number.NaN)],
    ['a date beyond the range', new Date(8.64e15)],
    ['a map with a double key', new Map([[1.5, 1]])],
    ['a map with an object key', new Map([[{}, 1]])],
    [
      'a map with one key twice',
      new Map<unknown, unknown>([
        [1, 'a'],
        [1n, 'b'],
      ]),
    ],
    ['a cycle', cyclic],
  ])('%s is refused', (_name, value) => {
    expect(() => fromJs(value)).toThrow(TypeError);
  });
});

describe('CEL values', () => {
  it.each<[CelValue, unknown]>([
    [1, 1],
    [9007199254740993n, 9007199254740993n],
    [new CelUint(7n), 7],
    [new CelDouble(2), 2],
    [new CelTimestamp(1, 2_500_000), new Date(1002)],
    [new CelDuration(5400, 0), '5400s'],
    [CelOptional.none, undefined],
    [CelOptional.of([new CelDouble(1)]), [1]],
    [INT, 'int'],
    [new CelConcatList([1], [2]), [1, 2]],
    [mapOf(['a', 'a', new CelUint(1n)]), { a: 1 }],
    [mapOf([1, 1, 'x']), new Map([[1, 'x']])],
    [{ a: [null, new CelDouble(0.0)] }, { a: [null, 0] }],
  ])('%o becomes plain JavaScript', (value, expected) => {
    expect(toJs(value)).toEqual(expected);
  });
});
