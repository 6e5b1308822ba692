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
        'The Kubernetes quantity of a text: 100m, 1.5Gi, 12e6.',
        [
          globalForm('string_to_quantity', [STRING], QUANTITY, (context, text: string) => {
            context.work(text.length);
            return parseQuantity(text);
          }),
        ],
        parseCost,
      ),
      declare(
        'isQuantity',
        'Whether a text is a Kubernetes quantity.',
        [
          globalForm('is_quantity_string', [STRING], BOOL, (context, text: string) => {
            context.work(text.length);
            return parseQuantity(text) instanceof CelQuantity;
          }),
        ],
        parseCost,
      ),
      declare('sign', 'The sign of a quantity: -1, 0 or 1.', [
        globalForm('quantity_sign', [QUANTITY], INT, sign),
        ...(options.memberSign ? [memberForm('quantity_sign_member', [QUANTITY], INT, sign)] : []),
      ]),
      declare('isGreaterThan', 'Whether one value is greater than another.', [
        memberForm(
          'quantity_is_greater_than',
          [QUANTITY, QUANTITY],
          BOOL,
          (_context, a: CelQuantity, b: CelQuantity) => a.compare(b) > 0,
        ),
      ]),
      declare('isLessThan', 'Whether one value is less than another.', [
        memberForm(
          'quantity_is_less_than',
          [QUANTITY, QUANTITY],
          BOOL,
          (_context, a: CelQuantity, b: CelQuantity) => a.compare(b) < 0,
        ),
      ]),
      declare('compareTo', '-1, 0 or 1 as one value is less than, equal to or greater than another.', [
        memberForm('quantity_compare_to', [QUANTITY, QUANTITY], INT, (_context, a: CelQuantity, b: CelQuantity) =>
          a.compare(b),
        ),
      ]),
      declare('asApproximateFloat', 'The quantity as a double, rounded.', [
        memberForm('quantity_get_float', [QUANTITY], DOUBLE, (_context, quantity: CelQuantity) =>
          doubleValue(quantity.approximateFloat()),
        ),
      ]),
      declare('asInteger', 'The quantity as an int; an error when it is none.', [
        memberForm('quantity_get_int', [QUANTITY], INT, asInteger),
      ]),
      declare('isInteger', 'Whether asInteger() has a value.', [
        memberForm(
          'quantity_is_integer',
          [QUANTITY],
          BOOL,
          (_context, quantity: CelQuantity) => quantity.integer() !== undefined,
        ),
      ]),
      declare('add', 'The sum of a quantity and a quantity or int.', [
        memberForm('quantity_add', [QUANTITY, QUANTITY], QUANTITY, (_context, a: CelQuantity, b: CelQuantity) =>
          a.plus(b),
        ),
        memberForm('quantity_add_int', [QUANTITY, INT], QUANTITY, (_context, a: CelQuantity, b: Int) =>
          a.plus(ofInt(b)),
        ),
      ]),
      declare('sub', 'The difference of a quantity and a quantity or int.', [
        memberForm('quantity_sub', [QUANTITY, QUANTITY], QUANTITY, (_context, a: CelQuantity, b: CelQuantity) =>
          a.plus(b.negated()),
        ),
        memberForm('quantity_sub_int', [QUANTITY, INT], QUANTITY, (_context, a: CelQuantity, b: Int) =>
          a.plus(ofInt(-BigInt(b))),
        ),
      ]),
    ],
  };
}
