import { tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, DOUBLE, INT, STRING } from '../value/cel-type.ts';
import type { CelValue } from '../value/cel-value.ts';
import { doubleValue, intFromBigInt } from '../value/number.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { CelQuantity, parseQuantity, QUANTITY } from './quantity-value.ts';

type Int = number | bigint;

const parseCost: CostRule = (_result, text) => tenthOf(text);

function asInteger(_context: CallContext, quantity: CelQuantity): CelValue | CelError {
  const integer = quantity.integer();
  return integer === undefined
    ? new CelError('not_an_integer', 'cannot convert the quantity to an integer')
    : intFromBigInt(integer);
}

function ofInt(value: Int): CelQuantity {
  return new CelQuantity(BigInt(value), 0, true);
}

/** Options of the quantity library. */
export interface QuantityOptions {
  /** `q.sign()` beside `sign(q)`; the reference documents the one and has only the other. */
  readonly memberSign?: boolean;
}

/** Kubernetes quantities (1.28): quantity isQuantity and arithmetic, comparison and conversion of their values. */
export function quantityLibrary(_version?: number, options: QuantityOptions = {}): Library {
  const sign = (_context: CallContext, quantity: CelQuantity): number => quantity.sign();
  return {
    name: 'quantity',
    types: [QUANTITY],
    functions: [
      declare(
        'quantity',
        () => [
          globalForm([STRING], QUANTITY, (context, text: string) => {
            context.work(text.length);
            return parseQuantity(text);
          }),
        ],
        parseCost,
      ),
      declare(
        'isQuantity',
        () => [
          globalForm([STRING], BOOL, (context, text: string) => {
            context.work(text.length);
            return parseQuantity(text) instanceof CelQuantity;
          }),
        ],
        parseCost,
      ),
      declare('sign', () => [
        globalForm([QUANTITY], INT, sign),
        ...(options.memberSign ? [memberForm([QUANTITY], INT, sign)] : []),
      ]),
      declare('isGreaterThan', () => [
        memberForm([QUANTITY, QUANTITY], BOOL, (_context, a: CelQuantity, b: CelQuantity) => a.compare(b) > 0),
      ]),
      declare('isLessThan', () => [
        memberForm([QUANTITY, QUANTITY], BOOL, (_context, a: CelQuantity, b: CelQuantity) => a.compare(b) < 0),
      ]),
      declare('compareTo', () => [
        memberForm([QUANTITY, QUANTITY], INT, (_context, a: CelQuantity, b: CelQuantity) => a.compare(b)),
      ]),
      declare('asApproximateFloat', () => [
        memberForm([QUANTITY], DOUBLE, (_context, quantity: CelQuantity) => doubleValue(quantity.approximateFloat())),
      ]),
      declare('asInteger', () => [memberForm([QUANTITY], INT, asInteger)]),
      declare('isInteger', () => [
        memberForm([QUANTITY], BOOL, (_context, quantity: CelQuantity) => quantity.integer() !== undefined),
      ]),
      declare('add', () => [
        memberForm([QUANTITY, QUANTITY], QUANTITY, (_context, a: CelQuantity, b: CelQuantity) => a.plus(b)),
        memberForm([QUANTITY, INT], QUANTITY, (_context, a: CelQuantity, b: Int) => a.plus(ofInt(b))),
      ]),
      declare('sub', () => [
        memberForm([QUANTITY, QUANTITY], QUANTITY, (_context, a: CelQuantity, b: CelQuantity) => a.plus(b.negated())),
        memberForm([QUANTITY, INT], QUANTITY, (_context, a: CelQuantity, b: Int) => a.plus(ofInt(-BigInt(b)))),
      ]),
    ],
  };
}
