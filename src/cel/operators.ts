import { comparisonCost, costSize, tenth } from './cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Overload } from './declarations.ts';
import { CelError } from './error.ts';
import { add, divide, modulo, multiply, negate, subtract } from './value/arithmetic.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  list,
  map,
  optional,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from './value/cel-type.ts';
import type { CelResult, CelValue } from './value/cel-value.ts';
import { equal } from './value/equality.ts';
import { isList, listItems } from './value/list.ts';
import { isMap, mapGet, mapKey } from './value/map.ts';
import { compare } from './value/ordering.ts';

/** Names of the operators as functions; cel-go's. */
export const OPERATOR = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  equals: '_==_',
  notEquals: '_!=_',
  less: '_<_',
  lessOrEqual: '_<=_',
  greater: '_>_',
  greaterOrEqual: '_>=_',
  in: '@in',
  index: '_[_]',
  optionalIndex: '_[?_]',
} as const;

export type BinaryOperation = 'add' | 'subtract' | 'multiply' | 'divide' | 'modulo';
export type OrderOperation = 'less' | 'lessOrEqual' | 'greater' | 'greaterOrEqual';

export const ARITHMETIC: Record<BinaryOperation, (a: CelValue, b: CelValue) => CelResult> = {
  add,
  subtract,
  multiply,
  divide,
  modulo,
};

/** Whether `compare(a, b)` satisfies the operator. */
export const ORDER_TEST: Record<OrderOperation, (order: number) => boolean> = {
  less: (order) => order < 0,
  lessOrEqual: (order) => order <= 0,
  greater: (order) => order > 0,
  greaterOrEqual: (order) => order >= 0,
};

const T = param('T');
const K = param('K');
const V = param('V');

const textSumCost: CostRule = (_result, a, b) => tenth(costSize(a) + costSize(b));
const orderCost: CostRule = (_result, a, b) => comparisonCost(a, b);

type Form = readonly [id: string, params: readonly CelType[], result: CelType, cost?: CostRule];

function operator(
  name: string,
  impl: (context: CallContext, a: CelValue, b: CelValue) => CelResult,
  forms: readonly Form[],
): FunctionDeclaration {
  const overloads = forms.map(([id, params, result, cost]): Overload => {
    const overload = { id, member: false, params, result, impl };
    return cost ? { ...overload, cost } : overload;
  });
  return { name, overloads };
}

function ordered(name: string, id: string, operation: OrderOperation): FunctionDeclaration {
  const test = ORDER_TEST[operation];
  const forms: Form[] = (
    [
      ['bool', BOOL, BOOL],
      ['int64', INT, INT],
      ['int64_double', INT, DOUBLE],
      ['int64_uint64', INT, UINT],
      ['uint64', UINT, UINT],
      ['uint64_double', UINT, DOUBLE],
      ['uint64_int64', UINT, INT],
      ['double', DOUBLE, DOUBLE],
      ['double_int64', DOUBLE, INT],
      ['double_uint64', DOUBLE, UINT],
      ['string', STRING, STRING],
      ['bytes', BYTES, BYTES],
      ['timestamp', TIMESTAMP, TIMESTAMP],
      ['duration', DURATION, DURATION],
    ] as const
  ).map(([suffix, a, b]) => {
    const form = [`${id}_${suffix}`, [a, b], BOOL] as const;
    return a === STRING || a === BYTES ? [...form, orderCost] : form;
  });
  return operator(
    name,
    (_context, a, b) => {
      const order = compare(a, b);
      return order instanceof CelError ? order : test(order);
    },
    forms,
  );
}

const CROSS_TYPE = /_(int64_double|int64_uint64|uint64_double|uint64_int64|double_int64|double_uint64)$/;

/** `x in container`; `no_such_overload` when the right side holds nothing. */
export function contains(context: CallContext, item: CelValue, container: CelValue): CelResult {
  if (isList(container)) {
    const items = listItems(container);
    context.work(items.length);
    let failure: CelError | undefined;
    for (const each of items) {
      const same = equal(item, each, context);
      if (same === true) return true;
      if (same !== false) failure ??= same;
    }
    return failure ?? false;
  }
  if (isMap(container)) {
    const key = mapKey(item);
    return key !== undefined && mapGet(container, key) !== undefined;
  }
  return new CelError('no_such_overload', "no such overload: the right side of 'in' is neither a list nor a map");
}

const inListCost: CostRule = (_result, _item, container) => (isList(container) ? container.length : 1);

/**
 * The operators as function declarations, for the checker and for the cost rules; the planner runs most of them by nodes
 * of their own. Without `crossTypeOrder` (Kubernetes before 1.28) `1 < 1.5` does not compile.
 */
