import type { CallContext } from '../declarations.ts';
import type { CelValue } from '../value/cel-value.ts';
import { equal, numeric } from '../value/equality.ts';

type HashKey = string | number | boolean | null;

/**
 * One key for all values that CEL equality takes as equal: numbers by value whatever their type. Undefined for what has
 * to be compared instead: NaN, which equals nothing, and numbers from 2⁵³ on, where an int equals any double near it.
 */
function hashKey(value: CelValue): HashKey | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  const number = numeric(value);
  if (number === undefined) return undefined;
  const double = Number(number);
  return Math.abs(double) < 2 ** 53 ? double + 0 : undefined;
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
