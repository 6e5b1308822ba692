import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CelDouble, CelUint } from '../value/cel-value.ts';
import { doubleValue, numberOfDouble } from '../value/number.ts';
import { fixedDecimal, scientificDecimal } from './exact-decimal.ts';
import {
  formatDouble,
  formatDoublePlain,
  parseBoolText,
  parseDoubleText,
  parseIntText,
  parseUintText,
} from './number-text.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

describe('a double as text', () => {
  it.each([
    [1, '1', '1'],
    [-0, '-0', '-0'],
    [0.5, '0.5', '0.5'],
    [123.456, '123.456', '123.456'],
    [100_000, '100000', '100000'],
    [1e6, '1e+06', '1000000'],
    [123456789, '1.23456789e+08', '123456789'],
    [0.0001, '0.0001', '0.0001'],
    [0.00001, '1e-05', '0.00001'],
    [-1.5e-7, '-1.5e-07', '-0.00000015'],
    [1e21, '1e+21', '1000000000000000000000'],
    [5e-324, '5e-324', `0.${'0'.repeat(323)}5`],
    [1.7976931348623157e308, '1.7976931348623157e+308', `17976931348623157${'0'.repeat(292)}`],
    [Number.NaN, 'NaN', 'NaN'],
    [Infinity, '+Inf', 'Infinity'],
    [-Infinity, '-Inf', '-Infinity'],
  ])('%d is %s, plain %s', (value, general, plain) => {
    expect(formatDouble(value)).toBe(general);
    expect(formatDoublePlain(value)).toBe(plain);
  });

  it('reads back as itself whatever the value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseDoubleText(formatDouble(value))).toEqual(doubleValue(value));
        expect(parseDoubleText(formatDoublePlain(value))).toEqual(doubleValue(value));
      }),
    );
  });
});

describe('the exact decimal expansion', () => {
  it.each([
    [1.005, 2, '1.00'],
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [-0.5, 0, '-0'],
    [-1234567.5, 2, '-1234567.50'],
    [0.1, 20, '0.10000000000000000555'],
    [1e21, 1, '1000000000000000000000.0'],
    [1e23, 0, '99999999999999991611392'],
    [0, 3, '0.000'],
    [9.999, 2, '10.00'],
  ])('%d with %i fraction digits is %s', (value, digits, text) => {
    expect(fixedDecimal(value, digits)).toBe(text);
  });

  it.each([
    [2.75, 6, '2.750000', 0],
    [1e-323, 1, '9.9', -324],
    [2.5, 0, '2', 0],
    [9.5, 0, '1', 1],
    [9.9999, 2, '1.00', 1],
    [1e23, 16, '9.9999999999999992', 22],
    [1e23, 6, '1.000000', 23],
    [-1.5e-7, 1, '-1.5', -7],
    [0, 2, '0.00', 0],
    [5e-324, 3, '4.941', -324],
  ])('%d with %i digits after the first is %se%i', (value, digits, mantissa, exponent) => {
    expect(scientificDecimal(value, digits)).toEqual({ mantissa, exponent });
  });

  it('agrees with the host wherever the host is exact', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.integer({ min: 0, max: 40 }),
        (value, digits) => {
          const { mantissa, exponent } = scientificDecimal(value, digits);
          const host = value.toExponential(digits);
          // The host rounds exact halves up, the product rounds them to even; those values are covered above.
          const exact =
            value
              .toExponential(60)
              .split('e')[0]
              ?.replace('-', '')
              .replace('.', '')
              .slice(digits + 1) ?? '';
          if (/^50*$/.test(exact)) return;
          const sign = Object.is(value, -0) ? '-' : '';
          expect(`${mantissa}e${exponent < 0 ? '' : '+'}${exponent}`).toBe(sign + host);
        },
      ),
    );
  });
});

describe('numbers from text', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['+12', 12],
    ['007', 7],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    [`${'0'.repeat(400)}5`, 5],
  ])('%s is the int %s', (text, value) => {
    expect(parseIntText(text)).toBe(value);
  });

  it.each(['', '+', ' 1', '1 ', '0x10', '1.0', '1e3', '1_000', '9223372036854775808', `1${'0'.repeat(400)}`, '٣'])(
    '%j is no int',
    (text) => {
      expect(parseIntText(text)).toMatchObject({ code: 'bad_conversion' });
    },
  );

  it('takes uints without sign up to 64 bits', () => {
    expect(parseUintText('18446744073709551615')).toEqual(new CelUint(18446744073709551615n));
    for (const text of ['-1', '+1', '18446744073709551616', '', '1u']) {
      expect(parseUintText(text), text).toMatchObject({ code: 'bad_conversion' });
    }
  });

  it.each([
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1.', 1],
    ['-1e-3', -0.001],
    ['1E3', 1000],
    ['1_000.2_5', 1000.25],
    ['0x1p-2', 0.25],
    ['-0X1.8P1', -3],
    ['0x.8p0', 0.5],
    ['0x1.00000000000008p0', 1],
    ['0x1.00000000000018p0', 1.0000000000000004],
    ['0x1p-1074', 5e-324],
    ['0x1.8p-1075', 5e-324],
    ['0x1p-1075', 0],
    ['Inf', Infinity],
    ['-INFINITY', -Infinity],
    ['nAn', Number.NaN],
  ])('%s is the double %d', (text, value) => {
    const parsed = parseDoubleText(text);
    expect(typeof parsed === 'number' || parsed instanceof CelDouble ? numberOfDouble(parsed) : parsed).toBe(value);
  });

  it.each(['', ' 1', '1 ', '.', 'e5', '0x1', '0x1.5', '1e400', '0x1p1024', '-nan', 'infin', '1__0', '_1', '1_', '1,5'])(
    '%j is no double',
    (text) => {
      expect(parseDoubleText(text)).toMatchObject({ code: 'bad_conversion' });
    },
  );

  it('knows the twelve texts of bools', () => {
    expect(['1', 't', 'T', 'true', 'TRUE', 'True'].map(parseBoolText)).toEqual(Array(6).fill(true));
    expect(['0', 'f', 'F', 'false', 'FALSE', 'False'].map(parseBoolText)).toEqual(Array(6).fill(false));
    for (const text of ['', 'tRUE', 'yes', ' true'])
      expect(parseBoolText(text)).toMatchObject({ code: 'bad_conversion' });
  });
});

describe('UTF-8', () => {
  it('keeps a byte order mark, refuses what is ill-formed, replaces lone surrogates', () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
    expect(decodeUtf8(new Uint8Array([0xc3]))).toMatchObject({ code: 'bad_utf8' });
    expect(decodeUtf8(new Uint8Array([0xed, 0xa0, 0x80]))).toMatchObject({ code: 'bad_utf8' });
    expect([...encodeUtf8('a\ud800')]).toEqual([0x61, 0xef, 0xbf, 0xbd]);
  });
});
