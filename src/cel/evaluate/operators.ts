import { comparisonCost } from '../cost-sizes.ts';
import { CelError } from '../error.ts';
import { ARITHMETIC, contains, ORDER_TEST } from '../operators.ts';
import type { ArithmeticPlan, EqualityPlan, MembershipPlan, OrderPlan, Plan } from '../plan/plan.ts';
import { CelOpaque, type CelResult, type CelValue } from '../value/cel-value.ts';
import { equal } from '../value/equality.ts';
import { type MapKey, mapKey } from '../value/map.ts';
import { compare } from '../value/ordering.ts';
import { typeOf } from '../value/type-of.ts';
import type { Frame, Step } from './frame.ts';

type Compile = (plan: Plan) => Step;

/** The first error of two operands, both evaluated; undefined when both are values. */
function firstError(a: CelResult, b: CelResult): CelError | undefined {
  if (a instanceof CelError) return a;
  return b instanceof CelError ? b : undefined;
}

/** What a binary node does with its two evaluated operands: charges, absorbs nothing, computes. */
export type BinaryRun = (frame: Frame, a: CelResult, b: CelResult) => CelResult;

export function arithmeticRun(plan: ArithmeticPlan): BinaryRun {
  const operate = ARITHMETIC[plan.operation];
  const { cost, start, end } = plan;
  return (frame, a, b) => {
    const failed = firstError(a, b);
    const result = failed ?? operate(a as CelValue, b as CelValue);
    if (cost === undefined) frame.cost += 1;
    else {
      frame.cost += cost(result, a, b, null);
      frame.checkCost();
    }
    return result instanceof CelError ? result.at(start, end) : result;
  };
}

export function arithmeticStep(plan: ArithmeticPlan, compile: Compile): Step {
  const left = compile(plan.left);
  const right = compile(plan.right);
  const run = arithmeticRun(plan);
  return (frame) => run(frame, left(frame), right(frame));
}

/** Equality of scalars costs one unit; of anything with a size a tenth of the smaller one; of library values one. */
function equalityCost(a: CelResult, b: CelResult): number {
  if (typeof a === 'number' && typeof b === 'number') return 1;
  if (a instanceof CelOpaque || b instanceof CelOpaque) return 1;
  return comparisonCost(a, b);
}

export function equalityStep(plan: EqualityPlan, compile: Compile): Step {
  const { left, right, negated } = plan;
  if (right.kind === 'constant' && right.cost === 0) {
    const fast = constantEquality(right.value, compile(left), negated, plan);
    if (fast) return fast;
  }
  if (left.kind === 'constant' && left.cost === 0) {
    const fast = constantEquality(left.value, compile(right), negated, plan);
    if (fast) return fast;
  }
  const one = compile(left);
  const other = compile(right);
  const run = equalityRun(plan);
  return (frame) => run(frame, one(frame), other(frame));
}

/** The usual company of an error: what the cost rules need not look into. */
function isOfSizeOne(value: CelResult): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value instanceof CelError;
}

export function equalityRun({ negated, start, end }: EqualityPlan): BinaryRun {
  return (frame, a, b) => {
    const failed = firstError(a, b);
    frame.cost += failed && isOfSizeOne(a) && isOfSizeOne(b) ? 1 : equalityCost(a, b);
    if (failed) return failed;
    if (typeof a === 'number' && typeof b === 'number') return (a === b) !== negated;
    const same = equal(a as CelValue, b as CelValue, frame);
    return typeof same === 'boolean' ? same !== negated : same.at(start, end);
  };
}

/** Constants that one `===` compares with: a cost of one unit whatever scalar stands on the other side. */
export function isPlainConstant(constant: CelValue): constant is string | number | boolean | null {
  return (
    typeof constant === 'boolean' ||
    constant === null ||
    (typeof constant === 'string' && constant.length >= 1 && constant.length <= 10) ||
    (typeof constant === 'number' && Number.isSafeInteger(constant))
  );
}

