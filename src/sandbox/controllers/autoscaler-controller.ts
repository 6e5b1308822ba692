import { asMap, field, splitApiVersion } from '../../core/object/fields.ts';
import { scaleTo } from '../api/scale.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Resource } from '../resources/resource.ts';
import { matchesSelector } from '../store/selectors.ts';
import type { StoreEvent } from '../store/store.ts';
import { LOAD_ANNOTATION, limited, metricsOf, type Reading, readMetric, stabilization } from './autoscale.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { type Autoscaler, type Condition, type Pod, withCondition } from './workload-types.ts';

/** ms between looks (--horizontal-pod-autoscaler-sync-period). */
const PERIOD = 15_000;
const COMPONENT = 'horizontal-pod-autoscaler';
const WRITER = { manager: 'convoy-sandbox' };

type Told = Omit<Condition, 'lastTransitionTime'>;

interface Recommendation {
  readonly time: number;
  readonly replicas: number;
}

/** What is scaled. */
interface Target {
  readonly resource: Resource;
  readonly object: ApiObject;
  readonly replicas: number;
  readonly pods: readonly Pod[];
}

function told(type: string, status: Condition['status'], reason: string, message: string): Told {
  return { type, status, reason, message };
}

/** Scales what HorizontalPodAutoscalers name, by a load that an annotation gives, every 15 s of the sandbox's clock. */
export class AutoscalerController implements Controller {
  readonly #cluster: SimulatedCluster;
  readonly #recommended = new Map<string, Recommendation[]>();
  /** When each is looked at next, so that its own writes do not make it look more often. */
  readonly #due = new Map<string, { readonly time: number; readonly generation: number }>();

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ type, object }: StoreEvent): readonly string[] {
    if (object.kind !== 'HorizontalPodAutoscaler') return [];
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    if (type !== 'DELETED') return [key];
    this.#recommended.delete(key);
    this.#due.delete(key);
    return [];
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const scaler = this.#cluster.get<Autoscaler>('HorizontalPodAutoscaler', namespace, name);
    if (scaler === undefined || scaler.metadata.deletionTimestamp !== undefined) return;
    const now = this.#cluster.now();
    const { generation = 0 } = scaler.metadata;
    const due = this.#due.get(key);
    if (due !== undefined && due.generation === generation && now < due.time) return;
    this.#due.set(key, { time: now + PERIOD, generation });
    again(PERIOD);
    const target = this.#target(scaler);
    if (typeof target === 'string') {
      const message = `the HPA controller was unable to get the target's current scale: ${target}`;
      this.#cluster.tell(scaler, 'Warning', 'FailedGetScale', target, COMPONENT);
      this.#write(scaler, {}, [told('AbleToScale', 'False', 'FailedGetScale', message)]);
    } else this.#look(key, scaler, target);
  }

  #target({ metadata, spec }: Autoscaler): Target | string {
    const { apiVersion = 'v1', kind, name } = spec.scaleTargetRef;
    const { namespace = '' } = metadata;
    const { api } = this.#cluster;
    const resource = api.registry.byKind(apiVersion, kind);
    if (resource?.scale === undefined) {
      return `no matches for kind "${kind}" in group "${splitApiVersion(apiVersion).group}"`;
    }
    const object = api.find(resource, namespace, name);
    if (object === undefined) return `${resource.resource}.${resource.group} "${name}" not found`;
    const replicas = Number(resource.scale.specReplicas.split('.').reduce<unknown>(field, object) ?? 0);
    const selector = field(object['spec'], 'selector');
    const pods = this.#cluster
      .list<Pod>('Pod', namespace)
      .filter(({ metadata: its }) => selector !== undefined && matchesSelector(selector, its.labels));
    return { resource, object, replicas, pods };
  }

  #look(key: string, scaler: Autoscaler, target: Target): void {
    const { replicas } = target;
    const able = told(
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    );
    if (replicas === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      this.#write(scaler, { replicas, desired: 0 }, [able, told('ScalingActive', 'False', 'ScalingDisabled', message)]);
      return;
    }
    const given = Number(target.object.metadata.annotations?.[LOAD_ANNOTATION] ?? Number.NaN);
    const load = Number.isFinite(given) && given >= 0 ? given : undefined;
    const readings = metricsOf(scaler).map((metric) => readMetric(metric, target.pods, replicas, load));
    const read = readings.filter((one) => one.kind === 'read').sort((a, b) => b.replicas - a.replicas);
    const [largest] = read;
    if (largest === undefined) {
      this.#fail(scaler, replicas, able, readings);
      return;
    }
    const valid = `the HPA was able to successfully calculate a replica count from ${largest.text.replace(/ (above|below) target$/, '')}`;
    const active = told('ScalingActive', 'True', 'ValidMetricFound', valid);
    const steady = this.#stabilized(key, scaler, replicas, largest.replicas);
    const { replicas: desired, limit } = limited(scaler, replicas, steady);
    const isHeld = steady > largest.replicas && desired <= replicas;
    const conditions = [
      this.#ability(replicas, desired, isHeld),
      active,
      told('ScalingLimited', limit.status, limit.reason, limit.message),
    ];
    const currentMetrics = read.map(({ current }) => current);
    if (desired !== replicas) this.#scale(scaler, target, desired, largest.text);
    this.#write(scaler, { replicas, desired, currentMetrics, scaled: desired !== replicas }, conditions);
  }

  #ability(replicas: number, desired: number, isHeld: boolean): Told {
    if (desired !== replicas) {
      const message = `the HPA controller was able to update the target scale to ${desired}`;
      return told('AbleToScale', 'True', 'SucceededRescale', message);
    }
    return isHeld
      ? told(
          'AbleToScale',
          'True',
          'ScaleDownStabilized',
          'recent recommendations were higher than current one, applying the highest recent recommendation',
        )
      : told('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
  }

  #fail(scaler: Autoscaler, replicas: number, able: Told, readings: readonly Reading[]): void {
    const [first] = readings;
    const { reason, message } =
      first?.kind === 'failed' ? first : { reason: 'InvalidMetricSourceType', message: 'there are no metrics' };
    this.#cluster.tell(scaler, 'Warning', reason, message, COMPONENT);
    this.#write(scaler, { replicas }, [able, told('ScalingActive', 'False', reason, message)]);
  }

  /** The largest number that was asked for within the window: pods are not taken away at the first calm moment. */
  #stabilized(key: string, scaler: Autoscaler, replicas: number, asked: number): number {
    const now = this.#cluster.now();
    const since = now - stabilization(scaler) * 1000;
    const before = this.#recommended.get(key) ?? [{ time: now, replicas }];
    const recent = [...before.filter(({ time }) => time >= since), { time: now, replicas: asked }];
    this.#recommended.set(key, recent);
    return Math.max(...recent.map((one) => one.replicas));
  }

  #scale(scaler: Autoscaler, { resource, object }: Target, replicas: number, why: string): void {
    const paths = resource.scale;
    if (paths === undefined) return;
    const { namespace = '', name } = object.metadata;
    const change = (draft: ApiObject): void => scaleTo(draft, { spec: { replicas } }, paths);
    this.#cluster.api.change(resource, namespace, name, change, WRITER);
    this.#cluster.tell(scaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${why}`, COMPONENT);
  }

  #write(
    scaler: Autoscaler,
    told: {
      readonly replicas?: number;
      readonly desired?: number;
      readonly currentMetrics?: readonly object[];
      readonly scaled?: boolean;
    },
    conditions: readonly Told[],
  ): void {
    const now = this.#cluster.timestamp();
    const lastScaleTime = told.scaled === true ? now : scaler.status?.lastScaleTime;
    const { observedGeneration: _, currentMetrics: __, ...before } = asMap(scaler.status);
    this.#cluster.setStatus(scaler, {
      ...before,
      ...(told.currentMetrics === undefined ? {} : { currentMetrics: told.currentMetrics }),
      currentReplicas: told.replicas ?? before['currentReplicas'] ?? 0,
      desiredReplicas: told.desired ?? before['desiredReplicas'] ?? 0,
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      observedGeneration: scaler.metadata.generation,
      conditions: conditions.reduce<readonly Condition[]>(
        (list, one) => withCondition(list, one, now),
        scaler.status?.conditions ?? [],
      ),
    });
  }
}
