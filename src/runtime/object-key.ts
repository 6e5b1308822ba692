import { asMap, asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

/** The metadata of an object; an empty map if it has none. */
export function metadataOf(object: KubernetesObject): Readonly<Record<string, unknown>> {
  return asMap(object['metadata']);
}

/** `namespace/name`, or `name` for a cluster-scoped object: client-go's `MetaNamespaceKeyFunc`. */
export function keyOf(object: KubernetesObject): string {
  const { namespace, name } = metadataOf(object);
  return objectKey(asString(namespace), asString(name));
}

export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Whether both are the same object in the same version. Versions are opaque: only equality says something. */
export function sameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  const [one, other] = [metadataOf(a), metadataOf(b)];
  return one['resourceVersion'] === other['resourceVersion'] && one['uid'] === other['uid'];
}
