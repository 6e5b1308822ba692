/** Bounds of a number: `min` ≤ it ≤ `max`; `max` may be Infinity. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const ZERO: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };
export const ANY: Range = { min: 0, max: Number.POSITIVE_INFINITY };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function upTo(max: number): Range {
  return { min: 0, max };
}

export function plus(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min, max };
}

/** The product of two bounds: nothing of endlessly much is nothing. */
export function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

/** The least range that holds both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
