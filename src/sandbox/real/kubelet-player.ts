import { asMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ObjectPath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import type { EventRecorder } from '../../ports/events.ts';
import { Controller, DONE, type Result } from '../../runtime/controller.ts';
import { Informer } from '../../runtime/informer.ts';
import { keyOf, splitKey } from '../../runtime/object-key.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { SCENARIO_ANNOTATION, type Scenario, scenarioOf, stageAt } from '../controllers/pod-life.ts';
import { podStatus, stageEvents } from '../controllers/pod-status.ts';
import { type Pod, withCondition } from '../controllers/workload-types.ts';
import { timestamp } from '../objects/api-object.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };
/** Plural names of the kinds that own pods; an owner of another kind is not asked for a scenario. */
const OWNERS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  Job: 'jobs',
};
/** ms from placement to running, that a pod of a Job works, and until a deleted pod is gone: as in the simulated cluster. */
const [START, WORK, STOP] = [300, 2_000, 500];
/** Pods whose status is written at the same time. */
const WORKERS = 8;

export interface PlayedKubelet {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Gets what the kubelet would tell. */
  readonly recorder?: EventRecorder;
  /** How many nodes there are. */
  readonly nodes: number;
}

interface Life {
  readonly placed: number;
  readonly podIP: string;
  readonly scenario: Scenario;
  /** The stage that was last reported, by when it began. */
  told: number;
}

/** The object may have gone or changed since; the next event tells. */
async function unlessOvertaken(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.code)) throw error;
  }
}

function pathOf({ metadata }: Pod): ObjectPath {
  return { type: PODS, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The server sends Pods to who asks for them. */
function asPod(object: KubernetesObject): Pod {
  return object as unknown as Pod;
}

/** Scheduler and kubelets of a real control plane, played: pods live the lives that their scenarios say, and run nothing. */
class KubeletPlayer {
  readonly #options: PlayedKubelet;
  readonly #pods: Informer;
  readonly #lives = new Map<string, Life>();
  readonly #ending = new Map<string, number>();
  #placed = 0;
  #addresses = 0;

  constructor(options: PlayedKubelet, pods: Informer) {
    this.#options = options;
    this.#pods = pods;
  }

  async reconcile(key: string): Promise<Result> {
    const { namespace, name } = splitKey(key);
    const object = this.#pods.store.get(namespace, name);
    if (object === undefined) return DONE;
    const pod = asPod(object);
    if (pod.metadata.deletionTimestamp !== undefined) return this.#end(pod);
    return pod.spec.nodeName === undefined ? this.#place(pod) : this.#live(pod);
  }

  forget(pod: Pod): void {
    this.#lives.delete(pod.metadata.uid);
    this.#ending.delete(pod.metadata.uid);
  }

  async #place(pod: Pod): Promise<Result> {
    const { cluster, nodes } = this.#options;
    const { kind } = await this.#scenario(pod);
    if (kind === 'unschedulable' || nodes === 0) {
      if (pod.status?.conditions !== undefined) return DONE;
      const message = `0/${nodes} nodes are available: ${nodes} Insufficient cpu.`;
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
      this.#tell(pod, 'Warning', 'FailedScheduling', message);
      await this.#write(pod, { conditions: withCondition([], condition, timestamp(this.#options.clock.now())) });
      return DONE;
    }
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeName(this.#placed++ % nodes) };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod.metadata.name }, target };
    await unlessOvertaken(cluster.create(pathOf(pod), binding, { subresource: 'binding' }));
    return DONE;
  }

  async #live(pod: Pod): Promise<Result> {
    const life = await this.#lifeOf(pod);
    const restarts = pod.spec.restartPolicy !== 'Never' && pod.spec.restartPolicy !== 'OnFailure';
    const elapsed = this.#options.clock.now() - life.placed;
    const stage = stageAt(life.scenario, elapsed, { start: START, work: restarts ? undefined : WORK, restarts });
    if (stage.since !== life.told) {
      const placement = { placed: life.placed, podIP: life.podIP, hostIP: '192.0.2.1' };
      // The API server has computed it, and takes no other.
      const { qosClass: _computed, ...status } = podStatus(pod, stage, placement);
      await this.#write(pod, status);
      life.told = stage.since;
      for (const { type, reason, message } of stageEvents(pod, stage, life.scenario)) {
        this.#tell(pod, type, reason, message);
      }
    }
    return stage.until === undefined ? DONE : { kind: 'after', ms: Math.max(1, stage.until - elapsed) };
  }

  async #lifeOf(pod: Pod): Promise<Life> {
    const { uid } = pod.metadata;
    const known = this.#lives.get(uid);
    if (known !== undefined) return known;
    const number = ++this.#addresses;
    const podIP = `10.244.${(number >> 8) & 255}.${number & 255}`;
    const life = { placed: this.#options.clock.now(), podIP, scenario: await this.#scenario(pod), told: -1 };
    this.#lives.set(uid, life);
    return life;
  }

  /** A bound pod stays until its kubelet says that it is over. */
  async #end(pod: Pod): Promise<Result> {
    const { cluster, clock } = this.#options;
    const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const end = this.#ending.get(uid) ?? clock.now() + Math.min(STOP, deletionGracePeriodSeconds * 1000);
    this.#ending.set(uid, end);
    if (clock.now() < end) return { kind: 'after', ms: end - clock.now() };
    await unlessOvertaken(cluster.delete(pathOf(pod), { gracePeriodSeconds: 0, uid }));
    return DONE;
  }

  async #scenario({ metadata, spec }: Pod): Promise<Scenario> {
    const images = spec.containers.map(({ image }) => image);
    const own = asMap(metadata.annotations);
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const resource = OWNERS[owner?.kind ?? ''];
    if (own[SCENARIO_ANNOTATION] !== undefined || owner === undefined || resource === undefined) {
      return scenarioOf([own], images);
    }
    const [group = '', version = ''] = owner.apiVersion.split('/');
    const path = { type: { group, version, resource }, namespace: metadata.namespace ?? '', name: owner.name };
    const annotations: unknown[] = [own];
    await unlessOvertaken(
      this.#options.cluster.get(path).then((object) => annotations.push(asMap(object['metadata'])['annotations'])),
    );
    return scenarioOf(annotations, images);
  }

  #write(pod: Pod, status: unknown): Promise<void> {
    const { cluster } = this.#options;
    return unlessOvertaken(cluster.patch(pathOf(pod), 'merge', { status }, { subresource: 'status' }));
  }

  #tell({ metadata }: Pod, type: 'Normal' | 'Warning', reason: string, note: string): void {
    const { name, namespace = '', uid } = metadata;
    const regarding = { group: '', version: 'v1', kind: 'Pod', namespace, name, uid };
    this.#options.recorder?.record({ regarding, type, reason, action: reason, note });
  }
}

