import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { availableIn, BURST, isActive, isReady, type Pod, podFrom, type ReplicaSet } from './workload-types.ts';

/** Keeps as many pods as a ReplicaSet wants. */
export class ReplicaSetController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object, previous }: StoreEvent): readonly string[] {
    return workloadKeys('ReplicaSet', 'Pod', object, previous);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#cluster.get<ReplicaSet>('ReplicaSet', namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const pods = this.#cluster.controlledBy<Pod>(set, 'Pod').filter(isActive);
    this.#scale(set, pods);
    const kept = this.#cluster.controlledBy<Pod>(set, 'Pod').filter(isActive);
    this.#writeStatus(set, kept, again);
  }

  #scale(set: ReplicaSet, pods: readonly Pod[]): void {
    const { replicas, template } = set.spec;
    const { namespace = '', name } = set.metadata;
    for (let missing = Math.min(replicas - pods.length, BURST); missing > 0; missing -= 1) {
      const pod = podFrom(template, [ownerReference(set)], {});
      this.#cluster.create('Pod', namespace, {
        ...pod,
        metadata: { ...(pod['metadata'] as object), generateName: `${name}-` },
      });
    }
    // Those that do not work go first, then the youngest.
    const order = [...pods].sort(
      (a, b) =>
        Number(isReady(a)) - Number(isReady(b)) ||
        b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp),
    );
    for (const pod of order.slice(0, Math.max(0, pods.length - replicas))) this.#cluster.remove(pod);
  }

  #writeStatus(set: ReplicaSet, pods: readonly Pod[], again: Again): void {
    const waits = pods.flatMap((pod) => availableIn(pod, set.spec.minReadySeconds ?? 0, this.#cluster.now()) ?? []);
    const later = waits.filter((wait) => wait > 0);
    if (later.length > 0) again(Math.min(...later));
    const ready = waits.length;
    const available = ready - later.length;
    this.#cluster.setStatus(set, {
      replicas: pods.length,
      fullyLabeledReplicas: pods.length,
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      ...(available > 0 ? { availableReplicas: available } : {}),
      observedGeneration: set.metadata.generation,
    });
  }
}
