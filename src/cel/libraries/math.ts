import type { CallContext, FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, type CelType, DOUBLE, DYN, INT, list, UINT } from '../value/cel-type.ts';
import { type CelDouble, type CelResult, CelUint, type CelValue } from '../value/cel-value.ts';
import { numeric } from '../value/equality.ts';
import { type CelList, listItems } from '../value/list.ts';
import { doubleValue, INT_MAX, intFromBigInt, numberOfDouble } from '../value/number.ts';
import { compare } from '../value/ordering.ts';
import { typeOf } from '../value/type-of.ts';
import { declare, globalForm } from './declare.ts';

type Int = number | bigint;
type Double = number | CelDouble;

const NUMBERS: readonly CelType[] = [DOUBLE, INT, UINT];

/** Math.round rounds halves up; CEL rounds them away from zero. The fraction is exact, so 0.49999999999999994 stays 0. */
function roundAwayFromZero(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function ofDouble(name: string, compute: (value: number) => number): FunctionDeclaration {
  return declare(`math.${name}`, () => [
    globalForm([DOUBLE], DOUBLE, (_context, value: Double) => doubleValue(compute(numberOfDouble(value)))),
  ]);
}

function testOfDouble(name: string, test: (value: number) => boolean): FunctionDeclaration {
  return declare(`math.${name}`, () => [
    globalForm([DOUBLE], BOOL, (_context, value: Double) => test(numberOfDouble(value))),
  ]);
}

function absolute(): FunctionDeclaration {
  return declare('math.abs', () => [
    globalForm([DOUBLE], DOUBLE, (_context, value: Double) => doubleValue(Math.abs(numberOfDouble(value)))),
    globalForm([INT], INT, (_context, value: Int) => {
      if (typeof value === 'number') return Math.abs(value);
      const magnitude = value < 0n ? -value : value;
      return magnitude > INT_MAX
        ? new CelError('overflow', `math.abs(${value}) is out of the range of int`)
        : magnitude;
    }),
    globalForm([UINT], UINT, (_context, value: CelUint) => value),
  ]);
}

function sign(): FunctionDeclaration {
  return declare('math.sign', () => [
    globalForm([DOUBLE], DOUBLE, (_context, value: Double) => doubleValue(Math.sign(numberOfDouble(value)) + 0)),
    globalForm([INT], INT, (_context, value: Int) => (value < 0 ? -1 : value > 0 ? 1 : 0)),
    globalForm([UINT], UINT, (_context, value: CelUint) => new CelUint(value.value === 0n ? 0n : 1n)),
  ]);
}

/** Bits of both int and uint; `compute` works on unbounded bigints, the result is cut to 64 bits. */
function bitwise(name: string, compute: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return declare(`math.${name}`, () => [
    globalForm([INT, INT], INT, (_context, a: Int, b: Int) =>
      intFromBigInt(BigInt.asIntN(64, compute(BigInt(a), BigInt(b)))),
    ),
    globalForm(
      [UINT, UINT],
      UINT,
      (_context, a: CelUint, b: CelUint) => new CelUint(BigInt.asUintN(64, compute(a.value, b.value))),
    ),
  ]);
}

function bitNot(): FunctionDeclaration {
  return declare('math.bitNot', () => [
    globalForm([INT], INT, (_context, value: Int) => intFromBigInt(~BigInt(value))),
    globalForm([UINT], UINT, (_context, value: CelUint) => new CelUint(BigInt.asUintN(64, ~value.value))),
  ]);
}

/** Bits are shifted as 64 unsigned ones, so a right shift of a negative int fills with zeros. */
function shift(name: string, compute: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const shifted = (bits: bigint, by: Int): bigint | CelError => {
    if (by < 0) return new CelError('bad_argument', `math.${name}() negative offset: ${by}`);
    return by >= 64 ? 0n : BigInt.asUintN(64, compute(BigInt.asUintN(64, bits), BigInt(by)));
  };
  return declare(`math.${name}`, () => [
    globalForm([INT, INT], INT, (_context, value: Int, by: Int) => {
      const bits = shifted(BigInt(value), by);
      return bits instanceof CelError ? bits : intFromBigInt(BigInt.asIntN(64, bits));
    }),
    globalForm([UINT, INT], UINT, (_context, value: CelUint, by: Int) => {
      const bits = shifted(value.value, by);
      return bits instanceof CelError ? bits : new CelUint(bits);
    }),
  ]);
}

function squareRoot(): FunctionDeclaration {
  const root = (value: number): CelValue => doubleValue(Math.sqrt(value));
  return declare('math.sqrt', () => [
    globalForm([DOUBLE], DOUBLE, (_context, value: Double) => root(numberOfDouble(value))),
    globalForm([INT], DOUBLE, (_context, value: Int) => root(Number(value))),
    globalForm([UINT], DOUBLE, (_context, value: CelUint) => root(Number(value.value))),
  ]);
}

/** The parser turns three and more arguments into one list; so there are forms of one number, two, and a list. */
function extreme(name: 'least' | 'greatest', direction: 1 | -1): FunctionDeclaration {
  const better = (best: CelValue, next: CelValue): CelResult => {
    const order = compare(best, next);
    if (order instanceof CelError) return order;
    return order * direction > 0 ? next : best;
  };
  const ofList = (context: CallContext, items: CelList): CelResult => {
    context.work(items.length);
    const values = listItems(items);
    const strange = values.find((value) => numeric(value) === undefined);
    if (strange !== undefined) return new CelError('no_such_overload', `math.${name}() of ${typeOf(strange)}`);
    let best: CelResult | undefined = values[0];
    if (best === undefined) return new CelError('empty_list', `math.${name}() of an empty list`);
    for (const value of values) {
      best = better(best, value);
      if (best instanceof CelError) return best;
    }
    return best;
  };
  const ofTwo = (_context: CallContext, x: CelValue, y: CelValue): CelResult => better(x, y);
  return declare(`math.${name}`, () => [
    ...NUMBERS.map((type) => globalForm([type], type, (_context, value: CelValue) => value)),
    ...NUMBERS.flatMap((a) => NUMBERS.map((b) => globalForm([a, b], a === b ? a : DYN, ofTwo))),
    ...NUMBERS.map((type) => globalForm([list(type)], type, ofList)),
  ]);
}

function versionOne(): readonly FunctionDeclaration[] {
  return [
    ofDouble('ceil', Math.ceil),
    ofDouble('floor', Math.floor),
    ofDouble('round', roundAwayFromZero),
    ofDouble('trunc', Math.trunc),
    testOfDouble('isInf', (value) => value === Infinity || value === -Infinity),
    testOfDouble('isNaN', Number.isNaN),
    testOfDouble('isFinite', Number.isFinite),
    absolute(),
    sign(),
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    bitNot(),
    shift('bitShiftLeft', (bits, by) => bits << by),
    shift('bitShiftRight', (bits, by) => bits >> by),
  ];
}

/** cel-go's math extension: version 0 least and greatest; 1 rounding, tests, abs, sign, bits; 2 sqrt. */
export function mathLibrary(version = 2): Library {
  const functions: FunctionDeclaration[] = [extreme('least', 1), extreme('greatest', -1)];
  if (version >= 1) functions.push(...versionOne());
  if (version >= 2) functions.push(squareRoot());
  return { name: 'math', functions, macros: ['math.least', 'math.greatest'] };
}
