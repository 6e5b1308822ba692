import { asList, asMap, field, isMap } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { canonicalJson } from '../canonical.ts';
import { type FieldTree, parsed } from '../managed-fields.ts';

/** A place where two values of an object differ. */
export interface Difference {
  /** Elements of FieldsV1. */
  readonly path: readonly string[];
  /** `undefined`: it is not there. */
  readonly live: unknown;
  readonly wanted: unknown;
}

/** What the server keeps for itself, and what is no part of drift. */
const LEFT_OUT: ReadonlySet<string> = new Set(['f:apiVersion', 'f:kind', 'f:status']);
const LEFT_OUT_OF_METADATA: ReadonlySet<string> = new Set([
  'f:managedFields',
  'f:resourceVersion',
  'f:generation',
  'f:creationTimestamp',
  'f:uid',
]);

/** Where two states of an object differ in the fields of a set; what is outside of the set may differ. */
export function differencesIn(
  fields: FieldTree,
  live: KubernetesObject,
  wanted: KubernetesObject,
): readonly Difference[] {
  const found: Difference[] = [];
  for (const [element, inner] of Object.entries(fields)) {
    if (LEFT_OUT.has(element)) continue;
    const left = element === 'f:metadata' ? without(asMap(inner), LEFT_OUT_OF_METADATA) : inner;
    walk(asMap(left), [element], partOf(live, element), partOf(wanted, element), found);
  }
  return found;
}

function without(fields: FieldTree, names: ReadonlySet<string>): FieldTree {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

function walk(fields: FieldTree, path: readonly string[], live: unknown, wanted: unknown, found: Difference[]): void {
  if (live === undefined && wanted === undefined) return;
  const parts = Object.entries(fields).filter(([element]) => element !== '.');
  const bothHaveParts = isComposite(live) && isComposite(wanted);
  if (parts.length === 0 || !bothHaveParts) {
    if (canonicalJson(live) !== canonicalJson(wanted) || (live === undefined) !== (wanted === undefined)) {
      found.push({ path, live, wanted });
    }
    return;
  }
  for (const [element, inner] of parts) {
    walk(asMap(inner), [...path, element], partOf(live, element), partOf(wanted, element), found);
  }
}

function isComposite(value: unknown): boolean {
  return isMap(value) || Array.isArray(value);
}

/** What an element of a path names in a value; undefined: nothing. */
function partOf(value: unknown, element: string): unknown {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return field(value, text);
    case 'k:':
      return itemByKeys(asList(value), Object.entries(asMap(parsed(text))));
    case 'v:': {
      const wanted = canonicalJson(parsed(text));
      return asList(value).find((item) => canonicalJson(item) === wanted);
    }
    default:
      return asList(value)[Number(text)];
  }
}

function itemByKeys(items: readonly unknown[], keys: readonly (readonly [string, unknown])[]): unknown {
  return items.find((item) => keys.every(([name, value]) => canonicalJson(field(item, name)) === canonicalJson(value)));
}
