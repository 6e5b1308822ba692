import type { CelError } from '../error.ts';
import { CelObject } from './cel-object.ts';
import type { CelType } from './cel-type.ts';

/**
 * | CEL type | JavaScript |
 * |---|---|
 * | null, bool, string | `null`, `boolean`, `string` |
 * | int | `number` when integral and |n| ≤ 2⁵³−1, else `bigint` (canonical: a safe value is never a bigint) |
 * | double | `number` when not integral (NaN, ±Infinity included), else `CelDouble` |
 * | uint | `CelUint` |
 * | bytes | `Uint8Array` |
 * | list | array or `CelConcatList` |
 * | map | plain object (string keys) or `CelMap` |
 * | timestamp, duration, type, optional, library values | subclasses of `CelObject` |
 */
export type CelValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | Uint8Array
  | CelObject
  | readonly CelValue[]
  | { readonly [field: string]: CelValue };

/** What an evaluation step gives: a value or an error value. */
export type CelResult = CelValue | CelError;

export class CelUint extends CelObject {
  readonly value: bigint;
  /** 0 ≤ value < 2⁶⁴, not checked here. */
  constructor(value: bigint) {
    super();
    this.value = value;
  }
}

/** A double whose value is integral (−0 included), which a bare `number` would read as an int. */
export class CelDouble extends CelObject {
  readonly value: number;
  constructor(value: number) {
    super();
    this.value = value;
  }
}

/** Seconds since 1970 (floor) and 0…999,999,999 nanoseconds; `offset` in minutes only affects `string()`. */
export class CelTimestamp extends CelObject {
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;
  constructor(seconds: number, nanos: number, offset = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** Seconds and nanoseconds of the same sign; the range is that of int64 nanoseconds, as in cel-go. */
export class CelDuration extends CelObject {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

export class CelOptional extends CelObject {
  /** The one empty optional. */
  static readonly none = new CelOptional(false, null);
  readonly present: boolean;
  /** Meaningless when absent. */
  readonly value: CelValue;
  private constructor(present: boolean, value: CelValue) {
    super();
    this.present = present;
    this.value = value;
  }
  static of(value: CelValue): CelOptional {
    return new CelOptional(true, value);
  }
}

/** A value of a library type: URL, IP, Quantity … Two of different classes do not compare (`no_such_overload`). */
export abstract class CelOpaque extends CelObject {
  abstract readonly type: CelType;
  abstract equals(other: this): boolean;
  /** Size for the cost rules; 1 unless the library says otherwise. */
  costSize(): number {
    return 1;
  }
  /** Text for people; what `string(x)` gives where the type has that conversion. */
  text(): string | undefined {
    return undefined;
  }
}
