import { asMap } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import { metadataOf } from './object-key.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object without what no reader of a cache needs and what is often the larger half of it: `managedFields` and the annotation
 * in which `kubectl apply` keeps a copy. An object that has neither comes back as it is.
 */
export function trimmed(object: KubernetesObject): KubernetesObject {
  const whole = metadataOf(object);
  const annotated = asMap(whole['annotations']);
  if (whole['managedFields'] === undefined && annotated[LAST_APPLIED] === undefined) return object;
  const { managedFields: _managed, ...metadata } = whole;
  const { [LAST_APPLIED]: _copy, ...annotations } = annotated;
  return { ...object, metadata: { ...metadata, ...(whole['annotations'] !== undefined && { annotations }) } };
}
