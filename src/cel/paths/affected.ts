import { isPrototypeMember } from '../evaluate/access.ts';
import type { PathNode } from './path-trie.ts';

/** A place that counts with those below it, laid out for the comparison: lists that are walked without an iterator. */
export interface Comparison {
  readonly subtree: boolean;
  readonly length: boolean;
  readonly any: Comparison | undefined;
  readonly keys: readonly (string | number)[];
  readonly below: readonly Comparison[];
  /** No key is a name of a built-in prototype: a plain read finds the data's own fields alone. */
  readonly plain: boolean;
  /** Plain fields count and nothing else, as nearly everywhere. */
  readonly simple: boolean;
}

export function comparisonOf(node: PathNode): Comparison {
  const { subtree, length } = node;
  const keys = Array.from(node.fields.keys());
  const plain = keys.every((key) => typeof key === 'string' && !isPrototypeMember(key));
  const any = node.any && comparisonOf(node.any);
  const below = Array.from(node.fields.values(), comparisonOf);
  return { subtree, length, any, keys, below, plain, simple: plain && !subtree && !length && any === undefined };
}

/**
 * Whether two versions of a value differ at a place that counts. Identity first, then value; nothing is allocated on the
 * way through plain data. Objects that are identical are taken to be unchanged.
 */
export function differs(place: Comparison, before: unknown, after: unknown): boolean {
  if (before === after) return false;
  if (place.subtree) return !sameData(before, after);
  if (!isMap(before) || !isMap(after)) return othersDiffer(place, before, after);
  const { keys, below, simple } = place;
  if (!simple) return mapsDiffer(place, before, after);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const a = before[key];
    const b = after[key];
    if (a !== b && differs(below[index]!, a, b)) return true;
  }
  return false;
}

function othersDiffer(place: Comparison, before: unknown, after: unknown): boolean {
  const shape = shapeOf(before);
  if (shape !== shapeOf(after)) return true;
  // Two scalars: nothing below them is read; of a text only the length could count.
  if (shape === 'scalar') return place.length && !sameData(before, after);
  return shape === 'list' && listsDiffer(place, before as readonly unknown[], after as readonly unknown[]);
}

type Fields = { readonly [field: string]: unknown };

export function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shapeOf(value: unknown): 'absent' | 'scalar' | 'list' | 'map' {
  if (value === undefined) return 'absent';
  if (typeof value !== 'object' || value === null) return 'scalar';
  return Array.isArray(value) ? 'list' : 'map';
}

function listsDiffer(place: Comparison, before: readonly unknown[], after: readonly unknown[]): boolean {
  if (place.length && before.length !== after.length) return true;
  const { keys, below, any } = place;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    if (typeof key === 'number' && differs(below[index]!, before[key], after[key])) return true;
  }
  if (any === undefined) return false;
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) if (differs(any, before[index], after[index])) return true;
  return false;
}

function mapsDiffer(place: Comparison, before: Fields, after: Fields): boolean {
  const { keys, below, any, plain } = place;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const a = plain ? before[key] : own(before, key);
    const b = plain ? after[key] : own(after, key);
    if (a !== b && differs(below[index]!, a, b)) return true;
  }
  if (place.length && !sameKeys(before, after)) return true;
  if (any === undefined) return false;
  for (const key in before) if (differs(any, own(before, key), own(after, key))) return true;
  return !sameKeys(before, after);
}

function own(value: Fields, key: string | number): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same keys in the same order: a macro over a map walks them in order. */
function sameKeys(before: Fields, after: Fields): boolean {
  const a = Object.keys(before);
  const b = Object.keys(after);
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** Equality of JSON data; anything that is not (class instances) is the same only when identical. */
function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return Number.isNaN(a) && Number.isNaN(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!sameData(a[index], b[index])) return false;
    return true;
  }
  if (Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || !isRecord(a)) return false;
  return (
    sameKeys(a as Fields, b as Fields) &&
    Object.keys(a).every((key) => sameData((a as Fields)[key], (b as Fields)[key]))
  );
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
