import { field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { isScaledBy } from '../../../core/release/attempt/index.ts';
import { ignoredPaths } from '../../../core/release/ignored-paths.ts';
import type { RenderObject } from '../../../core/release/index.ts';
import { ApiError } from '../../../ports/errors.ts';
import { listAll } from '../../../runtime/list-all.ts';
import type { Visit } from '../visit.ts';

const REPLICAS = '/spec/replicas';
const AUTOSCALERS = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' } as const;

/** JSON pointers of the fields that somebody else sets: those that drift ignores, and the replicas of what an autoscaler scales. */
export async function foreignPaths(visit: Visit, { ref, object }: RenderObject): Promise<readonly string[]> {
  const ignored = ignoredPaths(visit.release.spec.syncPolicy.drift, ref);
  if (field(object['spec'], 'replicas') === undefined || ignored.includes(REPLICAS)) return ignored;
  const scalers = await autoscalersOf(visit, ref.namespace);
  return scalers.some((scaler) => isScaledBy(scaler, object)) ? [...ignored, REPLICAS] : ignored;
}

/** Those of the render and those on the cluster; whoever may not list them knows the render's. */
async function autoscalersOf(visit: Visit, namespace: string): Promise<readonly KubernetesObject[]> {
  const rendered = (visit.memory.render?.objects ?? [])
    .filter(({ ref }) => ref.group === 'autoscaling' && ref.kind === 'HorizontalPodAutoscaler')
    .map(({ object }) => object);
  const known = visit.autoscalers.get(namespace);
  const listed = known ?? listAutoscalers(visit, namespace);
  if (known === undefined) visit.autoscalers.set(namespace, listed);
  return [...rendered, ...(await listed)];
}

async function listAutoscalers(visit: Visit, namespace: string): Promise<readonly KubernetesObject[]> {
  const { cluster } = await visit.target();
  try {
    return (await listAll(cluster, { type: AUTOSCALERS, namespace }, { signal: visit.signal })).items;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return [];
    throw error;
  }
}
