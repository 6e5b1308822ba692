import { asMap } from '../../core/object/fields.ts';
import { controllerOf } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import { type LifeOptions, type Scenario, scenarioOf, stageAt } from './pod-life.ts';
import { runsOf } from './pod-log.ts';
import { podStatus, stageEvents } from './pod-status.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { type Pod, withCondition } from './workload-types.ts';

export interface KubeletOptions {
  /** ms from placement to running. */
  readonly start: number;
  /** ms that a pod of a Job works. */
  readonly work: number;
  /** ms until a deleted pod is gone. */
  readonly stop: number;
}

/** What a run of a container wrote. */
export interface ContainerRun {
  readonly restarts: number;
  readonly lines: readonly { readonly time: number; readonly text: string }[];
  readonly ended: boolean;
}

interface Life {
  readonly placed: number;
  readonly podIP: string;
  /** The stage that was last reported, by when it began. */
  told: number;
}

/** Places pods on nodes and lives their lives: scheduler and kubelet in one. */
export class Kubelet implements Controller {
  readonly #cluster: SimulatedCluster;
  readonly #options: KubeletOptions;
  readonly #lives = new Map<string, Life>();
  readonly #ending = new Map<string, number>();
  #placed = 0;

  constructor(cluster: SimulatedCluster, options: KubeletOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  keys({ type, object }: StoreEvent): readonly string[] {
    if (object.kind === 'Pod') {
      const { namespace = '', name, uid } = object.metadata;
      if (type !== 'DELETED') return [`${namespace}/${name}`];
      this.#lives.delete(uid);
      this.#ending.delete(uid);
    }
    return [];
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const pod = this.#cluster.get<Pod>('Pod', namespace, name);
    if (pod === undefined) return;
    const scenario = this.#scenario(pod);
    if (pod.metadata.deletionTimestamp !== undefined) this.#end(pod, again);
    else if (pod.spec.nodeName === undefined) this.#place(pod, scenario);
    else this.#live(pod, scenario, again);
  }

  /** The last two runs of a container, oldest first, with the times of their lines in ms since 1970. */
  log(namespace: string, name: string, container: string): readonly ContainerRun[] {
    const pod = this.#cluster.get<Pod>('Pod', namespace, name);
    const life = pod && this.#lives.get(pod.metadata.uid);
    if (pod === undefined || life === undefined) return [];
    const elapsed = this.#cluster.now() - life.placed;
    return runsOf(container, this.#scenario(pod), elapsed, this.#lifeOptions(pod)).map((run) => ({
      ...run,
      lines: run.lines.map(({ since, text }) => ({ time: life.placed + since, text })),
    }));
  }

  #scenario(pod: Pod): Scenario {
    const owner = controllerOf(pod);
    const annotations = [pod, owner && this.#cluster.index.find(owner.uid)?.object].map(
      (one) => one?.metadata.annotations,
    );
    return scenarioOf(
      annotations,
      pod.spec.containers.map(({ image }) => image),
    );
  }

  #lifeOptions(pod: Pod): LifeOptions {
    const restarts = pod.spec.restartPolicy !== 'Never' && pod.spec.restartPolicy !== 'OnFailure';
    return { start: this.#options.start, work: restarts ? undefined : this.#options.work, restarts };
  }

  #place(pod: Pod, { kind }: Scenario): void {
    const nodes = this.#cluster
      .list('Node')
      .filter((node) => asMap(node['spec'])['unschedulable'] !== true)
      .map(({ metadata }) => metadata.name)
      .sort();
    const node = nodes[this.#placed % Math.max(1, nodes.length)];
    if (kind === 'unschedulable' || node === undefined) {
      const message = `0/${nodes.length} nodes are available: ${nodes.length} Insufficient cpu.`;
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
      const conditions = withCondition(pod.status?.conditions ?? [], condition, this.#cluster.timestamp());
      if (pod.status?.conditions === undefined)
        this.#cluster.tell(pod, 'Warning', 'FailedScheduling', message, 'default-scheduler');
      this.#cluster.setStatus(pod, { phase: 'Pending', conditions, qosClass: 'BestEffort' });
      return;
    }
    this.#placed += 1;
    this.#cluster.change(pod, (draft) => Object.assign(draft['spec'] as object, { nodeName: node }));
    const { namespace = '', name } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#cluster.tell(pod, 'Normal', 'Scheduled', message, 'default-scheduler');
  }

  #live(pod: Pod, scenario: Scenario, again: Again): void {
    const { uid } = pod.metadata;
    let life = this.#lives.get(uid);
    if (life === undefined) {
      const number = this.#lives.size + this.#placed;
      life = { placed: this.#cluster.now(), podIP: `10.244.${(number >> 8) & 255}.${number & 255}`, told: -1 };
      this.#lives.set(uid, life);
    }
    const elapsed = this.#cluster.now() - life.placed;
    const stage = stageAt(scenario, elapsed, this.#lifeOptions(pod));
    if (stage.since === life.told) return;
    life.told = stage.since;
    if (stage.until !== undefined) again(stage.until - elapsed);
    this.#cluster.setStatus(pod, podStatus(pod, stage, { placed: life.placed, podIP: life.podIP, hostIP: '10.0.0.1' }));
    for (const { type, reason, message } of stageEvents(pod, stage, scenario)) {
      this.#cluster.tell(pod, type, reason, message, 'kubelet');
    }
  }

  #end(pod: Pod, again: Again): void {
    const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const end =
      this.#ending.get(uid) ?? this.#cluster.now() + Math.min(this.#options.stop, deletionGracePeriodSeconds * 1000);
    if (!this.#ending.has(uid)) this.#ending.set(uid, end);
    if (this.#cluster.now() < end) again(end - this.#cluster.now());
    else if (deletionGracePeriodSeconds > 0) this.#cluster.remove(pod, 0);
  }
}
