import { asMap } from '../../core/object/fields.ts';
import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster, templateHash, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { availableIn, BURST, isActive, isReady, type Pod, podFrom, type StatefulSet } from './workload-types.ts';

const REVISION = 'controller-revision-hash';

function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);
}

/** Keeps numbered pods, made and replaced one by one. */
export class StatefulSetController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object, previous }: StoreEvent): readonly string[] {
    return workloadKeys('StatefulSet', 'Pod', object, previous);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#cluster.get<StatefulSet>('StatefulSet', namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const revision = `${name}-${templateHash(set.spec.template)}`;
    const current = set.status?.currentRevision ?? revision;
    this.#step(set, this.#podsOf(set), revision);
    this.#writeStatus(set, this.#podsOf(set), revision, current, again);
  }

  #podsOf(set: StatefulSet): Pod[] {
    return this.#cluster.controlledBy<Pod>(set, 'Pod').sort((a, b) => ordinalOf(a) - ordinalOf(b));
  }

  /** Makes what is missing, from 0 up; then takes away what is too much, then replaces what is old, both from the top down. */
  #step(set: StatefulSet, pods: readonly Pod[], revision: string): void {
    const { replicas, podManagementPolicy, updateStrategy } = set.spec;
    const inOrder = podManagementPolicy !== 'Parallel';
    const byOrdinal = new Map(pods.map((one) => [ordinalOf(one), one]));
    for (let ordinal = 0, made = 0; ordinal < replicas; ordinal += 1) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) {
        this.#create(set, ordinal, revision);
        made += 1;
        if (made === BURST) return;
      }
      if (inOrder && (pod === undefined || !isActive(pod) || !isReady(pod))) {
        // A pod of an old template that never got ready must not hold up the one that mends it.
        const stuck = pod !== undefined && isActive(pod) && pod.metadata.labels?.[REVISION] !== revision;
        if (stuck && updateStrategy.type === 'RollingUpdate') this.#cluster.remove(pod);
        return;
      }
    }
    if (pods.some((pod) => !isActive(pod))) return;
    const surplus = pods.filter((pod) => ordinalOf(pod) >= replicas).reverse();
    for (const pod of inOrder ? surplus.slice(0, 1) : surplus) this.#cluster.remove(pod);
    if (surplus.length > 0 || updateStrategy.type !== 'RollingUpdate') return;
    const partition = updateStrategy.rollingUpdate?.partition ?? 0;
    if (pods.some((pod) => ordinalOf(pod) < replicas && !isReady(pod) && pod.metadata.labels?.[REVISION] === revision))
      return;
    const old = pods
      .filter((pod) => ordinalOf(pod) >= partition && pod.metadata.labels?.[REVISION] !== revision)
      .at(-1);
    if (old !== undefined) this.#cluster.remove(old);
  }

  #create(set: StatefulSet, ordinal: number, revision: string): void {
    const { namespace = '', name } = set.metadata;
    const podName = `${name}-${ordinal}`;
    for (const claim of set.spec.volumeClaimTemplates ?? []) {
      this.#cluster.create('PersistentVolumeClaim', namespace, {
        metadata: { name: `${claim.metadata?.name ?? ''}-${podName}`, labels: set.spec.template.metadata?.labels },
        spec: claim.spec,
      });
    }
    const labels = {
      [REVISION]: revision,
      'statefulset.kubernetes.io/pod-name': podName,
      'apps.kubernetes.io/pod-index': String(ordinal),
    };
    const pod = podFrom(set.spec.template, [ownerReference(set)], labels);
    this.#cluster.create('Pod', namespace, { ...pod, metadata: { ...asMap(pod['metadata']), name: podName } });
  }

  #writeStatus(set: StatefulSet, pods: readonly Pod[], revision: string, current: string, again: Again): void {
    const active = pods.filter(isActive);
    const waits = active.flatMap((pod) => availableIn(pod, set.spec.minReadySeconds ?? 0, this.#cluster.now()) ?? []);
    const later = waits.filter((wait) => wait > 0);
    if (later.length > 0) again(Math.min(...later));
    const updated = active.filter((pod) => pod.metadata.labels?.[REVISION] === revision);
    const isDone =
      updated.length === set.spec.replicas && active.length === set.spec.replicas && updated.every(isReady);
    const currentRevision = isDone ? revision : current;
    this.#cluster.setStatus(set, {
      observedGeneration: set.metadata.generation,
      replicas: active.length,
      readyReplicas: waits.length,
      availableReplicas: waits.length - later.length,
      currentReplicas: active.filter((pod) => pod.metadata.labels?.[REVISION] === currentRevision).length,
      updatedReplicas: updated.length,
      currentRevision,
      updateRevision: revision,
      collisionCount: 0,
    });
  }
}
