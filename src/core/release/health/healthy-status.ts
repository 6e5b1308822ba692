import { API_VERSION, type Release } from '../../api/index.ts';
import type { HealthSummary } from '../../health/index.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import type { HealthyCondition } from './healthy-condition.ts';
import { wholeSeconds } from './observed-fields.ts';

type Condition = NonNullable<Release['status']['conditions']>[number];

/** The Healthy condition that the Release has now. */
export function healthyOf({ status }: Release): Condition | undefined {
  return status.conditions?.find(({ type }) => type === 'Healthy');
}

/**
 * The status that the observer's field manager applies: condition and summary together, since an apply takes away what it no longer
 * lists. Undefined: the Release says all that already.
 * @param now ms since 1970
 */
export function healthyStatus(
  release: Release,
  condition: HealthyCondition,
  summary: HealthSummary | undefined,
  now: number,
): KubernetesObject | undefined {
  const known = healthyOf(release);
  const observedGeneration = release.status.observedGeneration;
  if (
    known?.status === condition.status &&
    known.reason === condition.reason &&
    known.message === condition.message &&
    known.observedGeneration === observedGeneration &&
    sameSummary(release.status.healthSummary, summary)
  ) {
    return undefined;
  }
  const { name, namespace, uid } = release.metadata;
  const written = {
    type: 'Healthy',
    ...condition,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: known?.status === condition.status ? known.lastTransitionTime : transitionTime(known, now),
  };
  return {
    apiVersion: API_VERSION,
    kind: 'Release',
    // The uid: a Release that was made anew under the same name must not get the health of the one before.
    metadata: { name, namespace, uid },
    status: { conditions: [written], ...(summary === undefined ? {} : { healthSummary: counts(summary) }) },
  };
}

/** Another replica's clock may be ahead: the time of a transition does not go back. */
function transitionTime(known: Condition | undefined, now: number): string {
  const before = known === undefined ? 0 : Date.parse(known.lastTransitionTime);
  return wholeSeconds(Number.isNaN(before) ? now : Math.max(now, before));
}

function counts({ total, healthy, progressing, degraded, unknown }: HealthSummary): HealthSummary {
  return { total, healthy, progressing, degraded, unknown };
}

function sameSummary(known: Release['status']['healthSummary'], wanted: HealthSummary | undefined): boolean {
  if (known === undefined || wanted === undefined) return known === wanted;
  return (['total', 'healthy', 'progressing', 'degraded', 'unknown'] as const).every(
    (name) => known[name] === wanted[name],
  );
}
