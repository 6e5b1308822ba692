import { isMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';

/** What stands in the place of a subtree; `removed` takes it away. */
const DAMAGES: readonly { readonly name: string; readonly value: unknown }[] = [
  { name: 'removed', value: undefined },
  { name: 'null', value: null },
  { name: 'a text', value: 'odd' },
  { name: 'an empty text', value: '' },
  { name: 'a number', value: 7 },
  { name: 'a fraction', value: 0.5 },
  { name: 'a flag', value: true },
  { name: 'an empty list', value: [] },
  { name: 'an empty map', value: {} },
  { name: 'a list of oddities', value: [null, 1, 'x', [], {}] },
  { name: 'a map of oddities', value: { a: null, b: [], type: 5, status: {} } },
];

export interface DamagedObject {
  /** `status.conditions.0 is null`. */
  readonly what: string;
  readonly object: KubernetesObject;
}

/** The object with each of its subtrees damaged in each way, one at a time. apiVersion and kind stay: they choose the rule. */
export function* damagedObjects(object: KubernetesObject): Generator<DamagedObject> {
  for (const path of pathsOf(object, [])) {
    if (path.length === 1 && (path[0] === 'apiVersion' || path[0] === 'kind')) continue;
    for (const { name, value } of DAMAGES) {
      const damaged = withValue(object, path, value);
      if (isMap(damaged)) yield { what: `${path.join('.')} is ${name}`, object: damaged };
    }
  }
}

function* pathsOf(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...path, key]);
}

function withValue(node: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(node)) {
    const replaced = node.map((item, index) => (String(index) === key ? withValue(item, rest, value) : item));
    return replaced.filter((item) => item !== undefined);
  }
  const copy: Record<string, unknown> = { ...(isMap(node) ? node : {}) };
  const changed = withValue(copy[key], rest, value);
  if (changed === undefined) delete copy[key];
  else copy[key] = changed;
  return copy;
}