/** `x == 'Ready'`, `x == 3`, `x == null`: one `===` decides while the other side is a scalar. */
function constantEquality(constant: CelValue, operand: Step, negated: boolean, plan: EqualityPlan): Step | undefined {
  if (!isPlainConstant(constant)) return undefined;
  const run = equalityRun(plan);
  return (frame) => {
    const value = operand(frame);
    if (value === '' || (typeof value === 'object' && value !== null)) return run(frame, value, constant);
    frame.cost += 1;
    return (value === constant) !== negated;
  };
}

/** The general case of an order; the step tells two plain numbers apart before it. */
export function orderRun(plan: OrderPlan): BinaryRun {
  const test = ORDER_TEST[plan.operation];
  const { cost, start, end, crossType } = plan;
  return (frame, a, b) => {
    if (cost === undefined) frame.cost += 1;
    else {
      frame.cost += cost(null, a, b, null);
      frame.checkCost();
    }
    const failed = firstError(a, b);
    if (failed) return failed;
    const order = crossType ? compare(a as CelValue, b as CelValue) : sameTypeOrder(a as CelValue, b as CelValue);
    return order instanceof CelError ? order.at(start, end) : test(order);
  };
}

export function orderStep(plan: OrderPlan, compile: Compile): Step {
  const left = compile(plan.left);
  const right = compile(plan.right);
  const run = orderRun(plan);
  const { operation, crossType } = plan;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== 'number' || typeof b !== 'number' || !crossType || Number.isNaN(a) || Number.isNaN(b)) {
      return run(frame, a, b);
    }
    frame.cost += 1;
    switch (operation) {
      case 'less':
        return a < b;
      case 'lessOrEqual':
        return a <= b;
      case 'greater':
        return a > b;
      case 'greaterOrEqual':
        return a >= b;
    }
  };
}

/** Before Kubernetes 1.28 numbers of different types have no order. */
function sameTypeOrder(a: CelValue, b: CelValue): number | CelError {
  const x = typeOf(a);
  const y = typeOf(b);
  return x.name === y.name ? compare(a, b) : new CelError('no_such_overload', `no order between ${x} and ${y}`);
}

/** `x in container` for two evaluated operands. */
export function membershipRun(plan: MembershipPlan): BinaryRun {
  const { start, end } = plan;
  return (frame, value, within) => {
    const failed = firstError(value, within);
    const result = failed ?? contains(frame, value as CelValue, within as CelValue);
    if (!plan.constant) {
      frame.cost += plan.cost === undefined ? 1 : plan.cost(result, value, within, null);
      frame.checkCost();
    }
    return result instanceof CelError ? result.at(start, end) : result;
  };
}

/** The elements of the constant list on the right side, when a look-up can stand for the search. */
export function membershipKeys(plan: MembershipPlan): ReadonlySet<MapKey> | undefined {
  return plan.constant && plan.container.kind === 'constant' ? keySet(plan.container.value) : undefined;
}

export function membershipStep(plan: MembershipPlan, compile: Compile): Step {
  const item = compile(plan.item);
  const keys = membershipKeys(plan);
  if (keys) {
    return (frame) => {
      const value = item(frame);
      if (value instanceof CelError) return value;
      const key = mapKey(value);
      return key !== undefined && keys.has(key);
    };
  }
  const container = compile(plan.container);
  const run = membershipRun(plan);
  return (frame) => run(frame, item(frame), container(frame));
}

/** The elements of a constant list as look-up keys, when all of them are ones that compare by key. */
function keySet(value: CelValue): ReadonlySet<MapKey> | undefined {
  if (!Array.isArray(value)) return undefined;
  const keys = new Set<MapKey>();
  for (const each of value as readonly CelValue[]) {
    const key = mapKey(each);
    // Equality of an int beyond 2⁵³ with a double is by double, which a look-up by key would miss.
    if (key === undefined || typeof key === 'bigint') return undefined;
    keys.add(key);
  }
  return keys;
}
