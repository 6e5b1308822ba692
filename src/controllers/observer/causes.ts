import { findCause } from '../../core/health/index.ts';
import { asMap, asString, field, isMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { type LabelSelector, selectorText } from '../../core/object/label-selector.ts';
import { ObjectIndex } from '../../core/object/object-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResourcePath } from '../../ports/cluster.ts';
import type { Target } from '../../ports/targets.ts';
import { metadataOf } from '../../runtime/object-key.ts';
import type { ClusterGate } from './cluster-gate.ts';
import { within } from './within.ts';

type Type = ResourcePath['type'];

const PODS: Type = { group: '', version: 'v1', resource: 'pods' };
const EVENTS: Type = { group: '', version: 'v1', resource: 'events' };
const REPLICA_SETS: Type = { group: 'apps', version: 'v1', resource: 'replicasets' };

/** Objects of one list that are looked at: one bad pod is enough for a cause. */
const MOST = 500;
/** Objects below one whose Events are looked at. */
const MOST_WITH_EVENTS = 3;
/** ms: a cause is a help and worth no longer wait. */
const LIMIT = 5_000;
/** ms that a cause stands before it is looked for again: the first wait of the cadence. */
const STANDS = 2_000;
/** Causes that are remembered. */
const MOST_KNOWN = 5_000;

interface Known {
  readonly at: number;
  readonly cause: string | undefined;
}

/** Finds out why unhealthy workloads of one cluster are so: from what they own, then from Warning Events. */
export class Causes {
  readonly #clock: Clock;
  readonly #target: Target;
  readonly #gate: ClusterGate;
  /** By uid of the unhealthy object. */
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock, target: Target, gate: ClusterGate) {
    this.#clock = clock;
    this.#target = target;
    this.#gate = gate;
  }

  /** At most 200 bytes; undefined when nothing is known. What cannot be read explains nothing: the last known cause stands. */
  async of(object: KubernetesObject, signal: AbortSignal): Promise<string | undefined> {
    const uid = asString(metadataOf(object)['uid']);
    const known = this.#known.get(uid);
    const now = this.#clock.now();
    if (known !== undefined && now - known.at < STANDS) return known.cause;
    const cause = await this.#find(object, signal).catch(() => known?.cause);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(uid, { at: now, cause });
    return cause;
  }

  #find(object: KubernetesObject, signal: AbortSignal): Promise<string | undefined> {
    return within(this.#clock, LIMIT, signal, async (limited) => {
      const below = await this.#below(object, limited);
      const told = findCause(object, new ObjectIndex([object, ...below]));
      if (told !== undefined) return told;
      const events = await this.#events([object, ...below.slice(0, MOST_WITH_EVENTS)], limited);
      return events.length === 0 ? undefined : findCause(object, new ObjectIndex([object, ...below, ...events]));
    });
  }

  /** What a workload owns, by its selector: owner references sort out what is not its own. */
  async #below(object: KubernetesObject, signal: AbortSignal): Promise<readonly KubernetesObject[]> {
    const namespace = asString(metadataOf(object)['namespace']);
    const selector = selectorOf(object);
    if (selector === undefined || namespace === '') return [];
    const types = object['kind'] === 'Deployment' ? [REPLICA_SETS, PODS] : [PODS];
    const found = await Promise.all(
      types.map((type) => this.#list(type, namespace, { labelSelector: selector }, signal)),
    );
    return found.flat();
  }

  async #events(objects: readonly KubernetesObject[], signal: AbortSignal): Promise<readonly KubernetesObject[]> {
    const found = await Promise.all(
      objects.map((object) => {
        const { uid, namespace } = metadataOf(object);
        const where = asString(namespace) || 'default';
        const fieldSelector = `type=Warning,involvedObject.uid=${asString(uid)}`;
        return this.#list(EVENTS, where, { fieldSelector }, signal);
      }),
    );
    return found.flat();
  }

  /** With the kind of each: a list leaves it out of its items. */
  async #list(
    type: Type,
    namespace: string,
    selectors: { readonly labelSelector?: string; readonly fieldSelector?: string },
    signal: AbortSignal,
  ): Promise<readonly KubernetesObject[]> {
    const { items } = await this.#gate.read(() =>
      this.#target.reader.list({ type, namespace }, { ...selectors, limit: MOST, signal, timeout: LIMIT }),
    );
    const kind = KINDS[type.resource];
    return items.map((item) => (item['kind'] === undefined ? { ...item, kind } : item));
  }
}

const KINDS: Readonly<Record<string, string>> = { pods: 'Pod', events: 'Event', replicasets: 'ReplicaSet' };

/** Kinds that own pods, by whose selector these are found. */
const WORKLOADS: readonly unknown[] = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'];

function selectorOf(object: KubernetesObject): string | undefined {
  const selector = field(object['spec'], 'selector');
  if (!isMap(selector)) return undefined;
  // A ReplicationController has plain labels.
  if (object['kind'] === 'ReplicationController') return selectorText({ matchLabels: textsOf(selector) });
  if (!WORKLOADS.includes(object['kind'])) return undefined;
  const { matchLabels, matchExpressions } = selector;
  const text = selectorText({
    matchLabels: textsOf(matchLabels),
    // As the API server stored it.
    matchExpressions: (matchExpressions ?? []) as NonNullable<LabelSelector['matchExpressions']>,
  });
  return text === '' ? undefined : text;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(asMap(value)).map(([key, text]) => [key, asString(text)]));
}
