import type { ApiObject } from '../objects/api-object.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly lastUpdateTime?: string;
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers: readonly { readonly name: string; readonly image: string }[];
  readonly nodeName?: string;
  readonly restartPolicy?: string;
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly conditions?: readonly Condition[];
  readonly startTime?: string;
  readonly podIP?: string;
}

export interface Pod extends ApiObject {
  spec: PodSpec;
  status?: PodStatus;
}

interface WorkloadSpec {
  readonly replicas: number;
  readonly selector: unknown;
  readonly template: PodTemplate;
  readonly minReadySeconds?: number;
}

interface ReplicaStatus {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
}

export interface ReplicaSet extends ApiObject {
  spec: WorkloadSpec;
  status?: ReplicaStatus;
}

export interface Deployment extends ApiObject {
  spec: WorkloadSpec & {
    readonly paused?: boolean;
    readonly revisionHistoryLimit: number;
    readonly progressDeadlineSeconds: number;
    readonly strategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
    };
  };
  status?: ReplicaStatus & { readonly conditions?: readonly Condition[]; readonly updatedReplicas?: number };
}

export interface StatefulSet extends ApiObject {
  spec: WorkloadSpec & {
    readonly podManagementPolicy: string;
    readonly serviceName?: string;
    readonly updateStrategy: { readonly type: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name: string }; readonly spec: object }[];
  };
  status?: { readonly currentRevision?: string };
}

export interface DaemonSet extends ApiObject {
  spec: WorkloadSpec & {
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
    };
  };
}

export interface Job extends ApiObject {
  spec: {
    readonly parallelism: number;
    readonly completions: number;
    readonly backoffLimit: number;
    readonly suspend: boolean;
    readonly template: PodTemplate;
    readonly ttlSecondsAfterFinished?: number;
  };
  status?: { readonly conditions?: readonly Condition[]; readonly startTime?: string };
}

export interface CronJob extends ApiObject {
  spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly suspend: boolean;
    readonly concurrencyPolicy: string;
    readonly startingDeadlineSeconds?: number;
    readonly successfulJobsHistoryLimit: number;
    readonly failedJobsHistoryLimit: number;
    readonly jobTemplate: {
      readonly metadata?: PodTemplate['metadata'];
      readonly spec: object;
    };
  };
  status?: {
    readonly active?: readonly { readonly uid: string }[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

/** Pods that a controller makes at one look (burstReplicas of the ReplicaSet controller): others get their turn between. */
export const BURST = 500;

/** A HorizontalPodAutoscaler of autoscaling/v2. */
export interface Autoscaler extends ApiObject {
  spec: {
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly metrics: readonly unknown[];
    readonly behavior?: unknown;
  };
  status?: {
    readonly conditions?: readonly Condition[];
    readonly lastScaleTime?: string;
    readonly desiredReplicas?: number;
  };
}

export interface DisruptionBudget extends ApiObject {
  spec: {
    readonly selector?: unknown;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly desiredHealthy?: number;
    readonly currentHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

/** Whether the pod counts for its workload: not ended and not on its way out. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** ms until a ready pod counts as available; 0 when it does. Undefined for one that is not ready. */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}

/** The conditions with one set; its transition time moves only with its status. */
export function withCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  const next = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one));
}

/** A number or a percentage of `total`. */
export function resolved(value: number | string | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** A pod made from a template. */
export function podFrom(
  template: PodTemplate,
  owner: ApiObject['metadata']['ownerReferences'],
  labels: object,
): Record<string, unknown> {
  const { labels: own, annotations } = template.metadata ?? {};
  return {
    metadata: {
      labels: { ...own, ...labels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(owner === undefined ? {} : { ownerReferences: owner }),
    },
    spec: template.spec,
  };
}
