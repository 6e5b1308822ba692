import { CelError } from '../error.ts';
import { CelObject } from './cel-object.ts';
import { CelType } from './cel-type.ts';
import {
  CelDouble,
  CelDuration,
  CelOpaque,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './cel-value.ts';
import { type CelConcatList, isList, listItems } from './list.ts';
import { type CelMap, isMap, mapEntries, mapGet, mapKey, mapSize } from './map.ts';
import { canonicalNumber, isDouble } from './number.ts';
import { typeOf } from './type-of.ts';

/** Deepest nesting any traversal follows; beyond it the answer is `nesting_too_deep`. */
export const MAX_DEPTH = 512;

/** Where a traversal reports its steps, so that comparing two huge values cannot outrun the work limit. */
export interface WorkCounter {
  work(steps: number): void;
}

const UNCOUNTED: WorkCounter = { work: () => {} };

/** The number behind an int, uint or double; undefined for anything else. */
export function numeric(value: CelResult): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof CelDouble || value instanceof CelUint) return value.value;
  return undefined;
}

/**
 * The order of two numbers of any types. A bigint and a number compare exactly in JavaScript, but the reference and the
 * specification's cases compare an int or uint with a double as doubles: 9223372036854775807 and 2⁶³ are equal there.
 */
export function compareNumbers(a: CelValue, b: CelValue, x: number | bigint, y: number | bigint): number {
  const left = typeof x === 'bigint' && isDouble(b) ? Number(x) : x;
  const right = typeof y === 'bigint' && isDouble(a) ? Number(y) : y;
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * CEL equality: false for different types, numbers by value whatever their type (`compareNumbers`), NaN equal to nothing. Two
 * library values of different classes are `no_such_overload`, nesting beyond 512 is `nesting_too_deep`.
 */
export function equal(a: CelValue, b: CelValue, counter: WorkCounter = UNCOUNTED): boolean | CelError {
  if (typeof a !== 'object' && typeof b !== 'object') return a === b;
  return equalAt(a, b, counter, 0);
}

function equalAt(a: CelValue, b: CelValue, counter: WorkCounter, depth: number): boolean | CelError {
  if (a === null || b === null) return a === b;
  const x = numeric(typeof a === 'number' ? canonicalNumber(a) : a);
  if (x !== undefined) {
    const y = numeric(typeof b === 'number' ? canonicalNumber(b) : b);
    return y !== undefined && !Number.isNaN(x) && !Number.isNaN(y) && compareNumbers(a, b, x, y) === 0;
  }
  if (typeof a !== 'object') return a === b;
  if (depth > MAX_DEPTH) return new CelError('nesting_too_deep', `values nest deeper than ${MAX_DEPTH} levels`);
  if (isList(a)) return isList(b) && listsEqual(a, b, counter, depth);
  if (isMap(a)) return isMap(b) && mapsEqual(a, b, counter, depth);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && bytesEqual(a, b, counter);
  return a instanceof CelObject && objectsEqual(a, b, counter, depth);
}

function listsEqual(
  a: readonly CelValue[] | CelConcatList,
  b: readonly CelValue[] | CelConcatList,
  counter: WorkCounter,
  depth: number,
): boolean | CelError {
  if (a.length !== b.length) return false;
  counter.work(a.length);
  const left = listItems(a);
  const right = listItems(b);
  let failure: CelError | undefined;
  for (let index = 0; index < left.length; index += 1) {
    const same = equalAt(left[index]!, right[index]!, counter, depth + 1);
    if (same === false) return false;
    if (same !== true) failure ??= same;
  }
  return failure ?? true;
}

type AnyMap = CelMap | { readonly [field: string]: CelValue };

function mapsEqual(a: AnyMap, b: AnyMap, counter: WorkCounter, depth: number): boolean | CelError {
  const entries = mapEntries(a);
  counter.work(entries.length);
  if (entries.length !== mapSize(b)) return false;
  let failure: CelError | undefined;
  for (const { key, value } of entries) {
    const lookup = mapKey(key);
    const other = lookup === undefined ? undefined : mapGet(b, lookup);
    if (other === undefined) return false;
    const same = equalAt(value, other, counter, depth + 1);
    if (same === false) return false;
    if (same !== true) failure ??= same;
  }
  return failure ?? true;
}

function bytesEqual(a: Uint8Array, b: Uint8Array, counter: WorkCounter): boolean {
  if (a.length !== b.length) return false;
  counter.work(a.length);
  return a.every((byte, index) => byte === b[index]);
}

function objectsEqual(a: CelObject, b: CelValue, counter: WorkCounter, depth: number): boolean | CelError {
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional) || a.present !== b.present) return false;
    return !a.present || equalAt(a.value, b.value, counter, depth + 1);
  }
  if (a instanceof CelOpaque) {
    // The cast is the check before it: `equals` takes its own class only.
    if (a.constructor === Object(b).constructor) return a.equals(b as CelOpaque);
    return new CelError('no_such_overload', `no such overload: ${a.type} == ${typeOf(b)}`);
  }
  return false;
}
