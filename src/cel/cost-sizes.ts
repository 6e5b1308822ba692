import { opaque } from './value/cel-type.ts';
import { CelOpaque, CelOptional, type CelResult } from './value/cel-value.ts';
import { MAX_DEPTH } from './value/equality.ts';
import { isList, listItems } from './value/list.ts';
import { isMap, mapEntries } from './value/map.ts';
import { codePointLength, sizeOf, utf8Length } from './value/size.ts';

/**
 * Size of a value for the cost rules of the reference: code points, bytes, elements, entries; of an optional its value's;
 * of a library value what it says; 1 of anything else, errors among it.
 */
export function costSize(value: CelResult): number {
  if (typeof value === 'string') return codePointLength(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelOptional) return value.present ? costSize(value.value) : 1;
  if (value instanceof CelOpaque) return value.costSize();
  return sizeOf(value) ?? 1;
}

/** Sizes without a value: what the static estimate hands to cost rules. */
export class SizeStandIn extends CelOpaque {
  readonly type = STAND_IN;
  /** What walking the value costs. */
  readonly walk: number;
  /** A list whose elements may be texts, which cost more to compare. */
  readonly mayHoldTexts: boolean;
  private readonly size: number;

  constructor(size: number, walk: number, mayHoldTexts: boolean) {
    super();
    this.size = size;
    this.walk = walk;
    this.mayHoldTexts = mayHoldTexts;
  }

  override costSize(): number {
    return this.size;
  }

  override equals(): boolean {
    return false;
  }
}

const STAND_IN = opaque('size');

/** ⌈0.1·n⌉: the reference's price of passing once over n units of text. */
export function tenth(size: number): number {
  return Math.ceil(size / 10);
}

/** ⌈0.2·n⌉: the price of passing over a text and building another. */
export function fifth(size: number): number {
  return Math.ceil(size / 5);
}

/** ⌈0.25·n⌉: the price of a pattern of n code points. */
export function quarter(size: number): number {
  return Math.ceil(size / 4);
}

/** ⌈0.1·|value|⌉; short texts are told by their UTF-16 length, which never needs counting code points. */
export function tenthOf(value: CelResult): number {
  if (typeof value === 'string' && value.length <= 10) return value.length === 0 ? 0 : 1;
  return tenth(costSize(value));
}

/** ⌈0.2·|value|⌉. */
export function fifthOf(value: CelResult): number {
  return fifth(costSize(value));
}

/** ⌈0.1·(1+|text|)⌉·⌈0.25·|pattern|⌉: the reference's price of a regular expression over a text. */
export function regexCost(text: CelResult, pattern: CelResult): number {
  return tenth(1 + costSize(text)) * quarter(costSize(pattern));
}

/** ⌈0.1·min(|a|,|b|)⌉: equality, and the order of strings and bytes. */
export function comparisonCost(a: CelResult, b: CelResult): number {
  return tenth(Math.min(costSize(a), costSize(b)));
}

/**
 * The reference's price of walking a value once: ⌊0.1·bytes⌋ of a string or bytes, 1 of another scalar, the sum over all
 * elements, keys and values of a list or map. Below 512 levels everything counts 1.
 */
export function traversalCost(value: CelResult): number {
  return costAt(value, 0, new Map());
}

/**
 * `known` holds the lists and maps seen so far: a value that contains another twice, thirty levels deep, stands for a
 * thousand million elements, which nobody may count one by one.
 */
function costAt(value: CelResult, depth: number, known: Map<object, number>): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) / 10);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 1;
  if (value instanceof Uint8Array) return Math.floor(value.length / 10);
  if (value instanceof SizeStandIn) return value.walk;
  const seen = known.get(value);
  if (seen !== undefined) return seen;
  let sum = 0;
  if (isList(value)) for (const item of listItems(value)) sum += costAt(item, depth + 1, known);
  else if (isMap(value)) {
    for (const entry of mapEntries(value))
      sum += costAt(entry.key, depth + 1, known) + costAt(entry.value, depth + 1, known);
  } else return 1;
  known.set(value, sum);
  return sum;
}
