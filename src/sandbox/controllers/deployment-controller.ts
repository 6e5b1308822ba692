import { type ApiObject, controllerOf, sameJson } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import { deploymentStatus } from './deployment-status.ts';
import { recreateStep, rollingStep, type Scaling } from './rolling-update.ts';
import { ownerReference, type SimulatedCluster, templateHash, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import type { Deployment, Pod, ReplicaSet } from './workload-types.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HASH = 'pod-template-hash';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

/** Rolls Deployments out: one ReplicaSet for each template, scaled step by step. */
export class DeploymentController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ type, object, previous }: StoreEvent): readonly string[] {
    // The last pod that goes changes no ReplicaSet, but Recreate waits for it.
    const owner = object.kind === 'Pod' && type === 'DELETED' ? controllerOf(object) : undefined;
    const set = owner && this.#cluster.index.find(owner.uid)?.object;
    return workloadKeys('Deployment', 'ReplicaSet', object, previous, set);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const deployment = this.#cluster.get<Deployment>('Deployment', namespace, name);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const hash = templateHash(deployment.spec.template);
    const sets = this.#setsOf(deployment);
    const known = sets.find(({ metadata }) => metadata.labels?.[HASH] === hash);
    if (known === undefined && deployment.spec.paused !== true) this.#createSet(deployment, hash, sets);
    const fresh = known ?? this.#setsOf(deployment).find(({ metadata }) => metadata.labels?.[HASH] === hash);
    const old = sets.filter((set) => set !== known);
    if (fresh !== undefined) this.#annotate(deployment, fresh, old);
    if (deployment.spec.paused === true) this.#scaleWhilePaused(deployment, sets);
    else if (fresh !== undefined) this.#roll(deployment, fresh, old);
    this.#writeStatus(key, hash, again);
    this.#forget(deployment, old);
  }

  #setsOf(deployment: Deployment): ReplicaSet[] {
    return this.#cluster
      .controlledBy<ReplicaSet>(deployment, 'ReplicaSet')
      .sort((a, b) => revisionOf(a) - revisionOf(b));
  }

  #createSet(deployment: Deployment, hash: string, sets: readonly ReplicaSet[]): void {
    const { selector, template, minReadySeconds } = deployment.spec;
    const { namespace = '', name } = deployment.metadata;
    const labels = { ...template.metadata?.labels, [HASH]: hash };
    const { matchLabels = {}, ...others } = selector as { matchLabels?: Record<string, string> };
    const revision = Math.max(0, ...sets.map(revisionOf)) + 1;
    this.#cluster.create('ReplicaSet', namespace, {
      metadata: {
        name: `${name}-${hash}`,
        labels,
        annotations: { ...this.#copied(deployment), [REVISION]: String(revision) },
        ownerReferences: [ownerReference(deployment)],
      },
      spec: {
        replicas: 0,
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...others, matchLabels: { ...matchLabels, [HASH]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
  }

  #copied({ metadata }: Deployment): Record<string, string> {
    const { [LAST_APPLIED]: _, [REVISION]: __, ...copied } = metadata.annotations ?? {};
    return copied;
  }

  /** The newest template has the highest revision, also when it is one from before: that is what a rollback is. */
  #annotate(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): void {
    const revision = String(Math.max(revisionOf(fresh), Math.max(0, ...old.map(revisionOf)) + 1));
    const annotations = { ...this.#copied(deployment), [REVISION]: revision };
    if (!sameJson(fresh.metadata.annotations, annotations)) {
      this.#cluster.change(fresh, (draft) => Object.assign(draft.metadata, { annotations }));
    }
    if (deployment.metadata.annotations?.[REVISION] === revision) return;
    this.#cluster.change(deployment, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [REVISION]: revision };
    });
  }

  #roll(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): void {
    const recreate = deployment.spec.strategy.type === 'Recreate';
    const ended = old.every((set) => this.#cluster.controlledBy<Pod>(set, 'Pod').length === 0);
    const steps = recreate ? recreateStep(deployment, fresh, old) : rollingStep(deployment, fresh, old);
    // Recreate waits until the old pods are really gone: a set counts those no more that are on their way out.
    if (recreate && !ended && steps.some(({ set }) => set === fresh)) return;
    for (const step of steps) this.#scale(deployment, step);
  }

  #scaleWhilePaused(deployment: Deployment, sets: readonly ReplicaSet[]): void {
    const active = sets.filter(({ spec }) => spec.replicas > 0);
    const [only, another] = active.length === 0 ? sets.slice(-1) : active;
    if (only === undefined || another !== undefined || only.spec.replicas === deployment.spec.replicas) return;
    this.#scale(deployment, { set: only, replicas: deployment.spec.replicas });
  }

  #scale(deployment: Deployment, { set, replicas }: Scaling): void {
    const before = set.spec.replicas;
    this.#cluster.change(set, (draft) => Object.assign(draft['spec'] as object, { replicas }));
    const message = `Scaled ${replicas > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`;
    this.#cluster.tell(deployment, 'Normal', 'ScalingReplicaSet', message, 'deployment-controller');
  }

  #writeStatus(key: string, hash: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const deployment = this.#cluster.get<Deployment>('Deployment', namespace, name);
    if (deployment === undefined) return;
    const sets = this.#setsOf(deployment);
    const fresh = sets.find(({ metadata }) => metadata.labels?.[HASH] === hash);
    const { status, deadlineIn } = deploymentStatus(deployment, fresh, sets, this.#cluster.now());
    this.#cluster.setStatus(deployment, status);
    if (deadlineIn !== undefined) again(deadlineIn);
  }

  /** Old ReplicaSets beyond the history that is to be kept. */
  #forget(deployment: Deployment, old: readonly ReplicaSet[]): void {
    const idle = old.filter(({ spec, status }) => spec.replicas === 0 && (status?.replicas ?? 0) === 0);
    const surplus = Math.max(0, idle.length - deployment.spec.revisionHistoryLimit);
    for (const set of idle.slice(0, surplus)) this.#cluster.remove(set);
  }
}
