import { CelError, type CelErrorCode } from '../error.ts';
import { CelDouble, CelDuration, type CelResult, CelTimestamp, CelUint, type CelValue } from './cel-value.ts';
import { CelConcatList, isList } from './list.ts';
import { doubleValue, INT_MAX, INT_MIN, intFromBigInt, isInt, UINT_MAX } from './number.ts';
import { checkDuration, checkTimestamp } from './time-range.ts';
import { typeOf } from './type-of.ts';

/** Lists longer than this are joined as a view instead of a copy. */
const COPY_LIMIT = 32;

type IntOperation = (a: bigint, b: bigint) => bigint | CelErrorCode;

function noOverload(operator: string, a: CelValue, b: CelValue): CelError {
  return new CelError('no_such_overload', `no such overload: ${typeOf(a)} ${operator} ${typeOf(b)}`);
}

const MESSAGES: Partial<Record<CelErrorCode, string>> = {
  overflow: 'integer overflow',
  divide_by_zero: 'division by zero',
  modulus_by_zero: 'modulus by zero',
};

function failure(code: CelErrorCode): CelError {
  return new CelError(code, MESSAGES[code] ?? code);
}

/** Exact 64-bit arithmetic for the cases that leave the safe range. */
function exactInt(a: number | bigint, b: number | bigint, operation: IntOperation): CelResult {
  const result = operation(BigInt(a), BigInt(b));
  if (typeof result === 'string') return failure(result);
  return result < INT_MIN || result > INT_MAX ? failure('overflow') : intFromBigInt(result);
}

function exactUint(a: CelUint, b: CelUint, operation: IntOperation): CelResult {
  const result = operation(a.value, b.value);
  if (typeof result === 'string') return failure(result);
  return result < 0n || result > UINT_MAX ? failure('overflow') : new CelUint(result);
}

/** The two numbers when both are doubles, else undefined. */
function doubles(a: CelValue, b: CelValue): readonly [number, number] | undefined {
  const x = typeof a === 'number' && !Number.isInteger(a) ? a : a instanceof CelDouble ? a.value : undefined;
  const y = typeof b === 'number' && !Number.isInteger(b) ? b : b instanceof CelDouble ? b.value : undefined;
  return x === undefined || y === undefined ? undefined : [x, y];
}

export function add(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : exactInt(a, b, (x, y) => x + y);
  }
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (isInt(a) && isInt(b)) return exactInt(a, b, (x, y) => x + y);
  const pair = doubles(a, b);
  if (pair) return doubleValue(pair[0] + pair[1]);
  if (a instanceof CelUint && b instanceof CelUint) return exactUint(a, b, (x, y) => x + y);
  if (isList(a) && isList(b)) return concat(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const joined = new Uint8Array(a.length + b.length);
    joined.set(a);
    joined.set(b, a.length);
    return joined;
  }
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return checkDuration(a.seconds + b.seconds, a.nanos + b.nanos);
    if (b instanceof CelTimestamp) return shift(b, a, 1);
  }
  if (a instanceof CelTimestamp && b instanceof CelDuration) return shift(a, b, 1);
  return noOverload('+', a, b);
}

export function concat(
  a: readonly CelValue[] | CelConcatList,
  b: readonly CelValue[] | CelConcatList,
): readonly CelValue[] | CelConcatList {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  if (a.length + b.length > COPY_LIMIT || a instanceof CelConcatList || b instanceof CelConcatList) {
    return new CelConcatList(a, b);
  }
  return [...a, ...b];
}

export function subtract(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : exactInt(a, b, (x, y) => x - y);
  }
  if (isInt(a) && isInt(b)) return exactInt(a, b, (x, y) => x - y);
  const pair = doubles(a, b);
  if (pair) return doubleValue(pair[0] - pair[1]);
  if (a instanceof CelUint && b instanceof CelUint) return exactUint(a, b, (x, y) => x - y);
  if (a instanceof CelDuration && b instanceof CelDuration) {
    return checkDuration(a.seconds - b.seconds, a.nanos - b.nanos);
  }
  if (a instanceof CelTimestamp) {
    if (b instanceof CelDuration) return shift(a, b, -1);
    if (b instanceof CelTimestamp) return checkDuration(a.seconds - b.seconds, a.nanos - b.nanos);
  }
  return noOverload('-', a, b);
}

export function multiply(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    const product = a * b;
    // `+ 0` turns −0 into the only integer zero there is.
    return Number.isSafeInteger(product) ? product + 0 : exactInt(a, b, (x, y) => x * y);
  }
  if (isInt(a) && isInt(b)) return exactInt(a, b, (x, y) => x * y);
  const pair = doubles(a, b);
  if (pair) return doubleValue(pair[0] * pair[1]);
  if (a instanceof CelUint && b instanceof CelUint) return exactUint(a, b, (x, y) => x * y);
  return noOverload('*', a, b);
}

const divideBig: IntOperation = (x, y) => (y === 0n ? 'divide_by_zero' : x / y);
const moduloBig: IntOperation = (x, y) => {
  if (y === 0n) return 'modulus_by_zero';
  // Go's and so CEL's answer for the one quotient that does not fit.
  return x === INT_MIN && y === -1n ? 'overflow' : x % y;
};

export function divide(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    return b === 0 ? failure('divide_by_zero') : Math.trunc(a / b) + 0;
  }
  if (isInt(a) && isInt(b)) return exactInt(a, b, divideBig);
  const pair = doubles(a, b);
  if (pair) return doubleValue(pair[0] / pair[1]);
  if (a instanceof CelUint && b instanceof CelUint) return exactUint(a, b, divideBig);
  return noOverload('/', a, b);
}

export function modulo(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'number' && typeof b === 'number' && Number.isInteger(a) && Number.isInteger(b)) {
    return b === 0 ? failure('modulus_by_zero') : (a % b) + 0;
  }
  if (isInt(a) && isInt(b)) return exactInt(a, b, moduloBig);
  if (a instanceof CelUint && b instanceof CelUint) return exactUint(a, b, moduloBig);
  return noOverload('%', a, b);
}

export function negate(a: CelValue): CelResult {
  if (typeof a === 'number') return Number.isInteger(a) ? 0 - a : doubleValue(-a);
  if (typeof a === 'bigint') return exactInt(0, a, (x, y) => x - y);
  if (a instanceof CelDouble) return new CelDouble(-a.value);
  return new CelError('no_such_overload', `no such overload: -${typeOf(a)}`);
}

function shift(time: CelTimestamp, by: CelDuration, sign: 1 | -1): CelResult {
  return checkTimestamp(time.seconds + sign * by.seconds, time.nanos + sign * by.nanos, time.offset);
}
