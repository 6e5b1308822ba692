import { asMap } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import { metadataOf } from './object-key.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object without what no reader of a cache needs and what is often the larger half of it: `managedFields` and the annotation
 * in which `kubectl apply` keeps a copy. An object that has neither comes back as it is.
 */
export function trimmed(object: KubernetesObject): KubernetesObject {
  const { managedFields, ...metadata } = metadataOf(object);
  const annotations = asMap(metadata['annotations']);
  if (managedFields === undefined && annotations[LAST_APPLIED] === undefined) return object;
  const { [LAST_APPLIED]: _copy, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, ...(metadata['annotations'] !== undefined && { annotations: kept }) } };
}
