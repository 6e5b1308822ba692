import { CelError } from './error.ts';
import { formatDuration } from './time/duration-text.ts';
import { CelObject } from './value/cel-object.ts';
import { CelType } from './value/cel-type.ts';
import {
  CelDouble,
  CelDuration,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './value/cel-value.ts';
import { MAX_DEPTH } from './value/equality.ts';
import { isList, listItems } from './value/list.ts';
import { CelMap, mapKey } from './value/map.ts';
import { canonicalNumber, INT_MAX, INT_MIN, intFromBigInt } from './value/number.ts';
import { checkTimestamp } from './value/time-range.ts';

/** Texts without any of these keep all that `JSON.parse` needs: a point or exponent, 16 digits, minus zero. */
const SPECIAL_NUMBER = /\d[.eE]|\d{16}|-0/;

/**
 * Parses JSON and keeps what `JSON.parse` loses: integers beyond 2⁵³−1 become `bigint` (`CelDouble` outside int64), and
 * literals with a point or exponent whose value is integral (`1.0`, `1e3`) become `CelDouble`. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  return SPECIAL_NUMBER.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const literal = context?.source ?? String(value);
  if (/[.eE]/.test(literal)) return Number.isInteger(value) ? new CelDouble(value) : value;
  if (Number.isSafeInteger(value)) return value + 0;
  const whole = BigInt(literal);
  return whole >= INT_MIN && whole <= INT_MAX ? intFromBigInt(whole) : new CelDouble(value);
}

/**
 * A JavaScript value as a CEL value: JSON values, CEL's own classes, `bigint` (int), `Date` (timestamp), `Map` with
 * scalar keys, `Uint8Array`; `undefined` in objects counts as absent. Throws `TypeError` for anything else (functions,
 * class instances, cycles).
 */
export function fromJs(value: unknown): CelValue {
  return convert(value, 0);
}

function convert(value: unknown, depth: number): CelValue {
  if (depth > MAX_DEPTH) throw new TypeError(`the value nests deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return canonicalNumber(value);
    case 'bigint':
      if (value < INT_MIN || value > INT_MAX) throw new TypeError(`${value} does not fit a 64-bit int`);
      return intFromBigInt(value);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : convertObject(value, depth);
    default:
      throw new TypeError(`a ${typeof value} is no CEL value`);
  }
}

function convertObject(value: object, depth: number): CelValue {
  if (value instanceof CelObject || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, depth + 1));
  if (value instanceof Date) return timestampOfDate(value);
  if (value instanceof Map) return convertMap(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`an instance of ${value.constructor?.name ?? 'a class'} is no CEL value`);
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, convert(field, depth + 1)]));
}

function timestampOfDate(date: Date): CelTimestamp {
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const timestamp = checkTimestamp(seconds, (milliseconds - seconds * 1000) * 1_000_000);
  if (timestamp instanceof CelError) throw new TypeError(timestamp.message);
  return timestamp;
}

function convertMap(source: ReadonlyMap<unknown, unknown>, depth: number): CelMap {
  const map = new CelMap();
  for (const [sourceKey, value] of source) {
    const key = convert(sourceKey, depth + 1);
    const canonical = key instanceof CelDouble ? undefined : mapKey(key);
    if (canonical === undefined || (typeof key === 'number' && !Number.isInteger(key))) {
      throw new TypeError('keys of a map are bool, int, uint or string');
    }
    if (!map.insert(key, canonical, convert(value, depth + 1))) {
      throw new TypeError(`the key ${String(sourceKey)} is there twice`);
    }
  }
  return map;
}

/**
 * A CEL value as plain JavaScript: ints and uints as `number`, beyond 2⁵³−1 as `bigint`; doubles as `number`; timestamps
 * as `Date` (cut to milliseconds); durations, types and library values as text; an optional as its value or `undefined`; a
 * map as an object, as `Map` when a key is no string. Throws `TypeError` beyond 512 levels.
 */
export function toJs(value: CelValue): unknown {
  return plain(value, 0);
}

function plain(value: CelValue, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TypeError(`the value nests deeper than ${MAX_DEPTH} levels`);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isList(value)) return listItems(value).map((item) => plain(item, depth + 1));
  if (value instanceof CelObject) return plainObject(value, depth);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field, depth + 1)]));
}

function plainObject(value: CelObject, depth: number): unknown {
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return intFromBigInt(value.value);
  if (value instanceof CelTimestamp) return new Date(value.seconds * 1000 + Math.floor(value.nanos / 1_000_000));
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelOptional) return value.present ? plain(value.value, depth + 1) : undefined;
  if (value instanceof CelType) return value.name;
  if (value instanceof CelOpaque) return value.text() ?? value.type.name;
  if (value instanceof CelMap) return plainMap(value, depth);
  return value;
}

function plainMap(map: CelMap, depth: number): unknown {
  const entries = Array.from(map.entries(), ({ key, value }): [unknown, unknown] => [
    plain(key, depth + 1),
    plain(value, depth + 1),
  ]);
  const named = entries.filter((entry): entry is [string, unknown] => typeof entry[0] === 'string');
  return named.length === entries.length ? Object.fromEntries(named) : new Map(entries);
}
