import { type CompiledRule, fieldsOf } from '../../health/index.ts';
import { isMap, type JsonMap } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';

/** What of an object is kept in a cache: all that the rules about its kind read, and all that explains its state. */
export interface Projection {
  /** Equal keys, equal projections. */
  readonly key: string;
  /** A smaller object, or the same one where a rule reads all of it. */
  project(object: KubernetesObject): KubernetesObject;
}

/** A place that is read. */
class Place {
  readonly fields = new Map<string, Place>();
  /** Every element of a list, every value of a map. */
  any: Place | undefined;
  /** With everything below. */
  whole = false;
  /** A read ends here: whether it is there and how many elements it has count. */
  end = false;

  below(segment: string | number): Place {
    // A rule that reads one element by its number keeps that place of every element: lists stay lists of the same length.
    if (segment === '*' || typeof segment === 'number') {
      this.any ??= new Place();
      return this.any;
    }
    let place = this.fields.get(segment);
    if (place === undefined) {
      place = new Place();
      this.fields.set(segment, place);
    }
    return place;
  }
}

type Path = readonly (string | number)[];

/** Identity and version, what the engine itself asks, and where causes begin. */
const ALWAYS: readonly Path[] = [
  ['apiVersion'],
  ['kind'],
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'finalizers'].map(
    (name) => ['metadata', name] as const,
  ),
  ['metadata', 'labels', 'convoy.kumodo.io/release'],
  ['spec', 'selector'],
  ['status', 'observedGeneration'],
  ['status', 'updateRevision'],
];

/** What tells how a Job or a Pod ended, and why a Pod does not work. */
const OF_KIND: Readonly<Record<string, readonly Path[]>> = {
  'batch/Job': [['status', 'conditions']],
  '/Pod': ['phase', 'reason', 'message', 'conditions', 'initContainerStatuses', 'containerStatuses'].map(
    (name) => ['status', name] as const,
  ),
};

/** Where in the object the root variables of rules are. `variables` and `related` are made of these. */
const ROOTS: Readonly<Record<string, Path>> = {
  object: [],
  self: [],
  obj: [],
  metadata: ['metadata'],
  spec: ['spec'],
  status: ['status'],
  data: ['data'],
  conditions: ['status', 'conditions'],
};

/** What is kept of the objects of a kind that these rules judge. A rule that does not compile reads nothing. */
export function projectionFor(group: string, kind: string, rules: readonly CompiledRule[]): Projection {
  const root = new Place();
  const paths = new Set<string>();
  const keep = (path: Path, whole: boolean): void => {
    paths.add(`${path.join('.')}${whole ? '.**' : ''}`);
    const place = path.reduce<Place>((at, segment) => at.below(segment), root);
    place.end = true;
    if (whole) place.whole = true;
  };
  for (const path of [...ALWAYS, ...(OF_KIND[`${group}/${kind}`] ?? [])]) keep(path, true);
  for (const { path, subtree } of rules.flatMap(readsOf)) {
    const [variable = '', ...below] = path;
    const start = ROOTS[variable];
    if (start !== undefined) keep([...start, ...below], subtree || variable === 'conditions');
  }
  const place = merged(root);
  return {
    key: [...paths].sort().join('\n'),
    project: (object) => (place.whole ? object : (projected(object, place) as KubernetesObject)),
  };
}

function readsOf(rule: CompiledRule): readonly { readonly path: Path; readonly subtree: boolean }[] {
  return fieldsOf(rule.rule).flatMap((field) => {
    const compiled = rule.expression(field);
    return compiled?.ok ? compiled.program.referencedPaths.toArray() : [];
  });
}

/** With what is read of every element in each element that is named too. */
function merged(place: Place): Place {
  const result = new Place();
  result.whole = place.whole;
  result.end = place.end;
  if (place.whole) return result;
  if (place.any !== undefined) result.any = merged(place.any);
  for (const [name, below] of place.fields) {
    result.fields.set(name, merged(place.any === undefined ? below : union(below, place.any)));
  }
  return result;
}

function union(a: Place, b: Place): Place {
  const result = new Place();
  result.whole = a.whole || b.whole;
  result.end = a.end || b.end;
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [a.fields.get(name), b.fields.get(name)];
    const below = one === undefined || other === undefined ? (one ?? other) : union(one, other);
    if (below !== undefined) result.fields.set(name, below);
  }
  const any = a.any === undefined || b.any === undefined ? (a.any ?? b.any) : union(a.any, b.any);
  if (any !== undefined) result.any = any;
  return result;
}

function projected(value: unknown, place: Place): unknown {
  if (place.whole || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { any } = place;
    return any === undefined ? value.map(() => null) : value.map((item) => projected(item, any));
  }
  return isMap(value) ? projectedMap(value, place) : value;
}

function projectedMap(value: JsonMap, place: Place): JsonMap {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const below = place.fields.get(key) ?? place.any;
    if (below !== undefined) kept[key] = projected(value[key], below);
    // Only the keys count.
    else if (place.end) kept[key] = null;
  }
  return kept;
}

/** Whether two versions of a projected object differ in what is kept, the version itself apart. */
export function differs(before: KubernetesObject, after: KubernetesObject): boolean {
  return !same(before, after);
}

function same(a: unknown, b: unknown, isMetadata = false): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(b, name) &&
      ((isMetadata && name === 'resourceVersion') || same(a[name], b[name], name === 'metadata')),
  );
}
