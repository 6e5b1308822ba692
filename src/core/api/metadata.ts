import { asInteger, asMap, asString, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';

/** What convoy reads of any object's metadata; absent texts are '', absent maps are empty. */
export interface ResourceMetadata {
  readonly name: string;
  /** '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** 0 for a kind that counts none. */
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  /** RFC 3339, '' unless its deletion was asked for. */
  readonly deletionTimestamp: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
}

export function readMetadata(object: KubernetesObject): ResourceMetadata {
  const metadata = asMap(field(object, 'metadata'));
  const finalizers = metadata['finalizers'];
  return {
    name: asString(metadata['name']),
    namespace: asString(metadata['namespace']),
    uid: asString(metadata['uid']),
    resourceVersion: asString(metadata['resourceVersion']),
    generation: Number(asInteger(metadata['generation']) ?? 0),
    creationTimestamp: asString(metadata['creationTimestamp']),
    deletionTimestamp: asString(metadata['deletionTimestamp']),
    labels: textsOf(metadata['labels']),
    annotations: textsOf(metadata['annotations']),
    finalizers: Array.isArray(finalizers) ? finalizers.map(asString) : [],
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asMap(value)).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
