import { CelError } from '../error.ts';
import { CelDuration, CelTimestamp, type CelValue } from './cel-value.ts';
import { compareNumbers, numeric } from './equality.ts';
import { typeOf } from './type-of.ts';

/**
 * Negative, 0 or positive as `a` stands before, with or after `b`. bool (false < true), numbers by value across types,
 * string by code point, bytes, timestamp, duration; `nan_order` for NaN, `no_such_overload` for anything else.
 */
export function compare(a: CelValue, b: CelValue): number | CelError {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const x = numeric(a);
  if (x !== undefined) {
    const y = numeric(b);
    if (y === undefined) return noOrder(a, b);
    if (Number.isNaN(x) || Number.isNaN(y)) return new CelError('nan_order', 'NaN values cannot be ordered');
    return compareNumbers(a, b, x, y);
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof CelDuration && b instanceof CelDuration) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return noOrder(a, b);
}

function noOrder(a: CelValue, b: CelValue): CelError {
  return new CelError('no_such_overload', `no order between ${typeOf(a)} and ${typeOf(b)}`);
}

/** Code point order. UTF-16 units order the same but for surrogates, which must sort above U+E000…U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

function codePointRank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    if (a[index] !== b[index]) return a[index]! - b[index]!;
  }
  return a.length - b.length;
}
