import { tenthOf } from '../cost-sizes.ts';
import type { CallContext, FunctionDeclaration, Overload } from '../declarations.ts';
import { CelError } from '../error.ts';
import { formatDouble, parseBoolText, parseDoubleText, parseIntText, parseUintText } from '../text/number-text.ts';
import { decodeUtf8, encodeUtf8 } from '../text/utf8.ts';
import { formatDuration, parseDuration } from '../time/duration-text.ts';
import { formatTimestamp, parseTimestamp } from '../time/rfc3339.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT } from '../value/cel-type.ts';
import { type CelDouble, type CelDuration, type CelTimestamp, CelUint, type CelValue } from '../value/cel-value.ts';
import { doubleValue, intFromBigInt, numberOfDouble, UINT_MAX } from '../value/number.ts';
import { checkTimestamp, durationNanos } from '../value/time-range.ts';
import { declare, globalForm } from './declare.ts';

type Int = number | bigint;
type Double = number | CelDouble;
const TWO_63 = 2 ** 63;
const TWO_64 = 2 ** 64;

function same(_context: CallContext, value: CelValue): CelValue {
  return value;
}

function overflow(type: string, value: number | bigint): CelError {
  return new CelError('overflow', `${value} is out of the range of ${type}`);
}

/** Truncated; the bounds themselves are refused, as the reference does for −2⁶³ too. */
function intOfDouble(_context: CallContext, value: Double): CelValue | CelError {
  const number = numberOfDouble(value);
  if (!(number > -TWO_63 && number < TWO_63)) return overflow('int', number);
  const whole = Math.trunc(number);
  return Number.isSafeInteger(whole) ? whole + 0 : intFromBigInt(BigInt(whole));
}

function intOfUint(_context: CallContext, value: CelUint): CelValue | CelError {
  return value.value >= 2n ** 63n ? overflow('int', value.value) : intFromBigInt(value.value);
}

function uintOfInt(_context: CallContext, value: Int): CelValue | CelError {
  return value < 0 ? overflow('uint', value) : new CelUint(BigInt(value));
}

function uintOfDouble(_context: CallContext, value: Double): CelValue | CelError {
  const number = numberOfDouble(value);
  if (!(number >= 0 && number < TWO_64)) return overflow('uint', number);
  const whole = BigInt(Math.trunc(number));
  return whole > UINT_MAX ? overflow('uint', number) : new CelUint(whole);
}

function timestampOfInt(_context: CallContext, seconds: Int): CelValue | CelError {
  return checkTimestamp(Number(seconds), 0);
}

/** The overload exists so that the call compiles, as in the reference; it has never had a meaning. */
function durationOfInt(): CelError {
  return new CelError('bad_conversion', 'an int is no duration: write a string with a unit, duration("30s")');
}

type Row = readonly [from: CelType, impl: Overload['impl'], cost?: Overload['cost']];

function conversion(name: string, to: CelType, rows: readonly Row[]): FunctionDeclaration {
  return declare(name, () => rows.map(([from, impl, cost]) => globalForm([from], to, impl, cost)));
}

/** int uint double bool string bytes timestamp duration as functions. */
export function conversions(): readonly FunctionDeclaration[] {
  return [
    conversion('int', INT, [
      [INT, same],
      [DOUBLE, intOfDouble],
      [DURATION, (_context, value: CelDuration) => intFromBigInt(durationNanos(value))],
      [STRING, (_context, text: string) => parseIntText(text)],
      [TIMESTAMP, (_context, value: CelTimestamp) => value.seconds],
      [UINT, intOfUint],
    ]),
    conversion('uint', UINT, [
      [UINT, same],
      [DOUBLE, uintOfDouble],
      [INT, uintOfInt],
      [STRING, (_context, text: string) => parseUintText(text)],
    ]),
    conversion('double', DOUBLE, [
      [DOUBLE, same],
      [INT, (_context, value: Int) => doubleValue(Number(value))],
      [STRING, (_context, text: string) => parseDoubleText(text)],
      [UINT, (_context, value: CelUint) => doubleValue(Number(value.value))],
    ]),
    conversion('bool', BOOL, [
      [BOOL, same],
      [STRING, (_context, text: string) => parseBoolText(text)],
    ]),
    conversion('string', STRING, [
      [STRING, same],
      [BOOL, (_context, value: boolean) => String(value)],
      [BYTES, bytesToString, (_result, bytes) => tenthOf(bytes)],
      [DOUBLE, (_context, value: Double) => formatDouble(numberOfDouble(value))],
      [DURATION, (_context, value: CelDuration) => formatDuration(value)],
      [INT, (_context, value: Int) => String(value)],
      [TIMESTAMP, (_context, value: CelTimestamp) => formatTimestamp(value)],
      [UINT, (_context, value: CelUint) => String(value.value)],
    ]),
    conversion('bytes', BYTES, [
      [BYTES, same],
      [STRING, stringToBytes, (_result, text) => tenthOf(text)],
    ]),
    conversion('timestamp', TIMESTAMP, [
      [TIMESTAMP, same],
      [INT, timestampOfInt],
      [STRING, (_context, text: string) => parseTimestamp(text)],
    ]),
    conversion('duration', DURATION, [
      [DURATION, same],
      [INT, durationOfInt],
      [STRING, (_context, text: string) => parseDuration(text)],
    ]),
  ];
}

function bytesToString(context: CallContext, bytes: Uint8Array): string | CelError {
  context.work(bytes.length);
  return decodeUtf8(bytes);
}

function stringToBytes(context: CallContext, text: string): Uint8Array {
  context.work(text.length);
  return encodeUtf8(text);
}
