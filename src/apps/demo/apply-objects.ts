import { asMap, asString, splitApiVersion } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { pause } from '../../runtime/pause.ts';

/** ms in which a kind that was just defined is served. */
const LIMIT = 30_000;
const LOOK = 200;

/** Applies objects one after the other; a kind that was defined just before is waited for. */
export async function applyObjects(
  cluster: Cluster,
  clock: Clock,
  objects: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  const end = clock.now() + LIMIT;
  for (const object of objects) {
    for (;;) {
      signal.throwIfAborted();
      if (await isApplied(cluster, object, signal)) break;
      if (clock.now() > end) throw new Error(`${cluster.description} does not serve ${asString(object['kind'])}`);
      cluster.discovery.invalidate();
      await pause(clock, LOOK, signal);
    }
  }
}

/** False: the kind is not served, or not yet. */
async function isApplied(cluster: Cluster, object: KubernetesObject, signal: AbortSignal): Promise<boolean> {
  const { group, version } = splitApiVersion(asString(object['apiVersion']));
  const type = await cluster.discovery.kind(group, asString(object['kind']), version);
  if (type === undefined) return false;
  const { name, namespace } = asMap(object['metadata']);
  const path = { type, namespace: type.namespaced ? asString(namespace) : '', name: asString(name) };
  try {
    await cluster.apply(path, object, { fieldManager: 'convoy-install', force: true, signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false;
    throw error;
  }
}
