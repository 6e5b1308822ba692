import { traversalCost } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library, Overload } from '../declarations.ts';
import { CelError } from '../error.ts';
import { add } from '../value/arithmetic.ts';
import { BOOL, type CelType, DOUBLE, DURATION, INT, list, param, UINT } from '../value/cel-type.ts';
import { CelDouble, CelDuration, type CelResult, CelUint, type CelValue } from '../value/cel-value.ts';
import { equal } from '../value/equality.ts';
import { type CelList, listItems } from '../value/list.ts';
import { compare } from '../value/ordering.ts';
import { typeOf } from '../value/type-of.ts';
import { declare, memberForm } from './declare.ts';
import { COMPARABLE_TYPES, isComparable } from './lists.ts';

const A = param('A');
const traverseCost: CostRule = (_result, items) => traversalCost(items);

const ZEROS: readonly (readonly [type: CelType, zero: CelValue])[] = [
  [INT, 0],
  [UINT, new CelUint(0n)],
  [DOUBLE, new CelDouble(0)],
  [DURATION, new CelDuration(0, 0)],
];

function noOrder(name: string, value: CelValue): CelError {
  return new CelError('no_such_overload', `${name}: ${typeOf(value)} has no order`);
}

/** Pairs without an order (NaN, mixed types of a dyn list) are passed over, as in the reference. */
function isSorted(context: CallContext, items: CelList): boolean | CelError {
  context.work(items.length);
  let previous: CelValue | undefined;
  for (const item of listItems(items)) {
    if (!isComparable(item)) return noOrder('isSorted', item);
    if (previous !== undefined) {
      const order = compare(previous, item);
      if (typeof order === 'number' && order > 0) return false;
    }
    previous = item;
  }
  return true;
}

/** The first element's own zero begins a sum, so that lists of dyn doubles, uints and durations add up as well. */
function sum(zero: CelValue): (context: CallContext, items: CelList) => CelResult {
  return (context, items) => {
    context.work(items.length);
    const values = listItems(items);
    const [first] = values;
    if (first === undefined) return zero;
    const start = ZEROS.find(([type]) => type === typeOf(first))?.[1];
    if (start === undefined) return new CelError('no_such_overload', `sum: ${typeOf(first)} does not add up`);
    let total: CelResult = start;
    for (const value of values) {
      total = add(total, value);
      if (total instanceof CelError) return total;
    }
    return total;
  };
}

/** The first of equal elements; a pair without an order keeps the earlier one, so NaN never replaces. */
function extreme(name: 'min' | 'max', sign: 1 | -1): (context: CallContext, items: CelList) => CelValue | CelError {
  return (context, items) => {
    context.work(items.length);
    let best: CelValue | undefined;
    for (const item of listItems(items)) {
      if (!isComparable(item)) return noOrder(name, item);
      if (best === undefined) {
        best = item;
        continue;
      }
      const order = compare(best, item);
      if (typeof order === 'number' && order * sign > 0) best = item;
    }
    return best ?? new CelError('empty_list', `${name} called on empty list`);
  };
}

function indexOf(context: CallContext, items: CelList, sought: CelValue): number {
  context.work(items.length);
  return listItems(items).findIndex((item) => equal(item, sought, context) === true);
}

function lastIndexOf(context: CallContext, items: CelList, sought: CelValue): number {
  context.work(items.length);
  return listItems(items).findLastIndex((item) => equal(item, sought, context) === true);
}

function byType(name: string, types: readonly CelType[], form: (type: CelType) => Overload): FunctionDeclaration {
  return declare(name, () => types.map(form), traverseCost);
}

/** isSorted sum min max indexOf lastIndexOf of lists, as every Kubernetes version has them. */
export function kubernetesListsLibrary(): Library {
  const min = extreme('min', 1);
  const max = extreme('max', -1);
  return {
    name: 'kubernetes.lists',
    functions: [
      byType('isSorted', COMPARABLE_TYPES, (type) => memberForm([list(type)], BOOL, isSorted)),
      declare('sum', () => ZEROS.map(([type, zero]) => memberForm([list(type)], type, sum(zero))), traverseCost),
      byType('max', COMPARABLE_TYPES, (type) => memberForm([list(type)], type, max)),
      byType('min', COMPARABLE_TYPES, (type) => memberForm([list(type)], type, min)),
      declare('indexOf', () => [memberForm([list(A), A], INT, indexOf)], traverseCost),
      declare('lastIndexOf', () => [memberForm([list(A), A], INT, lastIndexOf)], traverseCost),
    ],
  };
}
