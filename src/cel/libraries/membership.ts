import type { CallContext } from '../declarations.ts';
import { CelDouble, CelUint, type CelValue } from '../value/cel-value.ts';
import { equal } from '../value/equality.ts';
import { intFromBigInt } from '../value/number.ts';

type HashKey = string | number | bigint | boolean | null;

/**
 * One key for all values that CEL equality takes as equal: numbers by mathematical value whatever their type. Undefined
 * for what has to be compared instead, NaN among it, which equals nothing.
 */
function hashKey(value: CelValue): HashKey | undefined {
  if (value === null) return null;
  if (value instanceof CelUint) return intFromBigInt(value.value);
  const number = value instanceof CelDouble ? value.value : value;
  if (typeof number === 'number') {
    if (Number.isNaN(number)) return undefined;
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? intFromBigInt(BigInt(number)) : number + 0;
  }
  return typeof number === 'object' ? undefined : number;
}

/** Values seen so far, looked up by CEL equality: at once for primitives, one by one for all others. */
export class Membership {
  private readonly context: CallContext;
  private readonly hashed = new Set<HashKey>();
  private readonly others: CelValue[] = [];

  constructor(context: CallContext, values: readonly CelValue[] = []) {
    this.context = context;
    context.work(values.length);
    for (const value of values) this.add(value);
  }

  add(value: CelValue): void {
    const key = hashKey(value);
    if (key === undefined) this.others.push(value);
    else this.hashed.add(key);
  }

  /** An error of the comparison counts as unequal, as in the reference. */
  has(value: CelValue): boolean {
    const key = hashKey(value);
    if (key !== undefined) return this.hashed.has(key);
    this.context.work(this.others.length);
    return this.others.some((other) => equal(other, value, this.context) === true);
  }
}
