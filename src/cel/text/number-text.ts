import { CelError } from '../error.ts';
import { CelUint, type CelValue } from '../value/cel-value.ts';
import { doubleValue, INT_MAX, INT_MIN, intFromBigInt, UINT_MAX } from '../value/number.ts';

/** Shortest digits that read back as this finite double, and the decimal exponent of the first. */
function shortestDigits(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function plainText(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/**
 * A double as Go's `%g` writes it: shortest digits, plain for decimal exponents −4…5, else `1e+06`; `NaN`, `+Inf`,
 * `-Inf`, `-0`; integral values without a point.
 */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = isNegative(value) ? '-' : '';
  const { digits, exponent } = shortestDigits(value);
  if (exponent >= -4 && exponent < 6) return sign + plainText(digits, exponent);
  const mantissa = digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
  return `${sign}${mantissa}e${exponentText(exponent)}`;
}

/** Sign and at least two digits: `+06`, `-05`, `+300`. */
export function exponentText(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Shortest digits that read back, never with an exponent; `NaN`, `Infinity`, `-Infinity`. */
export function formatDoublePlain(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const { digits, exponent } = shortestDigits(value);
  return (isNegative(value) ? '-' : '') + plainText(digits, exponent);
}

/** Messages of conversions never quote the text: it may come out of a Secret. */
function bad(type: string): CelError {
  return new CelError('bad_conversion', `the string is no ${type}`);
}

/** Longest run of digits worth turning into a bigint; leading zeros aside, 20 digits are beyond 64 bits. */
function boundedInteger(text: string, min: bigint, max: bigint): bigint | undefined {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (digits.length > 21) return undefined;
  const value = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  return value >= min && value <= max ? value : undefined;
}

/** An int of decimal text with optional sign; no spaces, no hex. `bad_conversion` for others and beyond 64 bits. */
export function parseIntText(text: string): CelValue | CelError {
  if (!/^[+-]?\d+$/.test(text)) return bad('int');
  const value = boundedInteger(text, INT_MIN, INT_MAX);
  return value === undefined ? bad('64-bit int') : intFromBigInt(value);
}

/** A uint of decimal text without sign. `bad_conversion` for others and beyond 64 bits. */
export function parseUintText(text: string): CelValue | CelError {
  if (!/^\d+$/.test(text)) return bad('uint');
  const value = boundedInteger(text, 0n, UINT_MAX);
  return value === undefined ? bad('64-bit uint') : new CelUint(value);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const HEX_FLOAT = /^([+-]?)0x(?:([\da-f]+)(?:\.([\da-f]*))?|\.([\da-f]+))p([+-]?\d+)$/i;

/**
 * A double of decimal or hexadecimal floating point text, `inf`, `infinity` or `nan` in any case. `bad_conversion` for
 * others and for values out of range. As in Go, single underscores may stand between digits.
 */
export function parseDoubleText(text: string): CelValue | CelError {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const digits = text.includes('_') && !/(?<![\da-fx])_|_(?![\da-f])/i.test(text) ? text.replaceAll('_', '') : text;
  const value = DECIMAL.test(digits) ? Number(digits) : parseHexFloat(digits);
  if (value === undefined) return bad('double');
  return Number.isFinite(value) ? doubleValue(value) : bad('double within range');
}

function parseHexFloat(text: string): number | undefined {
  const match = HEX_FLOAT.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', onlyFraction = '', power = '0'] = match;
  const fractionDigits = fraction + onlyFraction;
  const mantissa = BigInt(`0x${whole}${fractionDigits}`);
  const magnitude = roundToDouble(mantissa, Number(power) - 4 * fractionDigits.length);
  return sign === '-' ? -magnitude : magnitude;
}

/** mantissa·2^exponent rounded half to even once, subnormals included. */
function roundToDouble(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  if (bits + exponent > 1024) return Infinity;
  const kept = Math.min(53, bits + exponent + 1074);
  if (kept < 0) return 0;
  const drop = bits - kept;
  if (drop <= 0) return Number(mantissa) * 2 ** exponent;
  const shift = BigInt(drop);
  const half = 1n << (shift - 1n);
  const rest = mantissa & ((1n << shift) - 1n);
  let quotient = mantissa >> shift;
  if (rest > half || (rest === half && (quotient & 1n) === 1n)) quotient += 1n;
  return Number(quotient) * 2 ** (exponent + drop);
}

const TRUE_TEXTS = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** The texts that Go's `strconv.ParseBool` takes; `bad_conversion` for others. */
export function parseBoolText(text: string): boolean | CelError {
  if (TRUE_TEXTS.has(text)) return true;
  return FALSE_TEXTS.has(text) ? false : bad('bool');
}
