import { asString, refOf } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { KindLookup, ServedKind } from '../../core/release/index.ts';
import type { Discovery } from '../../ports/cluster.ts';

/** What the cluster says of the kinds of these objects, the items of lists included, as a function that need not ask any more. */
export async function kindLookup(discovery: Discovery, objects: readonly KubernetesObject[]): Promise<KindLookup> {
  const served = new Map<string, ServedKind | undefined>();
  for (const object of withItems(objects)) {
    const { group, version, kind } = refOf(object);
    const key = keyOf(group, version, kind);
    if (version === '' || kind === '' || served.has(key)) continue;
    const type = await discovery.kind(group, kind, version);
    served.set(key, type === undefined ? undefined : { namespaced: type.namespaced, resource: type.resource });
  }
  return (group, version, kind) => served.get(keyOf(group, version, kind));
}

function keyOf(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

function* withItems(objects: readonly KubernetesObject[]): Iterable<KubernetesObject> {
  for (const object of objects) {
    const items = object['items'];
    if (!asString(object['kind']).endsWith('List') || !Array.isArray(items)) yield object;
    else yield* withItems(items.map((item) => ({ apiVersion: object['apiVersion'], ...item })));
  }
}
