import { asMap, field } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import type { ScalePaths } from '../resources/resource.ts';

function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(field, object);
}

/** An object's replicas as autoscaling/v1 Scale. */
export function scaleOf(object: ApiObject, paths: ScalePaths): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = at(object, paths.selector);
  const pairs = Object.entries(asMap(labels)).map(([key, value]) => `${key}=${value}`);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, paths.specReplicas) ?? 0 },
    status: {
      replicas: at(object, paths.statusReplicas) ?? 0,
      selector: typeof labels === 'string' ? labels : pairs.join(','),
    },
  };
}

/** Writes the replicas that a Scale asks for into the object. Throws 400 when it asks for none. */
export function scaleTo(draft: ApiObject, scale: unknown, { specReplicas }: ScalePaths): void {
  const replicas = asMap(asMap(scale)['spec'])['replicas'];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw new StatusError('BadRequest', 'spec.replicas of a Scale must be a whole number of 0 or more');
  }
  const { resourceVersion } = asMap(asMap(scale)['metadata']);
  if (typeof resourceVersion === 'string') draft.metadata.resourceVersion = resourceVersion;
  const names = specReplicas.split('.');
  const last = names.pop() ?? '';
  let node: Record<string, unknown> = draft;
  for (const name of names) {
    const inner = { ...asMap(node[name]) };
    node[name] = inner;
    node = inner;
  }
  node[last] = replicas;
}
