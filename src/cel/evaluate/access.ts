import { CelError } from '../error.ts';
import { CelObject } from '../value/cel-object.ts';
import type { CelResult, CelValue } from '../value/cel-value.ts';
import { numeric } from '../value/equality.ts';
import { CelConcatList, isList, listItems } from '../value/list.ts';
import { CelMap, isMap, mapGet, mapKey } from '../value/map.ts';

/** The key is not there. No CEL value is a symbol, so neither of the two can be mistaken for one. */
export const ABSENT: unique symbol = Symbol('absent');
/** The thing looked into is null or a scalar and holds nothing. */
export const NO_CONTAINER: unique symbol = Symbol('not a container');

/**
 * The outcome of one step of a path: what stands in the data, as it stands there (`admit` makes it a value at the path's
 * end, so that a path costs one admission whatever its length).
 */
export type Access = CelResult | typeof ABSENT | typeof NO_CONTAINER;

/** `value.key` for any value: own properties only. A list has no fields: `bad_index`. */
export function fieldOf(value: CelValue, key: string): Access {
  if (typeof value !== 'object' || value === null) return NO_CONTAINER;
  if (value instanceof CelObject) {
    if (value instanceof CelMap) return present(value.get(key));
    return value instanceof CelConcatList ? listField(key) : NO_CONTAINER;
  }
  if (isList(value)) return listField(key);
  if (value instanceof Uint8Array || !Object.hasOwn(value, key)) {
    return value instanceof Uint8Array ? NO_CONTAINER : ABSENT;
  }
  return present(value[key]);
}

/** null is a value, only undefined is none. */
function present(value: CelValue | undefined): Access {
  return value === undefined ? ABSENT : value;
}

function listField(key: string): CelError {
  return new CelError('bad_index', `a list has no field '${key}': use an index or a macro such as exists()`);
}

/** `value[key]`. A list takes int, uint and integral double; anything else is `bad_index`. */
export function elementOf(value: CelValue, key: CelValue): Access {
  if (isList(value)) return listElement(value, key);
  if (!isMap(value)) return NO_CONTAINER;
  const lookup = mapKey(key);
  if (lookup === undefined) return new CelError('bad_index', 'a key of a map is a bool, int, uint or string');
  return present(value instanceof CelMap ? value.get(lookup) : mapGet(value, lookup));
}

function listElement(value: readonly CelValue[] | CelConcatList, key: CelValue): Access {
  const position = numeric(key);
  if (position === undefined) return new CelError('bad_index', 'the index of a list is an int');
  if (typeof position === 'number' && !Number.isInteger(position)) {
    return new CelError('bad_index', `${position} is no index of a list: it is not integral`);
  }
  if (position < 0 || position >= value.length) return ABSENT;
  const items = Array.isArray(value) ? value : listItems(value);
  return items[Number(position)]!;
}

/**
 * Whether a plain read `object[name]` could find a member of a built-in prototype instead of a field of the data; such a
 * name takes the `hasOwn` path.
 */
export function isPrototypeMember(name: string): boolean {
  return PROTOTYPE_MEMBERS.has(name);
}

const PROTOTYPE_MEMBERS: ReadonlySet<string> = new Set(
  [
    Object.prototype,
    Array.prototype,
    Uint8Array.prototype,
    Object.getPrototypeOf(Uint8Array.prototype) as object,
  ].flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);