function nodeName(index: number): string {
  return `node-${index + 1}`;
}

/** Pods of Nodes that do not exist are left out of EndpointSlices, and cleared away after a minute. */
async function addNodes({ cluster, nodes }: PlayedKubelet): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Played', message: 'no kubelet is there' }];
  for (let index = 0; index < nodes; index += 1) {
    const path = { type: NODES, namespace: '', name: nodeName(index) };
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: path.name } };
    await unlessOvertaken(cluster.create(path, node));
    await cluster.patch(path, 'merge', { status: { conditions } }, { subresource: 'status' });
  }
}

/**
 * Plays scheduler and kubelets until the signal aborts: binds pods, writes their status as their scenario says (annotation of the pod or
 * its owner, or tag of the image), and lets go what is deleted. What fails is tried again. @throws what keeps the nodes from being made
 */
export async function playKubelets(options: PlayedKubelet, signal: AbortSignal): Promise<void> {
  const { cluster, clock } = options;
  await addNodes(options);
  const queue = new WorkQueue<string>({ clock });
  const informer = new Informer({ cluster, clock, path: { type: PODS, namespace: '' } });
  const player = new KubeletPlayer(options, informer);
  informer.addHandler({
    added: (pod) => queue.add(keyOf(pod)),
    updated: (pod) => queue.add(keyOf(pod)),
    deleted: (pod) => player.forget(asPod(pod)),
  });
  const controller = new Controller({
    name: 'kubelets',
    clock,
    queue,
    reconciler: player,
    workers: WORKERS,
    ready: (stop) => informer.synced(stop),
  });
  await Promise.all([informer.run(signal), controller.run(signal)]);
  await options.recorder?.flush();
}
