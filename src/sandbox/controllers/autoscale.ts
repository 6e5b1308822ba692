import { asList, asMap, asString, field } from '../../core/object/fields.ts';
import { type Autoscaler, isActive, isReady, type Pod } from './workload-types.ts';

/** On a workload that is scaled: how busy all its pods are together, in percent of what one of them requests. */
export const LOAD_ANNOTATION = 'sandbox.convoy.kumodo.io/load';

/** A usage this near to the target asks for no change (--horizontal-pod-autoscaler-tolerance). */
const TOLERANCE = 0.1;

/** What one metric says. */
export type Reading =
  | { readonly kind: 'read'; readonly replicas: number; readonly current: object; readonly text: string }
  /** It cannot be read. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

function failed(reason: string, message: string): Reading {
  return { kind: 'failed', reason, message: `the HPA was unable to compute the replica count: ${message}` };
}

/** A container that requests none of the resource: the usual reason why an autoscaler does nothing. */
function withoutRequest(pods: readonly Pod[], resource: string): string | undefined {
  for (const { metadata, spec } of pods) {
    for (const container of spec.containers) {
      if (field(field(field(container, 'resources'), 'requests'), resource) !== undefined) continue;
      return `missing request for ${resource} in container ${container.name} of Pod ${metadata.name}`;
    }
  }
  return undefined;
}

/**
 * Reads a metric of a workload: the load that the annotation gives, shared by the pods that are ready; without the annotation they
 * are as busy as the autoscaler wants them.
 */
export function readMetric(metric: unknown, pods: readonly Pod[], replicas: number, load: number | undefined): Reading {
  const type = asString(field(metric, 'type'));
  const resource = asString(field(field(metric, 'resource'), 'name'));
  const target = asMap(field(field(metric, 'resource'), 'target'));
  const wanted = target['averageUtilization'];
  if (type !== 'Resource' || typeof wanted !== 'number') {
    return failed(
      `FailedGet${type}Metric`,
      `the sandbox has metrics of the type Resource with averageUtilization alone`,
    );
  }
  const active = pods.filter(isActive);
  const missing = withoutRequest(active, resource);
  if (missing !== undefined)
    return failed('FailedGetResourceMetric', `failed to get ${resource} utilization: ${missing}`);
  const ready = active.filter(isReady).length;
  if (ready === 0) {
    return failed(
      'FailedGetResourceMetric',
      `failed to get ${resource} utilization: did not receive metrics for any ready pods`,
    );
  }
  const utilization = load === undefined ? wanted : Math.round(load / ready);
  const ratio = utilization / wanted;
  const asked = Math.abs(ratio - 1) <= TOLERANCE ? replicas : Math.ceil(ready * ratio);
  const current = { averageUtilization: utilization, averageValue: '0' };
  return {
    kind: 'read',
    replicas: asked,
    current: { type: 'Resource', resource: { name: resource, current } },
    text: `${resource} resource utilization (percentage of request) ${ratio > 1 ? 'above' : 'below'} target`,
  };
}

/** Seconds for which the largest number asked for counts before pods are taken away. */
export function stabilization({ spec }: Autoscaler): number {
  const seconds = field(field(spec.behavior, 'scaleDown'), 'stabilizationWindowSeconds');
  return typeof seconds === 'number' ? seconds : 300;
}

/** Numbers within the bounds of the autoscaler, and the condition that says whether they were the reason. */
export function limited(
  { spec }: Autoscaler,
  replicas: number,
  asked: number,
): { readonly replicas: number; readonly limit: { status: 'True' | 'False'; reason: string; message: string } } {
  // Twice as many, or four more, at a time (the default policies of scaleUp).
  const fastest = Math.max(replicas * 2, replicas + 4);
  const most = Math.min(spec.maxReplicas, fastest);
  if (asked > most) {
    const isMaximum = most === spec.maxReplicas;
    const [reason, what] = isMaximum
      ? ['TooManyReplicas', 'the desired replica count is more than the maximum replica count']
      : ['ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate'];
    return { replicas: most, limit: { status: 'True', reason, message: what } };
  }
  if (asked < spec.minReplicas) {
    const message = 'the desired replica count is less than the minimum replica count';
    return { replicas: spec.minReplicas, limit: { status: 'True', reason: 'TooFewReplicas', message } };
  }
  const message = 'the desired count is within the acceptable range';
  return { replicas: asked, limit: { status: 'False', reason: 'DesiredWithinRange', message } };
}

/** The metrics that an autoscaler looks at. */
export function metricsOf({ spec }: Autoscaler): readonly unknown[] {
  return asList(spec.metrics);
}
