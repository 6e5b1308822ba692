import { asMap, asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { IndexFunction } from './indexer.ts';
import { metadataOf, objectKey } from './object-key.ts';

/** Name of the index of an informer of ReleaseInventories: pages by `namespace/name` of their Release. */
export const PAGES_OF_RELEASE = 'release';

/** For the `indexes` of an informer of ReleaseInventories. */
export const INVENTORY_INDEXES: Readonly<Record<string, IndexFunction>> = {
  [PAGES_OF_RELEASE]: (page) => [releaseOfPage(page)],
};

/** `namespace/name` of the Release that a page of an inventory belongs to. */
export function releaseOfPage(page: KubernetesObject): string {
  return objectKey(asString(metadataOf(page)['namespace']), asString(asMap(page['spec'])['release']));
}
