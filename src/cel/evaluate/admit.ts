import { CelError } from '../error.ts';
import { CelObject } from '../value/cel-object.ts';
import { CelDouble, type CelResult } from '../value/cel-value.ts';
import { canonicalNumber, INT_MAX, INT_MIN, intFromBigInt } from '../value/number.ts';

/**
 * A value as it comes out of the caller's data, made canonical. Functions, symbols and class instances are
 * `invalid_binding`; plain objects, arrays, bytes and the engine's own classes pass untouched.
 */
export function admit(value: unknown): CelResult {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : canonicalNumber(value);
    case 'bigint':
      return value < INT_MIN || value > INT_MAX ? new CelDouble(Number(value)) : intFromBigInt(value);
    case 'object':
      // The cast is the check: what passes is one of the representations of CelValue.
      return value === null || Array.isArray(value) || isAdmitted(value)
        ? (value as CelResult)
        : invalid('a class instance');
    case 'undefined':
      return invalid('undefined');
    default:
      return invalid(`a ${typeof value}`);
  }
}

function isAdmitted(value: object): boolean {
  // Nearly every object is a literal and tells by its constructor, which is quicker than to ask for the prototype.
  if (value.constructor === Object) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  // An error is a CelObject as well. An object literal of another realm has another Object.prototype, but one that ends the
  // chain as well.
  return value instanceof CelObject || value instanceof Uint8Array || Object.getPrototypeOf(prototype) === null;
}

function invalid(what: string): CelError {
  return new CelError('invalid_binding', `${what} is no CEL value: bind JSON data, or convert it with fromJs()`);
}
