import type { RelatedReference } from '../../core/health/index.ts';
import { splitApiVersion } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Target } from '../../ports/targets.ts';
import type { ClusterGate } from './cluster-gate.ts';
import { READ_LIMIT } from './object-looks.ts';
import { within } from './within.ts';

/** ms that what was read stands: classes and the like change seldom. */
const STANDS = 30_000;
const MOST_KNOWN = 1_000;

interface Known {
  readonly at: number;
  /** null: it is not there, or may not be read. */
  readonly object: KubernetesObject | null;
}

/** A related object that a rule asked for and that was not read yet. */
export interface RelatedQuery {
  readonly reference: RelatedReference;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The objects of one cluster that rules want to see beside the judged one: cluster-scoped, or of its namespace; never Secrets. Rules
 * run without waiting, so what is missing is noted, read, and the rule runs again.
 */
export class RelatedObjects {
  readonly #clock: Clock;
  readonly #target: Target;
  readonly #gate: ClusterGate;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock, target: Target, gate: ClusterGate) {
    this.#clock = clock;
    this.#target = target;
    this.#gate = gate;
  }

  /** What is known; undefined: it has to be read first. */
  find({ reference, namespace, name }: RelatedQuery): KubernetesObject | null | undefined {
    if (reference.resource === 'secrets') return null;
    const known = this.#known.get(keyOf(reference, namespace, name));
    return known === undefined || this.#clock.now() - known.at >= STANDS ? undefined : known.object;
  }

  async read(queries: readonly RelatedQuery[], signal: AbortSignal): Promise<void> {
    await Promise.all(queries.map((query) => this.#read(query, signal)));
  }

  async #read({ reference, namespace, name }: RelatedQuery, signal: AbortSignal): Promise<void> {
    const object = await this.#get(reference, namespace, name, signal).catch(() => null);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(keyOf(reference, namespace, name), { at: this.#clock.now(), object });
  }

  async #get(
    { apiVersion, resource }: RelatedReference,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<KubernetesObject | null> {
    const { group, version } = splitApiVersion(apiVersion);
    const { reader } = this.#target;
    const type = (await reader.discovery.all()).find(
      (one) => one.group === group && one.version === version && one.resource === resource,
    );
    if (type === undefined) return null;
    const path = { type, namespace: type.namespaced ? namespace : '', name };
    return this.#gate.read(() =>
      within(this.#clock, READ_LIMIT, signal, (limited) => reader.get(path, { signal: limited, timeout: READ_LIMIT })),
    );
  }
}

function keyOf({ apiVersion, resource }: RelatedReference, namespace: string, name: string): string {
  return `${apiVersion}/${resource}/${namespace}/${name}`;
}
