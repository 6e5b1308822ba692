import { type ApiObject, clone, type Metadata, sameJson, timestamp } from '../objects/api-object.ts';
import { type Resource, storageKey } from '../resources/resource.ts';
import type { Store } from '../store/store.ts';
import { conflict } from './names.ts';
import { asVersion } from './versions.ts';
import type { DeleteOptions, World } from './write-options.ts';

/** Finalizers by which the garbage collector is asked to do its work first. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** A namespace stays until its controller has taken the finalizer out of its spec. */
export function isKept(object: ApiObject): boolean {
  if (object.kind !== 'Namespace') return false;
  const { finalizers = [] } = (object['spec'] ?? {}) as { finalizers?: string[] };
  return finalizers.length > 0;
}

function withPropagation(finalizers: readonly string[], propagation: DeleteOptions['propagation']): string[] {
  if (propagation === undefined) return [...finalizers];
  const own = finalizers.filter((one) => one !== FOREGROUND && one !== ORPHAN);
  if (propagation === 'Foreground') return [...own, FOREGROUND];
  return propagation === 'Orphan' ? [...own, ORPHAN] : own;
}

function withoutFinalizers({ finalizers: _, ...metadata }: Metadata): Metadata {
  return metadata;
}

function checkPreconditions(resource: Resource, { metadata }: ApiObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`;
    throw conflict(resource, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw conflict(resource, name, 'Precondition failed: resourceVersion in precondition does not fit');
  }
}

/** Seconds that an object stays after it was deleted; only pods that a kubelet runs have somebody to wait for. */
function gracePeriod(resource: Resource, object: ApiObject, options: DeleteOptions): number {
  if (resource.kind !== 'Pod') return 0;
  const spec = object['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (object['status'] ?? {}) as { phase?: string };
  if (spec.nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
  return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}

/** Deletes an object as it is stored, or marks as being deleted what has finalizers or a grace period. Returns the last state. */
export function removeObject(
  store: Store,
  resource: Resource,
  old: ApiObject,
  options: DeleteOptions,
  world: World,
): ApiObject {
  checkPreconditions(resource, old, options);
  const { metadata } = old;
  const finalizers = withPropagation(metadata.finalizers ?? [], options.propagation);
  const grace = gracePeriod(resource, old, options);
  if (options.dryRun === true) return asVersion(old, resource);
  if (finalizers.length === 0 && grace === 0 && !isKept(old)) {
    const last = store.remove(storageKey(resource), { ...old, metadata: withoutFinalizers(metadata) });
    return asVersion(last, resource);
  }
  const next = clone(old);
  next.metadata.deletionTimestamp ??= timestamp(world.now() + grace * 1000);
  next.metadata.deletionGracePeriodSeconds = Math.min(grace, metadata.deletionGracePeriodSeconds ?? grace);
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  if (resource.counted && metadata.deletionTimestamp === undefined) {
    next.metadata.generation = (next.metadata.generation ?? 0) + 1;
  }
  if (resource.kind === 'Namespace') next['status'] = { ...(next['status'] as object), phase: 'Terminating' };
  return asVersion(sameJson(next, old) ? old : store.put(storageKey(resource), next), resource);
}
