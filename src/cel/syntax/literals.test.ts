import { describe, expect, it } from 'vitest';
import { CelDouble, CelUint } from '../value/cel-value.ts';
import { complaints, parsed } from './syntax.fixture.ts';

function value(source: string): unknown {
  const { root } = parsed(source);
  if (root.kind !== 'literal') throw new Error(`${source} is a ${root.kind}`);
  return root.value;
}

describe('numbers', () => {
  it.each([
    ['42', 42],
    ['007', 7],
    ['0x1F', 31],
    ['-0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['0x7fffffffffffffff', 2n ** 63n - 1n],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1.5E-3', 0.0015],
    ['1e3', new CelDouble(1000)],
    ['-1.0', new CelDouble(-1)],
    ['18446744073709551615u', new CelUint(2n ** 64n - 1n)],
    ['0xFFU', new CelUint(255n)],
  ])('%s', (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  it('keeps the sign of a zero double', () => {
    expect(value('-0.0')).toEqual(new CelDouble(-0));
  });

  it.each([
    ['9223372036854775808', '1:1 invalid_literal int literal out of range: an int has 64 bits'],
    ['-9223372036854775809', '1:1 invalid_literal int literal out of range: an int has 64 bits'],
    ['18446744073709551616u', '1:1 invalid_literal uint literal out of range: a uint has 64 bits'],
    ['1e999', '1:1 invalid_literal double literal out of range'],
  ])('%s is out of range', (source, expected) => {
    expect(complaints(source)).toEqual([expected]);
  });
});

describe('strings', () => {
  it.each([
    ["'a\"b'", 'a"b'],
    [String.raw`'\a\b\f\n\r\t\v\\\'\"\?\`'`, '\x07\b\f\n\r\t\v\\\'"?`'],
    [String.raw`'\x41\X42\u00e9\U0001F600\101'`, 'ABé😀A'],
    [String.raw`r'\n\'`, '\\n\\'],
    [String.raw`R"""a"b\"""`, 'a"b\\'],
    ["'''a\nb'''", 'a\nb'],
    ["'''a\r\nb\rc'''", 'a\nb\nc'],
    ["''", ''],
    ['""""""', ''],
  ])('%s', (source, expected) => {
    expect(value(source)).toBe(expected);
  });

  it.each([
    [String.raw`'ab\q'`, String.raw`1:4 invalid_literal unknown escape \q`],
    [String.raw`'\x4'`, String.raw`1:2 invalid_literal the \x escape needs 2 hex digits`],
    [String.raw`'\777'`, String.raw`1:2 invalid_literal unknown escape \7`],
    [String.raw`'\08'`, '1:2 invalid_literal the octal escape needs 3 octal digits'],
    [String.raw`'\ud800'`, '1:2 invalid_literal not a Unicode code point'],
    [String.raw`'\U00110000'`, '1:2 invalid_literal not a Unicode code point'],
    ["'a\nb'", "1:1 syntax unterminated string | end it with '; text over several lines needs '''"],
  ])('refuses %s', (source, expected) => {
    expect(complaints(source)[0]).toBe(expected);
  });
});

describe('bytes', () => {
  it('are the UTF-8 of the text, and single bytes for \\x and octal', () => {
    expect(value(String.raw`b'é\xff\377😀'`)).toEqual(
      Uint8Array.from([0xc3, 0xa9, 0xff, 0xff, 0xf0, 0x9f, 0x98, 0x80]),
    );
    expect(value(String.raw`bR"\x"`)).toEqual(Uint8Array.from([0x5c, 0x78]));
  });

  it('have no \\u', () => {
    expect(complaints(String.raw`b'\u0041'`)[0]).toBe(
      String.raw`1:3 invalid_literal \u and \U are not allowed in bytes`,
    );
  });
});
