import { asMap } from '../../core/object/fields.ts';
import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster, templateHash, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { availableIn, type DaemonSet, isActive, isReady, type Pod, podFrom, resolved } from './workload-types.ts';

const REVISION = 'controller-revision-hash';

/** Keeps one pod on each node. */
export class DaemonSetController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ type, object, previous }: StoreEvent): readonly string[] {
    if (object.kind === 'Node' && type !== 'MODIFIED') {
      return this.#cluster.list('DaemonSet').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    }
    return workloadKeys('DaemonSet', 'Pod', object, previous);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#cluster.get<DaemonSet>('DaemonSet', namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const revision = templateHash(set.spec.template);
    const nodes = this.#cluster.list('Node').map(({ metadata }) => metadata.name);
    const pods = this.#podsOf(set);
    for (const node of nodes) {
      if (!pods.some(({ spec }) => spec.nodeName === node)) this.#create(set, node, revision);
    }
    for (const pod of pods) {
      if (isActive(pod) && !nodes.includes(pod.spec.nodeName ?? '')) this.#cluster.remove(pod);
    }
    if (set.spec.updateStrategy.type === 'RollingUpdate') this.#replaceOld(set, pods, nodes.length, revision);
    this.#writeStatus(set, nodes.length, revision, again);
  }

  #podsOf(set: DaemonSet): Pod[] {
    return this.#cluster.controlledBy<Pod>(set, 'Pod');
  }

  #create(set: DaemonSet, node: string, revision: string): void {
    const { namespace = '', name } = set.metadata;
    const template = { ...set.spec.template, spec: { ...set.spec.template.spec, nodeName: node } };
    const pod = podFrom(template, [ownerReference(set)], { [REVISION]: revision });
    this.#cluster.create('Pod', namespace, {
      ...pod,
      metadata: { ...asMap(pod['metadata']), generateName: `${name}-` },
    });
  }

  /** Old pods that do not work go at once, others as long as no more than `maxUnavailable` are missing. */
  #replaceOld(set: DaemonSet, pods: readonly Pod[], nodes: number, revision: string): void {
    const budget = Math.max(1, resolved(set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1, nodes, Math.ceil));
    const old = pods.filter((pod) => isActive(pod) && pod.metadata.labels?.[REVISION] !== revision);
    for (const pod of old.filter((one) => !isReady(one))) this.#cluster.remove(pod);
    const missing = nodes - pods.filter((pod) => isActive(pod) && isReady(pod)).length;
    for (const pod of old.filter(isReady).slice(0, Math.max(0, budget - missing))) this.#cluster.remove(pod);
  }

  #writeStatus(set: DaemonSet, nodes: number, revision: string, again: Again): void {
    const active = this.#podsOf(set).filter(isActive);
    const waits = active.flatMap((pod) => availableIn(pod, set.spec.minReadySeconds ?? 0, this.#cluster.now()) ?? []);
    const later = waits.filter((wait) => wait > 0);
    if (later.length > 0) again(Math.min(...later));
    const available = waits.length - later.length;
    this.#cluster.setStatus(set, {
      observedGeneration: set.metadata.generation,
      desiredNumberScheduled: nodes,
      currentNumberScheduled: active.length,
      updatedNumberScheduled: active.filter((pod) => pod.metadata.labels?.[REVISION] === revision).length,
      numberMisscheduled: 0,
      numberReady: waits.length,
      ...(available > 0 ? { numberAvailable: available } : {}),
      ...(available < nodes ? { numberUnavailable: nodes - available } : {}),
    });
  }
}
