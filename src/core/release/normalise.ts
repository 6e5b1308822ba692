import { asList, asMap, asString, field, isMap } from '../object/fields.ts';
import type { KubernetesObject, ObjectRef } from '../object/kubernetes-object.ts';
import { textToBase64 } from './base64.ts';

/** What a cluster or a CustomResourceDefinition of the render says of a kind. */
export interface ServedKind {
  readonly namespaced: boolean;
  /** Plural resource name. */
  readonly resource: string;
}

/** Undefined: not served. */
export type KindLookup = (group: string, version: string, kind: string) => ServedKind | undefined;

/** What the API server sets: a render made of exported objects carries it, and an apply with it is refused or conflicts. */
const SET_BY_SERVER = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

/** A document that says nothing. */
export function isEmptyDocument(value: unknown): boolean {
  return value === undefined || value === null || (isMap(value) && Object.keys(value).length === 0);
}

/** The objects of a List, lists in lists opened up; an object that is no list alone. */
export function* flatten(object: KubernetesObject): Iterable<KubernetesObject> {
  const kind = asString(object['kind']);
  if (!kind.endsWith('List') || !Array.isArray(object['items']) || 'spec' in object || 'data' in object) {
    yield object;
    return;
  }
  for (const item of asList(object['items'])) {
    if (!isMap(item)) continue;
    // The items of a typed list carry no kind of their own.
    const typed = kind !== 'List' && item['kind'] === undefined;
    yield* flatten(typed ? { apiVersion: object['apiVersion'], kind: kind.slice(0, -4), ...item } : item);
  }
}

/**
 * The kinds that the CustomResourceDefinitions of a render bring, asked before those that the cluster serves: the render may be about
 * to change a definition.
 */
export function kindsOf(objects: readonly KubernetesObject[], cluster: KindLookup): KindLookup {
  const brought = new Map<string, ServedKind>();
  for (const object of objects) {
    if (object['kind'] !== 'CustomResourceDefinition') continue;
    const { group, names, scope, versions } = asMap(object['spec']);
    const served = { namespaced: scope !== 'Cluster', resource: asString(field(names, 'plural')) };
    for (const version of asList(versions)) {
      if (field(version, 'served') === false) continue;
      brought.set(`${asString(group)}/${asString(field(version, 'name'))}/${asString(field(names, 'kind'))}`, served);
    }
  }
  return (group, version, kind) => brought.get(`${group}/${version}/${kind}`) ?? cluster(group, version, kind);
}

/**
 * The object as it is applied and digested: without what the server sets, in the namespace that it will be in, a Secret's
 * `stringData` folded into `data` (where it wins, as on the server).
 */
export function normalise(object: KubernetesObject, namespace: string | undefined): KubernetesObject {
  const metadata = Object.fromEntries(
    Object.entries(asMap(object['metadata'])).filter(
      ([name, value]) =>
        name !== 'namespace' && !SET_BY_SERVER.some((set) => set === name) && value !== undefined && value !== null,
    ),
  );
  return foldStringData({ ...object, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } });
}

/** What is wrong with a Secret's `stringData`: a value that YAML does not read as a text. */
export function unquotedSecret(object: KubernetesObject): string | undefined {
  if (object['kind'] !== 'Secret' || object['apiVersion'] !== 'v1') return undefined;
  const wrong = Object.entries(asMap(object['stringData'])).find(([, value]) => typeof value !== 'string');
  return wrong === undefined ? undefined : `stringData.${wrong[0]} is no text: write its value in quotes`;
}

function foldStringData(object: KubernetesObject): KubernetesObject {
  const { stringData, ...rest } = object;
  if (stringData === undefined || object['kind'] !== 'Secret' || object['apiVersion'] !== 'v1') return object;
  const texts = Object.entries(asMap(stringData)).map(([key, value]) => [key, textToBase64(asString(value))]);
  const data = { ...asMap(object['data']), ...Object.fromEntries(texts) };
  return Object.keys(data).length === 0 ? rest : { ...rest, data };
}

/** `apps/v1 Deployment shop/web`, for messages. */
export function objectName({ group, version, kind, namespace, name }: ObjectRef): string {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return `${apiVersion} ${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