export function operatorDeclarations(crossTypeOrder: boolean): readonly FunctionDeclaration[] {
  const order = [
    ordered(OPERATOR.less, 'less', 'less'),
    ordered(OPERATOR.lessOrEqual, 'less_equals', 'lessOrEqual'),
    ordered(OPERATOR.greater, 'greater', 'greater'),
    ordered(OPERATOR.greaterOrEqual, 'greater_equals', 'greaterOrEqual'),
  ];
  const ordering = crossTypeOrder
    ? order
    : order.map((fn) => ({ ...fn, overloads: fn.overloads.filter(({ id }) => !CROSS_TYPE.test(id)) }));
  const arithmetic = (operation: BinaryOperation) => (_context: CallContext, a: CelValue, b: CelValue) =>
    ARITHMETIC[operation](a, b);
  const unreachable = () => new CelError('internal', 'operator has a node of its own');
  return [
    operator(OPERATOR.conditional, unreachable, [['conditional', [BOOL, T, T], T]]),
    operator(OPERATOR.and, unreachable, [['logical_and', [BOOL, BOOL], BOOL]]),
    operator(OPERATOR.or, unreachable, [['logical_or', [BOOL, BOOL], BOOL]]),
    operator(OPERATOR.not, unreachable, [['logical_not', [BOOL], BOOL]]),
    operator(OPERATOR.negate, (_context, a) => negate(a), [
      ['negate_double', [DOUBLE], DOUBLE],
      ['negate_int64', [INT], INT],
    ]),
    operator(OPERATOR.add, arithmetic('add'), [
      ['add_bytes', [BYTES, BYTES], BYTES, textSumCost],
      ['add_double', [DOUBLE, DOUBLE], DOUBLE],
      ['add_duration_duration', [DURATION, DURATION], DURATION],
      ['add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP],
      ['add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['add_int64', [INT, INT], INT],
      ['add_list', [list(T), list(T)], list(T)],
      ['add_string', [STRING, STRING], STRING, textSumCost],
      ['add_uint64', [UINT, UINT], UINT],
    ]),
    operator(OPERATOR.subtract, arithmetic('subtract'), [
      ['subtract_double', [DOUBLE, DOUBLE], DOUBLE],
      ['subtract_duration_duration', [DURATION, DURATION], DURATION],
      ['subtract_int64', [INT, INT], INT],
      ['subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION],
      ['subtract_uint64', [UINT, UINT], UINT],
    ]),
    operator(OPERATOR.multiply, arithmetic('multiply'), [
      ['multiply_double', [DOUBLE, DOUBLE], DOUBLE],
      ['multiply_int64', [INT, INT], INT],
      ['multiply_uint64', [UINT, UINT], UINT],
    ]),
    operator(OPERATOR.divide, arithmetic('divide'), [
      ['divide_double', [DOUBLE, DOUBLE], DOUBLE],
      ['divide_int64', [INT, INT], INT],
      ['divide_uint64', [UINT, UINT], UINT],
    ]),
    operator(OPERATOR.modulo, arithmetic('modulo'), [
      ['modulo_int64', [INT, INT], INT],
      ['modulo_uint64', [UINT, UINT], UINT],
    ]),
    operator(OPERATOR.equals, (context, a, b) => equal(a, b, context), [['equals', [T, T], BOOL]]),
    operator(
      OPERATOR.notEquals,
      (context, a, b) => {
        const same = equal(a, b, context);
        return typeof same === 'boolean' ? !same : same;
      },
      [['not_equals', [T, T], BOOL]],
    ),
    ...ordering,
    operator(OPERATOR.in, contains, [
      ['in_list', [T, list(T)], BOOL, inListCost],
      ['in_map', [K, map(K, V)], BOOL],
    ]),
    operator(OPERATOR.index, unreachable, [
      ['index_list', [list(T), INT], T],
      ['index_map', [map(K, V), K], V],
      ['optional_list_index_int', [optional(list(T)), INT], optional(T)],
      ['optional_map_index_value', [optional(map(K, V)), K], optional(V)],
    ]),
    operator(OPERATOR.optionalIndex, unreachable, [
      ['list_optindex_optional_int', [list(T), INT], optional(T)],
      ['optional_list_optindex_optional_int', [optional(list(T)), INT], optional(T)],
      ['map_optindex_optional_value', [map(K, V), K], optional(V)],
      ['optional_map_optindex_optional_value', [optional(map(K, V)), K], optional(V)],
    ]),
  ];
}
