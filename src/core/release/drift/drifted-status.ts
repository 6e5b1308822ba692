import { API_VERSION, type Release } from '../../api/index.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import type { DriftedCondition } from './drifted-condition.ts';

/**
 * The status that the drift loop's field manager applies; undefined: the Release says it already. No condition takes the one away that
 * is there: an apply removes what its manager no longer lists.
 * @param now ms since 1970
 */
export function driftedStatus(
  { metadata, status }: Release,
  condition: DriftedCondition | undefined,
  now: number,
): KubernetesObject | undefined {
  const known = status.conditions?.find(({ type }) => type === 'Drifted');
  const { observedGeneration } = status;
  const says =
    known?.status === condition?.status &&
    known?.reason === condition?.reason &&
    known?.message === condition?.message &&
    (known === undefined || known.observedGeneration === observedGeneration);
  if (says) return undefined;
  const { name, namespace, uid } = metadata;
  const conditions = condition === undefined ? [] : [written(condition, known, observedGeneration, now)];
  return { apiVersion: API_VERSION, kind: 'Release', metadata: { name, namespace, uid }, status: { conditions } };
}

type Known = NonNullable<Release['status']['conditions']>[number];

function written(
  condition: DriftedCondition,
  known: Known | undefined,
  observedGeneration: number | undefined,
  now: number,
): Known {
  return {
    type: 'Drifted',
    ...condition,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime:
      known?.status === condition.status
        ? known.lastTransitionTime
        : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}
