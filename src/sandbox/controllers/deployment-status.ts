import { timestamp } from '../objects/api-object.ts';
import { budget } from './rolling-update.ts';
import { type Condition, type Deployment, type ReplicaSet, withCondition } from './workload-types.ts';

interface Counts {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

function sum(
  sets: readonly ReplicaSet[],
  count: (status: NonNullable<ReplicaSet['status']>) => number | undefined,
): number {
  return sets.reduce((total, { status }) => total + (count(status ?? {}) ?? 0), 0);
}

/**
 * The status of a Deployment with its conditions (pkg/controller/deployment/progress.go). `deadlineIn`: ms until a rollout that
 * makes no progress is over its deadline.
 */
export function deploymentStatus(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  now: number,
): { readonly status: Record<string, unknown>; readonly deadlineIn: number | undefined } {
  const counts: Counts = {
    replicas: sum(sets, ({ replicas }) => replicas),
    updated: fresh?.status?.replicas ?? 0,
    ready: sum(sets, ({ readyReplicas }) => readyReplicas),
    available: sum(sets, ({ availableReplicas }) => availableReplicas),
  };
  const available = withCondition(
    deployment.status?.conditions ?? [],
    { ...availability(deployment, counts), lastUpdateTime: timestamp(now) },
    timestamp(now),
  );
  const { conditions, deadlineIn } = withProgress(deployment, fresh, counts, steady(deployment, available), now);
  const unavailable = Math.max(0, Math.max(counts.replicas, deployment.spec.replicas) - counts.available);
  const status = {
    observedGeneration: deployment.metadata.generation,
    ...present({
      replicas: counts.replicas,
      updatedReplicas: counts.updated,
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      unavailableReplicas: unavailable,
    }),
    conditions,
  };
  return { status, deadlineIn };
}

/** Kubernetes leaves out counts of 0. */
function present(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** An unchanged condition keeps the time of its last update. */
function steady({ status }: Deployment, conditions: readonly Condition[]): Condition[] {
  return conditions.map((condition) => {
    const old = status?.conditions?.find(({ type }) => type === condition.type);
    return old?.status === condition.status && old.reason === condition.reason ? old : condition;
  });
}

function availability(deployment: Deployment, { available }: Counts): Omit<Condition, 'lastTransitionTime'> {
  const { unavailable } = budget(deployment);
  const enough =
    available >= deployment.spec.replicas - (deployment.spec.strategy.type === 'RollingUpdate' ? unavailable : 0);
  return enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function isComplete({ spec, metadata, status }: Deployment, { replicas, updated, available }: Counts): boolean {
  const observed = status?.observedGeneration === metadata.generation;
  return updated === spec.replicas && replicas === spec.replicas && available === spec.replicas && observed;
}

function withProgress(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  counts: Counts,
  conditions: readonly Condition[],
  now: number,
): { readonly conditions: readonly Condition[]; readonly deadlineIn: number | undefined } {
  const old = conditions.find(({ type }) => type === 'Progressing');
  const set = (status: Condition['status'], reason: string, message: string): readonly Condition[] =>
    withCondition(
      conditions,
      { type: 'Progressing', status, reason, message, lastUpdateTime: timestamp(now) },
      timestamp(now),
    );
  const name = fresh?.metadata.name ?? '';
  if (deployment.spec.paused === true) {
    return {
      conditions:
        old?.reason === 'DeploymentPaused' ? conditions : set('Unknown', 'DeploymentPaused', 'Deployment is paused'),
      deadlineIn: undefined,
    };
  }
  if (isComplete(deployment, counts)) {
    const done = old?.reason === 'NewReplicaSetAvailable' && old.message?.includes(`"${name}"`) === true;
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    return { conditions: done ? conditions : set('True', 'NewReplicaSetAvailable', message), deadlineIn: undefined };
  }
  const before = deployment.status ?? {};
  const progressed =
    counts.updated > (before.updatedReplicas ?? 0) ||
    counts.replicas - counts.updated < (before.replicas ?? 0) - (before.updatedReplicas ?? 0) ||
    counts.ready > (before.readyReplicas ?? 0) ||
    counts.available > (before.availableReplicas ?? 0);
  const otherTemplate = old?.message?.includes(`"${name}"`) !== true;
  if (old === undefined)
    return running(deployment, set('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`), now);
  if (progressed || otherTemplate) {
    return running(deployment, set('True', 'ReplicaSetUpdated', `ReplicaSet "${name}" is progressing.`), now);
  }
  // A rollout that was complete once, and whose pods fail later, has no deadline.
  if (old.reason === 'NewReplicaSetAvailable' || old.status === 'False') return { conditions, deadlineIn: undefined };
  const limit = deadlineOf(deployment, old);
  if (now < limit) return { conditions, deadlineIn: limit - now };
  const message = `ReplicaSet "${name}" has timed out progressing.`;
  return { conditions: set('False', 'ProgressDeadlineExceeded', message), deadlineIn: undefined };
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime = '' }: Condition): number {
  return Date.parse(lastUpdateTime) + spec.progressDeadlineSeconds * 1000;
}

function running(
  deployment: Deployment,
  conditions: readonly Condition[],
  now: number,
): { readonly conditions: readonly Condition[]; readonly deadlineIn: number } {
  const progress = conditions.find(({ type }) => type === 'Progressing');
  return { conditions, deadlineIn: progress === undefined ? 0 : deadlineOf(deployment, progress) - now };
}
