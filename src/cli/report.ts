import { type HealthSummary, summarize } from '../core/health/aggregate.ts';
import type { HealthState, Verdict } from '../core/health/verdict.ts';
import { refOf } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

/** What is said of one object. Every field is always there; '' where there is nothing to say. */
export interface HealthItem {
  /** Place among all objects of the run; tells objects with equal names apart. */
  readonly index: number;
  /** The file it was read from, `-` for stdin. */
  readonly source: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: HealthState;
  readonly reason: Verdict['reason'];
  readonly message: string;
  /** `SET#RULE` that decided. */
  readonly rule: string;
  /** Why, from the objects around it. */
  readonly cause: string;
}

/** What `convoy health -o json` prints: a contract. Items stand in input order. */
export interface HealthReport {
  readonly apiVersion: 'convoy.kumodo.io/v1alpha1';
  readonly kind: 'HealthReport';
  readonly summary: HealthSummary;
  readonly items: readonly HealthItem[];
}

/** An object that was judged. */
export interface JudgedObject {
  readonly index: number;
  readonly object: KubernetesObject;
  readonly source: string;
  readonly verdict: Verdict;
  readonly cause?: string;
}

function itemOf({ index, object, source, verdict, cause }: JudgedObject): HealthItem {
  const { kind, namespace, name } = refOf(object);
  const { state, reason, message, rule } = verdict;
  const apiVersion = typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '';
  return {
    index,
    source,
    apiVersion,
    kind,
    namespace,
    name,
    state,
    reason,
    message,
    rule: rule ?? '',
    cause: cause ?? '',
  };
}

/** The report about objects, in their order. */
export function healthReport(judged: readonly JudgedObject[]): HealthReport {
  const items = judged.map(itemOf);
  return { apiVersion: 'convoy.kumodo.io/v1alpha1', kind: 'HealthReport', summary: summarize(items), items };
}

/** Only a report without any object that is not Healthy is healthy. */
export function isHealthy({ summary }: HealthReport): boolean {
  return summary.healthy === summary.total;
}
