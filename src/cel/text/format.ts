import { CelError } from '../error.ts';
import { CelDouble, CelUint, type CelValue } from '../value/cel-value.ts';
import type { WorkCounter } from '../value/equality.ts';
import { isDouble, isInt, numberOfDouble } from '../value/number.ts';
import { typeOf } from '../value/type-of.ts';
import { fixedDecimal, fixedInteger, scientificDecimal } from './exact-decimal.ts';
import { type ClauseKind, parseTemplate } from './format-template.ts';
import { literalText, plainText } from './format-value.ts';
import { exponentText, formatDoublePlain } from './number-text.ts';
import { encodeUtf8 } from './utf8.ts';

/**
 * - `literal`: versions 1–3 of the strings library (Kubernetes): values inside lists and maps look like CEL literals,
 *   `%f` groups digits and `%e` uses powers of ten, as the locale en-US does.
 * - `plain`: version 4, the text of the CEL specification.
 */
export type FormatStyle = 'literal' | 'plain';

const DEFAULT_PRECISION = 6;
/** Texts that stand for the doubles without digits; only the literal style takes them as arguments. */
const NON_FINITE: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity };

/** `template.format(args)`. `index_out_of_bounds` for too few arguments, `bad_argument` for what does not fit a clause. */
export function formatTemplate(
  template: string,
  args: readonly CelValue[],
  style: FormatStyle,
  counter: WorkCounter,
): string | CelError {
  const parts = parseTemplate(template);
  if (parts instanceof CelError) return parts;
  let text = '';
  let next = 0;
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = args[next];
    if (value === undefined) return new CelError('index_out_of_bounds', `format: index ${next} out of range`);
    const formatted = formatClause(part.clause, part.precision ?? DEFAULT_PRECISION, value, style, counter);
    if (formatted instanceof CelError) return formatted;
    counter.work(formatted.length);
    text += formatted;
    next += 1;
  }
  return text;
}

/** One value under one clause. */
function formatClause(
  clause: ClauseKind,
  precision: number,
  value: CelValue,
  style: FormatStyle,
  counter: WorkCounter,
): string | CelError {
  switch (clause) {
    case 's':
      return style === 'literal' ? literalText(value, counter) : plainText(value, counter);
    case 'd':
      return decimal(value, style);
    case 'f':
      return style === 'literal' ? groupedFixed(value, precision) : plainFixed(value, precision);
    case 'e':
      return style === 'literal' ? powerOfTen(value, precision) : plainScientific(value, precision);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : radix(value, 2, '%b', 'an int, uint or bool');
    case 'o':
      return radix(value, 8, '%o', 'an int or uint');
    case 'x':
      return hex(value);
    case 'X': {
      const text = hex(value);
      return text instanceof CelError ? text : text.toUpperCase();
    }
  }
}

function misfit(clause: string, wanted: string, value: CelValue): CelError {
  return new CelError('bad_argument', `format: ${clause} takes ${wanted}, not ${typeOf(value)}`);
}

/** An int or uint as a bigint. */
function wholeNumber(value: CelValue): bigint | undefined {
  if (value instanceof CelUint) return value.value;
  return isInt(value) ? BigInt(value) : undefined;
}

function decimal(value: CelValue, style: FormatStyle): string | CelError {
  const whole = wholeNumber(value);
  if (whole !== undefined) return String(whole);
  if (style === 'plain' && isDouble(value)) return formatDoublePlain(numberOfDouble(value));
  return misfit('%d', style === 'plain' ? 'a number' : 'an int or uint', value);
}

function radix(value: CelValue, base: number, clause: string, wanted: string): string | CelError {
  return wholeNumber(value)?.toString(base) ?? misfit(clause, wanted, value);
}

function hex(value: CelValue): string | CelError {
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return radix(bytes, 16, '%x', 'an int, uint, string or bytes');
}

function plainFixed(value: CelValue, precision: number): string | CelError {
  const whole = wholeNumber(value);
  if (whole !== undefined) return fixedInteger(whole, precision);
  if (!isDouble(value)) return misfit('%f', 'a number', value);
  const number = numberOfDouble(value);
  return Number.isFinite(number) ? fixedDecimal(number, precision) : String(number);
}

function plainScientific(value: CelValue, precision: number): string | CelError {
  const number = value instanceof CelDouble || typeof value === 'number' ? numberOfDouble(value) : wholeNumber(value);
  if (number === undefined) return misfit('%e', 'a number', value);
  if (typeof number === 'number' && !Number.isFinite(number)) return String(number);
  const { mantissa, exponent } = scientificDecimal(Number(number), precision);
  return `${mantissa}e${exponentText(exponent)}`;
}

/** The double of a `%f` or `%e` argument in the literal style; −0 prints as 0 there. */
function localisedNumber(clause: string, value: CelValue): number | CelError {
  const named = typeof value === 'string' && Object.hasOwn(NON_FINITE, value) ? NON_FINITE[value] : undefined;
  if (named !== undefined) return named;
  return isDouble(value) ? numberOfDouble(value) + 0 : misfit(clause, 'a double', value);
}

function localisedNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '-∞';
}

function groupedFixed(value: CelValue, precision: number): string | CelError {
  const number = localisedNumber('%f', value);
  if (number instanceof CelError) return number;
  if (!Number.isFinite(number)) return localisedNonFinite(number);
  const [whole = '', fraction] = fixedDecimal(number, precision).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return (exponent < 0 ? '⁻' : '') + Array.from(digits, (digit) => SUPERSCRIPTS.charAt(Number(digit))).join('');
}

/**
 * `2.718280×10⁰⁰`. Always six fraction digits: the reference passes the precision on as a minimal width. Older versions
 * of its text library put narrow no-break spaces around the ×; that of Kubernetes 1.36 does not.
 */
function powerOfTen(value: CelValue, precision: number): string | CelError {
  const number = localisedNumber('%e', value);
  if (number instanceof CelError) return number;
  if (!Number.isFinite(number)) return localisedNonFinite(number).padStart(precision);
  const { mantissa, exponent } = scientificDecimal(number, DEFAULT_PRECISION);
  return `${mantissa}×10${superscript(exponent)}`.padStart(precision);
}
