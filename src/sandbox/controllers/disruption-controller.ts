import { isBudgetOf } from '../api/eviction.ts';
import { controllerOf } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import {
  type DisruptionBudget,
  isReady,
  type Pod,
  type ReplicaSet,
  resolved,
  withCondition,
} from './workload-types.ts';

/** ms after which a pod that was evicted and is still there counts again (DeletionTimeout of the disruption controller). */
const DELETION_TIMEOUT = 120_000;

interface Wanted {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Says of each disruption budget how many pods are healthy, must be, and may be evicted. */
export class DisruptionController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object, previous }: StoreEvent): readonly string[] {
    const namespace = object.metadata.namespace ?? '';
    if (object.kind === 'PodDisruptionBudget') return [`${namespace}/${object.metadata.name}`];
    if (object.kind !== 'Pod') return [];
    return this.#cluster
      .list('PodDisruptionBudget', namespace)
      .filter((budget) => isBudgetOf(budget, object) || (previous !== undefined && isBudgetOf(budget, previous)))
      .map(({ metadata }) => `${namespace}/${metadata.name}`);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const budget = this.#cluster.get<DisruptionBudget>('PodDisruptionBudget', namespace, name);
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return;
    const pods = this.#cluster.list<Pod>('Pod', namespace).filter((pod) => isBudgetOf(budget, pod));
    const wanted = this.#wanted(budget, pods);
    if (typeof wanted === 'string') this.#writeFailure(budget, wanted);
    else this.#writeStatus(budget, wanted, pods, again);
  }

  /** How many pods there should be, and how many of them healthy; a text says why that cannot be told. */
  #wanted({ spec }: DisruptionBudget, pods: readonly Pod[]): Wanted | string {
    const { minAvailable, maxUnavailable } = spec;
    if (maxUnavailable === undefined && typeof minAvailable === 'number') {
      return { expectedPods: pods.length, desiredHealthy: minAvailable };
    }
    const expectedPods = this.#expected(pods);
    if (typeof expectedPods === 'string') return expectedPods;
    if (maxUnavailable === undefined) {
      return { expectedPods, desiredHealthy: resolved(minAvailable, expectedPods, Math.ceil) };
    }
    const unavailable = resolved(maxUnavailable, expectedPods, Math.ceil);
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - unavailable) };
  }

  /** The replicas that the controllers of the pods want, all together. Pods without one do not count. */
  #expected(pods: readonly Pod[]): number | string {
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined) continue;
      const found = this.#cluster.index.find(owner.uid)?.object;
      const above = found && controllerOf(found);
      const top = (above && this.#cluster.index.find(above.uid)?.object) ?? found;
      // Deployments, ReplicaSets, StatefulSets and whatever else has replicas.
      const replicas = (top as ReplicaSet | undefined)?.spec?.replicas;
      if (top === undefined || typeof replicas !== 'number')
        return `found no controllers for pod "${pod.metadata.name}"`;
      scales.set(top.metadata.uid, replicas);
    }
    return [...scales.values()].reduce((sum, one) => sum + one, 0);
  }

  #writeStatus(budget: DisruptionBudget, wanted: Wanted, pods: readonly Pod[], again: Again): void {
    const disruptedPods = this.#stillDisrupted(budget, pods, again);
    const healthy = pods.filter(
      (pod) =>
        pod.metadata.deletionTimestamp === undefined && disruptedPods[pod.metadata.name] === undefined && isReady(pod),
    );
    const { expectedPods, desiredHealthy } = wanted;
    const spare = healthy.length - desiredHealthy;
    const disruptionsAllowed = expectedPods <= 0 || spare <= 0 ? 0 : spare;
    const { generation = 0 } = budget.metadata;
    const may = disruptionsAllowed > 0;
    const condition = {
      type: 'DisruptionAllowed',
      status: may ? 'True' : 'False',
      reason: may ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration: generation,
    } as const;
    this.#cluster.setStatus(budget, {
      conditions: withCondition(budget.status?.conditions ?? [], condition, this.#cluster.timestamp()),
      currentHealthy: healthy.length,
      desiredHealthy,
      disruptionsAllowed,
      ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
      expectedPods,
      observedGeneration: generation,
    });
  }

  /** Pods that were evicted and are not gone yet. */
  #stillDisrupted({ status }: DisruptionBudget, pods: readonly Pod[], again: Again): Record<string, string> {
    const disrupted: Record<string, string> = {};
    for (const { metadata } of pods) {
      const since = status?.disruptedPods?.[metadata.name];
      if (since === undefined || metadata.deletionTimestamp !== undefined) continue;
      const left = Date.parse(since) + DELETION_TIMEOUT - this.#cluster.now();
      if (left <= 0) continue;
      disrupted[metadata.name] = since;
      again(left);
    }
    return disrupted;
  }

  #writeFailure(budget: DisruptionBudget, message: string): void {
    const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message } as const;
    const conditions = withCondition(budget.status?.conditions ?? [], condition, this.#cluster.timestamp());
    this.#cluster.setStatus(budget, { ...budget.status, conditions, disruptionsAllowed: 0 });
  }
}
