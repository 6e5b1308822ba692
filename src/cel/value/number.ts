import { CelDouble, type CelValue } from './cel-value.ts';

export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;
export const UINT_MAX = 2n ** 64n - 1n;
const TWO_63 = 2 ** 63;

/** True for every representation of a CEL int. Raw numbers must have gone through `canonicalNumber`. */
export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint';
}

export function isDouble(value: unknown): value is number | CelDouble {
  return typeof value === 'number' ? !Number.isInteger(value) : value instanceof CelDouble;
}

/** An int in its one representation; the caller has checked the int64 range. */
export function intFromBigInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** A double in its one representation. */
export function doubleValue(value: number): number | CelDouble {
  return Number.isInteger(value) ? new CelDouble(value) : value;
}

/** The JavaScript number behind a double. */
export function numberOfDouble(value: number | CelDouble): number {
  return typeof value === 'number' ? value : value.value;
}

/**
 * A number of the input data as a CEL value: integral and safe → int; integral and unsafe within int64 → int with the exact
 * value of the double; anything else → double.
 */
export function canonicalNumber(value: number): CelValue {
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  return value >= -TWO_63 && value < TWO_63 ? BigInt(value) : new CelDouble(value);
}
