import { costSize, SizeStandIn } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  list,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from '../value/cel-type.ts';
import { CelDuration, type CelResult, CelTimestamp, CelUint, type CelValue } from '../value/cel-value.ts';
import { MAX_DEPTH } from '../value/equality.ts';
import { type CelList, isList, listItems } from '../value/list.ts';
import { isDouble, isInt } from '../value/number.ts';
import { compare } from '../value/ordering.ts';
import { typeOf } from '../value/type-of.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { Membership } from './membership.ts';

type Int = number | bigint;

const T = param('T');
/** Longest list that lists.range() makes; the cap of later cel-go versions. */
const MAX_RANGE = 1_000_000;
/** The reference's price of a call that makes a list: 1 for the call, 10 for the list. */
const LIST_CALL = 11;

/** Types whose lists can be sorted, in the reference's order. */
export const COMPARABLE_TYPES: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

/** Whether a value has an order at all: what `COMPARABLE_TYPES` lists. */
export function isComparable(value: CelValue): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || isInt(value) || isDouble(value)) return true;
  if (value instanceof CelUint || value instanceof Uint8Array) return true;
  return value instanceof CelTimestamp || value instanceof CelDuration;
}

/** f·|list|² + 11 with f = 2.1 for strings and bytes, 2 for all else: the price of comparing a list with itself. */
export function selfComparisonCost(keys: CelResult): number {
  const first = isList(keys) ? listItems(keys)[0] : undefined;
  const texts = typeof first === 'string' || first instanceof Uint8Array;
  const factor = texts || (keys instanceof SizeStandIn && keys.mayHoldTexts) ? 2.1 : 2;
  return Math.floor(factor * costSize(keys) ** 2) + LIST_CALL;
}

const resultCost: CostRule = (result) => costSize(result) + LIST_CALL;
const flattenCost: CostRule = (_result, items) => costSize(items) + LIST_CALL;
const selfCost: CostRule = (_result, items) => selfComparisonCost(items);
const deepFlattenCost: CostRule = (_result, items, depth) => {
  const levels = typeof depth === 'number' || typeof depth === 'bigint' ? Number(depth) : 1;
  // A negative depth, which is an error, lowers the price in the reference.
  return Math.max(0, levels * costSize(items) + LIST_CALL);
};

function slice(context: CallContext, items: CelList, start: Int, end: Int): readonly CelValue[] | CelError {
  if (start < 0 || start > end || end > items.length) {
    const message = `slice(${start}, ${end}) does not fit a list of ${items.length} elements`;
    return new CelError('index_out_of_bounds', message);
  }
  context.work(Number(end) - Number(start));
  return listItems(items).slice(Number(start), Number(end));
}

function flatten(context: CallContext, items: CelList, depth: Int = 1): readonly CelValue[] | CelError {
  if (depth < 0) return new CelError('bad_argument', 'flatten: the depth must not be negative');
  const flat: CelValue[] = [];
  return flattenInto(context, items, Number(depth), 0, flat) ?? flat;
}

function flattenInto(
  context: CallContext,
  items: CelList,
  depth: number,
  level: number,
  flat: CelValue[],
): CelError | undefined {
  if (level > MAX_DEPTH) return new CelError('nesting_too_deep', `values nest deeper than ${MAX_DEPTH} levels`);
  context.work(items.length);
  for (const item of listItems(items)) {
    if (depth === 0 || !isList(item)) flat.push(item);
    else {
      const failed = flattenInto(context, item, depth - 1, level + 1, flat);
      if (failed) return failed;
    }
  }
  return undefined;
}

/**
 * The items in the order of their keys (one key per item), equal keys in their old order. `bad_argument` when the keys
 * are not of one comparable type. NaN has no order: the keys beside it may stay as they were.
 */
export function stableSortBy(items: readonly CelValue[], keys: readonly CelValue[]): CelValue[] | CelError {
  const [first] = keys;
  if (first === undefined) return [...items];
  if (!isComparable(first)) return new CelError('bad_argument', `sort: ${typeOf(first)} has no order`);
  const type = typeOf(first);
  for (const key of keys) {
    if (typeOf(key) !== type) return new CelError('bad_argument', `sort: ${type} and ${typeOf(key)} do not mix`);
  }
  const order = keys.map((_key, index) => index);
  order.sort((a, b) => {
    const difference = compare(keys[a]!, keys[b]!);
    return difference instanceof CelError ? 0 : difference;
  });
  return order.map((index) => items[index]!);
}

function sort(context: CallContext, items: CelList): readonly CelValue[] | CelError {
  const values = listItems(items);
  // What one pass over all keys reads, as often as a sort compares each.
  const length = values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    values.length,
  );
  context.work(length * Math.ceil(Math.log2(values.length + 1)));
  return stableSortBy(values, values);
}

function range(context: CallContext, count: Int): readonly CelValue[] | CelError {
  if (count > MAX_RANGE) return new CelError('bad_argument', `lists.range() makes at most ${MAX_RANGE} elements`);
  const length = Math.max(0, Number(count));
  context.work(length);
  return Array.from({ length }, (_value, index) => index);
}

function reverse(context: CallContext, items: CelList): readonly CelValue[] {
  context.work(items.length);
  return [...listItems(items)].reverse();
}

function distinct(context: CallContext, items: CelList): readonly CelValue[] {
  const seen = new Membership(context);
  context.work(items.length);
  return listItems(items).filter((item) => {
    if (seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

function versionTwo(cost: (rule: CostRule) => CostRule | undefined): readonly FunctionDeclaration[] {
  return [
    declare('sort', () => COMPARABLE_TYPES.map((type) => memberForm([list(type)], list(type), sort, cost(selfCost)))),
    declare('lists.range', () => [globalForm([INT], list(INT), range, cost(resultCost))]),
    declare('reverse', () => [memberForm([list(T)], list(T), reverse, cost(resultCost))]),
    declare('distinct', () => [memberForm([list(T)], list(T), distinct, cost(selfCost))]),
  ];
}

/** cel-go's lists extension: version 0 slice; 1 flatten; 2 sort sortBy lists.range reverse distinct; 3 charges by size. */
export function listsLibrary(version = 3): Library {
  const cost = (rule: CostRule): CostRule | undefined => (version >= 3 ? rule : undefined);
  const functions: FunctionDeclaration[] = [
    declare('slice', () => [memberForm([list(T), INT, INT], list(T), slice, cost(resultCost))]),
  ];
  if (version >= 1) {
    functions.push(
      declare('flatten', () => [
        memberForm([list(list(T))], list(T), flatten, cost(flattenCost)),
        memberForm([list(DYN), INT], list(DYN), flatten, cost(deepFlattenCost)),
      ]),
    );
  }
  if (version >= 2) functions.push(...versionTwo(cost));
  return version >= 2 ? { name: 'lists', functions, macros: ['sortBy'] } : { name: 'lists', functions };
}
