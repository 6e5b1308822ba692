import { comparisonCost, costSize, tenth } from './cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration } from './declarations.ts';
import { CelError } from './error.ts';
import { declare, globalForm } from './libraries/declare.ts';
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

type Form = readonly [params: readonly CelType[], result: CelType, cost?: CostRule];

function operator(
  name: string,
  impl: (context: CallContext, a: CelValue, b: CelValue) => CelResult,
  forms: () => readonly Form[],
): FunctionDeclaration {
  return declare(name, () => forms().map(([params, result, cost]) => globalForm(params, result, impl, cost)));
}

function ordered(name: string, operation: OrderOperation, crossType: boolean): FunctionDeclaration {
  const test = ORDER_TEST[operation];
  return operator(
    name,
    (_context, a, b) => {
      const order = compare(a, b);
      return order instanceof CelError ? order : test(order);
    },
    () =>
      ORDERED.filter(([a, b]) => crossType || a === b).map(
        ([a, b]): Form => (a === STRING || a === BYTES ? [[a, b], BOOL, orderCost] : [[a, b], BOOL]),
      ),
  );
}

/** What has an order; numbers of different types only from Kubernetes 1.28 on. */
const ORDERED: readonly (readonly [CelType, CelType])[] = [
  [BOOL, BOOL],
  [INT, INT],
  [INT, DOUBLE],
  [INT, UINT],
  [UINT, UINT],
  [UINT, DOUBLE],
  [UINT, INT],
  [DOUBLE, DOUBLE],
  [DOUBLE, INT],
  [DOUBLE, UINT],
  [STRING, STRING],
  [BYTES, BYTES],
  [TIMESTAMP, TIMESTAMP],
  [DURATION, DURATION],
];

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
  const arithmetic = (operation: BinaryOperation) => (_context: CallContext, a: CelValue, b: CelValue) =>
    ARITHMETIC[operation](a, b);
  const unreachable = () => new CelError('internal', 'operator has a node of its own');
  return [
    operator(OPERATOR.conditional, unreachable, () => [[[BOOL, T, T], T]]),
    operator(OPERATOR.and, unreachable, () => [[[BOOL, BOOL], BOOL]]),
    operator(OPERATOR.or, unreachable, () => [[[BOOL, BOOL], BOOL]]),
    operator(OPERATOR.not, unreachable, () => [[[BOOL], BOOL]]),
    operator(
      OPERATOR.negate,
      (_context, a) => negate(a),
      () => [
        [[DOUBLE], DOUBLE],
        [[INT], INT],
      ],
    ),
    operator(OPERATOR.add, arithmetic('add'), () => [
      [[BYTES, BYTES], BYTES, textSumCost],
      [[DOUBLE, DOUBLE], DOUBLE],
      [[DURATION, DURATION], DURATION],
      [[DURATION, TIMESTAMP], TIMESTAMP],
      [[TIMESTAMP, DURATION], TIMESTAMP],
      [[INT, INT], INT],
      [[list(T), list(T)], list(T)],
      [[STRING, STRING], STRING, textSumCost],
      [[UINT, UINT], UINT],
    ]),
    operator(OPERATOR.subtract, arithmetic('subtract'), () => [
      [[DOUBLE, DOUBLE], DOUBLE],
      [[DURATION, DURATION], DURATION],
      [[INT, INT], INT],
      [[TIMESTAMP, DURATION], TIMESTAMP],
      [[TIMESTAMP, TIMESTAMP], DURATION],
      [[UINT, UINT], UINT],
    ]),
    operator(OPERATOR.multiply, arithmetic('multiply'), () => [
      [[DOUBLE, DOUBLE], DOUBLE],
      [[INT, INT], INT],
      [[UINT, UINT], UINT],
    ]),
    operator(OPERATOR.divide, arithmetic('divide'), () => [
      [[DOUBLE, DOUBLE], DOUBLE],
      [[INT, INT], INT],
      [[UINT, UINT], UINT],
    ]),
    operator(OPERATOR.modulo, arithmetic('modulo'), () => [
      [[INT, INT], INT],
      [[UINT, UINT], UINT],
    ]),
    operator(
      OPERATOR.equals,
      (context, a, b) => equal(a, b, context),
      () => [[[T, T], BOOL]],
    ),
    operator(
      OPERATOR.notEquals,
      (context, a, b) => {
        const same = equal(a, b, context);
        return typeof same === 'boolean' ? !same : same;
      },
      () => [[[T, T], BOOL]],
    ),
    ordered(OPERATOR.less, 'less', crossTypeOrder),
    ordered(OPERATOR.lessOrEqual, 'lessOrEqual', crossTypeOrder),
    ordered(OPERATOR.greater, 'greater', crossTypeOrder),
    ordered(OPERATOR.greaterOrEqual, 'greaterOrEqual', crossTypeOrder),
    operator(OPERATOR.in, contains, () => [
      [[T, list(T)], BOOL, inListCost],
      [[K, map(K, V)], BOOL],
    ]),
    operator(OPERATOR.index, unreachable, () => [
      [[list(T), INT], T],
      [[map(K, V), K], V],
      [[optional(list(T)), INT], optional(T)],
      [[optional(map(K, V)), K], optional(V)],
    ]),
    operator(OPERATOR.optionalIndex, unreachable, () => [
      [[list(T), INT], optional(T)],
      [[optional(list(T)), INT], optional(T)],
      [[map(K, V), K], optional(V)],
      [[optional(map(K, V)), K], optional(V)],
    ]),
  ];
}
