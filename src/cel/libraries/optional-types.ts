import type { CallContext, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, list, OPTIONAL, optional, param } from '../value/cel-type.ts';
import { CelDouble, CelDuration, CelOptional, CelTimestamp, CelUint, type CelValue } from '../value/cel-value.ts';
import { type CelList, isList, listItems } from '../value/list.ts';
import { isMap, mapSize } from '../value/map.ts';
import { TIMESTAMP_MIN_SECONDS } from '../value/time-range.ts';
import { typeOf } from '../value/type-of.ts';
import { declare, globalForm, memberForm } from './declare.ts';

const T = param('T');

/** null, false, 0, empty texts, bytes, lists and maps, the zero duration and 0001-01-01T00:00:00Z; no library value. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelDuration) return value.seconds === 0 && value.nanos === 0;
  if (value instanceof CelTimestamp) return value.seconds === TIMESTAMP_MIN_SECONDS && value.nanos === 0;
  if (value instanceof Uint8Array || isList(value)) return value.length === 0;
  return isMap(value) && mapSize(value) === 0;
}

function heldValue(_context: CallContext, holder: CelOptional): CelValue | CelError {
  return holder.present ? holder.value : new CelError('optional_none', 'optional.none() dereference');
}

function at(items: CelList, index: 0 | -1): CelOptional {
  const value = listItems(items).at(index);
  return value === undefined ? CelOptional.none : CelOptional.of(value);
}

function unwrap(context: CallContext, items: CelList): readonly CelValue[] | CelError {
  context.work(items.length);
  const values: CelValue[] = [];
  for (const item of listItems(items)) {
    if (!(item instanceof CelOptional)) {
      return new CelError('no_such_overload', `optional.unwrap takes optional values, not ${typeOf(item)}`);
    }
    if (item.present) values.push(item.value);
  }
  return values;
}

/** The optional type, all of version 2. The planner runs the right sides of `or` and `orValue` only when needed. */
export function optionalTypesLibrary(): Library {
  return {
    name: 'optional',
    types: [OPTIONAL],
    macros: ['optMap', 'optFlatMap'],
    functions: [
      declare('optional.of', () => [
        globalForm([T], optional(T), (_context, value: CelValue) => CelOptional.of(value)),
      ]),
      declare('optional.ofNonZeroValue', () => [
        globalForm([T], optional(T), (_context, value: CelValue) =>
          isZero(value) ? CelOptional.none : CelOptional.of(value),
        ),
      ]),
      declare('optional.none', () => [globalForm([], optional(T), () => CelOptional.none)]),
      declare('value', () => [memberForm([optional(T)], T, heldValue)]),
      declare('hasValue', () => [memberForm([optional(T)], BOOL, (_context, holder: CelOptional) => holder.present)]),
      declare('or', () => [
        memberForm(
          [optional(T), optional(T)],
          optional(T),
          (_context, holder: CelOptional, other: CelOptional) => (holder.present ? holder : other),
          () => 0,
        ),
      ]),
      declare('orValue', () => [
        memberForm(
          [optional(T), T],
          T,
          (_context, holder: CelOptional, other: CelValue) => (holder.present ? holder.value : other),
          () => 0,
        ),
      ]),
      declare('optional.unwrap', () => [globalForm([list(optional(T))], list(T), unwrap)]),
      declare('unwrapOpt', () => [memberForm([list(optional(T))], list(T), unwrap)]),
      declare('first', () => [memberForm([list(T)], optional(T), (_context, items: CelList) => at(items, 0))]),
      declare('last', () => [memberForm([list(T)], optional(T), (_context, items: CelList) => at(items, -1))]),
    ],
  };
}
