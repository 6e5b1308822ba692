import { describe, expect, it } from 'vitest';
import { readYaml } from './yaml-reader.ts';

function read(yaml: string): unknown {
  const { documents, problems } = readYaml('f.yaml', yaml);
  expect(problems).toEqual([]);
  return documents[0]?.value;
}

const value = (source: string): unknown => (read(`v: ${source}\n`) as { v: unknown }).v;

describe('a plain scalar, as kubectl reads it', () => {
  it.each(['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'])('%s is true', (source) => {
    expect(value(source)).toBe(true);
  });

  it.each(['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'])('%s is false', (source) => {
    expect(value(source)).toBe(false);
  });

  it.each(['', '~', 'null', 'Null', 'NULL'])('"%s" is null', (source) => {
    expect(value(source)).toBeNull();
  });

  it.each([
    ['010', 8],
    ['0o10', 8],
    ['0x1F', 31],
    ['0X1f', 31],
    ['-0x1F', -31],
    ['0b11', 3],
    ['-0b11', -3],
    ['1_000', 1000],
    ['+5', 5],
    ['-12', -12],
    ['0', 0],
    ['08', 8],
    ['1.0', 1],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1.', 1],
    ['-1.5E-2', -0.015],
    ['1_000.5', 1000.5],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['+9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['18446744073709551616', 18446744073709552000],
    ['0xFFFFFFFFFFFFFFFF', 18446744073709552000],
  ])('%s is the number %s', (source, number) => {
    expect(value(source)).toBe(number);
  });

  it.each([
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '12:30:00',
    '=',
    '1.2.3',
    '0b12',
    '0x',
    '.',
    '1e400',
    '._5',
    '500m',
    'tRUE',
    'nil',
  ])('%s is a string', (source) => {
    expect(value(source)).toBe(source);
  });
});

describe('a key', () => {
  it.each([
    ['true', 'true'],
    ['yes', 'true'],
    ['1', '1'],
    ['0x10', '16'],
    ['1.50', '1.5'],
    ['a', 'a'],
    ['__proto__', '__proto__'],
  ])('%s becomes the string %s', (source, key) => {
    expect(Object.keys(read(`${source}: 1\n`) as object)).toEqual([key]);
  });
});

describe('a tag', () => {
  it('of a merge brings the keys of another mapping', () => {
    expect(read('a: &a {p: 1, q: 2}\nb:\n  <<: *a\n  q: 3\n')).toEqual({ a: { p: 1, q: 2 }, b: { p: 1, q: 3 } });
  });

  it('of binary gives the text that the bytes are', () => {
    expect(value('!!binary aGk=')).toBe('hi');
  });

  it('of a string keeps a number a string', () => {
    expect(value('!!str 010')).toBe('010');
  });

  it('that nobody knows leaves its value as it is', () => {
    expect(value('!Ref 010')).toBe('010');
    expect(value('!!timestamp 2026-01-01')).toBe('2026-01-01');
    expect(value('!Sub [a, 1]')).toEqual(['a', 1]);
    expect(value('!x {a: 1}')).toEqual({ a: 1 });
  });
});
