import { asMap } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';

/** An object's replicas as autoscaling/v1 Scale. */
export function scaleOf(object: ApiObject): Record<string, unknown> {
  const spec = asMap(object['spec']);
  const status = asMap(object['status']);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries(asMap(asMap(spec['selector'])['matchLabels']));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec['replicas'] ?? 0 },
    status: { replicas: status['replicas'] ?? 0, selector: labels.map(([key, value]) => `${key}=${value}`).join(',') },
  };
}

/** Writes the replicas that a Scale asks for into the object. Throws 400 when it asks for none. */
export function scaleTo(draft: ApiObject, scale: unknown): void {
  const replicas = asMap(asMap(scale)['spec'])['replicas'];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw new StatusError('BadRequest', 'spec.replicas of a Scale must be a whole number of 0 or more');
  }
  const { resourceVersion } = asMap(asMap(scale)['metadata']);
  if (typeof resourceVersion === 'string') draft.metadata.resourceVersion = resourceVersion;
  draft['spec'] = { ...asMap(draft['spec']), replicas };
}
