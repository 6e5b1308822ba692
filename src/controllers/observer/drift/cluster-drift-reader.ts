import type { InventoryEntry } from '../../../core/api/index.ts';
import { asList, asMap, asString, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { isScaledBy } from '../../../core/release/attempt/live-values.ts';
import type { DriftReader, FieldConflict } from '../../../core/release/drift/index.ts';
import { CONTROLLER_MANAGER } from '../../../core/release/names.ts';
import type { Cluster, ObjectPath } from '../../../ports/cluster.ts';
import { ApiError } from '../../../ports/errors.ts';
import { listAll } from '../../../runtime/list-all.ts';

const AUTOSCALERS = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' } as const;
/** ms that one request may take. */
const REQUEST_LIMIT = 10_000;

type Client = Pick<Cluster, 'get' | 'list' | 'apply' | 'discovery'>;

/** Reads for the comparisons of one pass: the autoscalers of a namespace are listed once, and only where replicas differ. */
export class ClusterDriftReaders {
  readonly #cluster: Client;
  readonly #signal: AbortSignal;
  readonly #autoscalers = new Map<string, Promise<readonly KubernetesObject[] | undefined>>();

  constructor(cluster: Client, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#signal = signal;
  }

  of(entry: InventoryEntry): DriftReader {
    const { group, version, resource, namespace, name } = entry;
    const path: ObjectPath = { type: { group, version, resource }, namespace, name };
    return {
      read: () => this.#read(path, entry),
      dryRun: (object, force) => this.#dryRun(path, object, force),
      isScaled: (live) => this.#isScaled(live),
    };
  }

  async #read(
    path: ObjectPath,
    { group, version, kind, resource }: InventoryEntry,
  ): Promise<KubernetesObject | undefined> {
    try {
      return await this.#cluster.get(path, { signal: this.#signal, timeout: REQUEST_LIMIT });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      if (await this.#isServed(group, kind, version)) return undefined;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      throw new ApiError(`the cluster serves no ${resource} of ${apiVersion}`, 404, 'NotFound');
    }
  }

  /** The server answers 404 for a kind that it does not know as well. Who cannot ask believes that the object is gone. */
  async #isServed(group: string, kind: string, version: string): Promise<boolean> {
    try {
      return (await this.#cluster.discovery.kind(group, kind, version)) !== undefined;
    } catch {
      return true;
    }
  }

  /** As the controller would apply it: its field manager owns the fields, so that those of others are conflicts. */
  async #dryRun(path: ObjectPath, object: KubernetesObject, force: boolean): ReturnType<DriftReader['dryRun']> {
    try {
      const applied = await this.#cluster.apply(path, object, {
        fieldManager: CONTROLLER_MANAGER,
        // What is misspelt was told by the attempt.
        fieldValidation: 'Ignore',
        dryRun: true,
        force,
        signal: this.#signal,
        timeout: REQUEST_LIMIT,
      });
      return { object: applied };
    } catch (error) {
      const conflicts = error instanceof ApiError && error.code === 409 ? conflictsOf(error) : [];
      if (conflicts.length > 0) return { conflicts };
      throw error;
    }
  }

  async #isScaled(live: KubernetesObject): Promise<boolean> {
    const namespace = asString(field(live['metadata'], 'namespace'));
    const known = this.#autoscalers.get(namespace);
    const listed = known ?? this.#listAutoscalers(namespace);
    if (known === undefined) this.#autoscalers.set(namespace, listed);
    const autoscalers = await listed;
    return autoscalers === undefined ? isHeldByScale(live) : autoscalers.some((one) => isScaledBy(one, live));
  }

  /** Undefined: they may not be listed. */
  async #listAutoscalers(namespace: string): Promise<readonly KubernetesObject[] | undefined> {
    try {
      const { items } = await listAll(this.#cluster, { type: AUTOSCALERS, namespace }, { signal: this.#signal });
      return items;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
      throw error;
    }
  }
}

/** Without a look at the autoscalers: whoever scaled it did so by the subresource that they use, too. */
function isHeldByScale(live: KubernetesObject): boolean {
  return asList(field(live['metadata'], 'managedFields'))
    .map(asMap)
    .some(
      ({ subresource, fieldsV1 }) =>
        subresource === 'scale' && field(field(fieldsV1, 'f:spec'), 'f:replicas') !== undefined,
    );
}

/** `conflict with "kubectl-edit" using apps/v1 at …` names the manager between the first quotes. */
function conflictsOf({ causes }: ApiError): readonly FieldConflict[] {
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message, field: where }) => ({ manager: /"([^"]*)"/.exec(message)?.[1] ?? '', field: where }));
}
