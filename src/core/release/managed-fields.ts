import { asList, asMap, asString, asTime, field, isMap, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { CONTROLLER_MANAGER } from './names.ts';

/**
 * A set of fields as `managedFields` writes it (FieldsV1): `f:NAME` a field, `k:{…}` an item of a list by its keys, `v:VALUE` an item of a
 * set, `i:INDEX` an item by its place, `.` the thing itself. An empty map is a whole value.
 */
export type FieldTree = JsonMap;

interface Holder {
  readonly manager: string;
  readonly fields: FieldTree;
  readonly time: number;
  readonly ours: boolean;
}

function holdersOf(object: KubernetesObject): readonly Holder[] {
  return (
    asList(field(object['metadata'], 'managedFields'))
      .map(asMap)
      // The status is another subresource's, and no part of drift.
      .filter((entry) => asString(entry['subresource']) !== 'status')
      .map((entry) => ({
        manager: asString(entry['manager']),
        fields: asMap(entry['fieldsV1']),
        time: asTime(entry['time']) ?? 0,
        ours: entry['manager'] === CONTROLLER_MANAGER && entry['operation'] === 'Apply',
      }))
  );
}

/** What our applies set and nobody else took since. */
export function ownFields(object: KubernetesObject): FieldTree {
  return holdersOf(object)
    .filter(({ ours }) => ours)
    .map(({ fields }) => fields)
    .reduce(union, {});
}

/** All fields that either of two sets holds. */
export function union(one: FieldTree, other: FieldTree): FieldTree {
  const result: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    result[name] = Object.hasOwn(one, name) ? union(asMap(one[name]), asMap(value)) : value;
  }
  return result;
}

/** Whether the set holds the thing at a path of elements, or a part of it. */
export function holds(fields: FieldTree, path: readonly string[]): boolean {
  let node: unknown = fields;
  for (const element of path) {
    if (!isMap(node) || !Object.hasOwn(node, element)) return false;
    node = node[element];
  }
  return true;
}

/** Others that hold the thing at a path, sorted. */
export function otherHolders(object: KubernetesObject, path: readonly string[]): readonly string[] {
  const found = holdersOf(object).filter(({ ours, fields }) => !ours && holds(fields, path));
  return [...new Set(found.map(({ manager }) => manager))].sort();
}

/** Who else wrote last; '' when nobody did. A field that was taken away is held by nobody, and this is the best guess. */
export function lastOtherWriter(object: KubernetesObject): string {
  const others = holdersOf(object).filter(({ ours }) => !ours);
  return others.sort((a, b) => b.time - a.time)[0]?.manager ?? '';
}

/** The set of a value whose owner is not known: each field of its maps, its lists whole. */
export function fieldsOfValue(value: unknown): FieldTree {
  if (!isMap(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, fieldsOfValue(inner)]));
}

/** A path as the API server writes it in conflicts: `.spec.template.spec.containers[name="app"].image`. */
export function fieldText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

function elementText(element: string): string {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${text}`;
    case 'k:':
      return `[${Object.entries(asMap(parsed(text)))
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v:':
      return `[=${text}]`;
    default:
      return `[${text}]`;
  }
}

/** The value of an element's JSON; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
