import { asList, asMap, asString } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ObjectPath, ResourcePath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';

/** One write, as watches tell it. */
export interface Change {
  readonly revision: number;
  readonly resource: string;
  /** The object before the write; undefined: it was made. */
  readonly before: KubernetesObject | undefined;
  /** The object after the write; undefined: it is gone. */
  readonly after: KubernetesObject | undefined;
}

export function resourceKey({ type }: ResourcePath): string {
  return type.group === '' ? type.resource : `${type.resource}.${type.group}`;
}

export function metadataOf(object: KubernetesObject): Readonly<Record<string, unknown>> {
  return asMap(object['metadata']);
}

function conflict(path: ObjectPath, why: string): ApiError {
  return new ApiError(`${resourceKey(path)} "${path.name}": ${why}`, 409, 'Conflict');
}

export function notFound(path: ObjectPath): ApiError {
  return new ApiError(`${resourceKey(path)} "${path.name}" not found`, 404, 'NotFound');
}

/** Objects with one increasing resource version, and the log of their changes. */
export class ObjectStore {
  readonly #objects = new Map<string, Map<string, KubernetesObject>>();
  readonly #log: Change[] = [];
  readonly #now: () => number;
  readonly #onChange: () => void;
  #revision = 0;
  /** Changes up to this revision are forgotten. */
  #compacted = 0;
  #uids = 0;

  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Forgets all changes up to now: a watch or a page from before gets 410. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#log.length = 0;
  }

  /** The first change of the resource behind a revision. */
  changeAfter(revision: number, resource: string): Change | undefined {
    // The log has each revision once, so that its place is known without a search.
    let index = Math.max(0, revision + 1 - (this.#log[0]?.revision ?? 0));
    while (index < this.#log.length && this.#log[index]?.resource !== resource) index += 1;
    return this.#log[index];
  }

  find(path: ObjectPath): KubernetesObject | undefined {
    return this.#objects.get(resourceKey(path))?.get(`${path.namespace}/${path.name}`);
  }

  /** In the order of namespace and name. */
  all(path: ResourcePath): KubernetesObject[] {
    const objects = [...(this.#objects.get(resourceKey(path)) ?? [])];
    return objects
      .filter(([key]) => path.namespace === '' || key.startsWith(`${path.namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  create(path: ObjectPath, object: KubernetesObject): KubernetesObject {
    if (this.find(path)) {
      throw new ApiError(`${resourceKey(path)} "${path.name}" already exists`, 409, 'AlreadyExists');
    }
    const metadata = {
      ...metadataOf(object),
      name: path.name,
      ...(path.namespace !== '' && { namespace: path.namespace }),
      uid: `uid-${++this.#uids}`,
      generation: 1,
      creationTimestamp: new Date(this.#now()).toISOString(),
    };
    return this.#put(path, undefined, { ...object, metadata });
  }

  /** Replaces; a resource version in the object has to be the one that is stored. A write that changes nothing makes no revision. */
  update(path: ObjectPath, object: KubernetesObject): KubernetesObject {
    const before = this.find(path);
    if (!before) throw notFound(path);
    const old = metadataOf(before);
    const { resourceVersion = old['resourceVersion'], ...given } = metadataOf(object);
    if (resourceVersion !== old['resourceVersion']) throw conflict(path, 'the object has been modified');
    const { uid, creationTimestamp, deletionTimestamp, generation } = old;
    const kept = { uid, creationTimestamp, ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
    const after = { ...object, metadata: { ...given, ...kept, generation, resourceVersion } };
    if (JSON.stringify(sorted(after)) === JSON.stringify(sorted(before))) return before;
    if (JSON.stringify(sorted(after['spec' as never])) !== JSON.stringify(sorted(before['spec']))) {
      after.metadata.generation = Number(generation) + 1;
    }
    if (deletionTimestamp !== undefined && asList(metadataOf(after)['finalizers']).length === 0) {
      this.#remove(path, before);
      return after;
    }
    return this.#put(path, before, after);
  }

  delete(path: ObjectPath, preconditions: { readonly uid?: string; readonly resourceVersion?: string }): void {
    const before = this.find(path);
    if (!before) throw notFound(path);
    const metadata = metadataOf(before);
    for (const name of ['uid', 'resourceVersion'] as const) {
      const wanted = preconditions[name];
      if (wanted !== undefined && wanted !== metadata[name]) throw conflict(path, `the precondition ${name} fails`);
    }
    if (asList(metadata['finalizers']).length === 0) {
      this.#remove(path, before);
    } else if (asString(metadata['deletionTimestamp']) === '') {
      const deletionTimestamp = new Date(this.#now()).toISOString();
      this.#put(path, before, { ...before, metadata: { ...metadata, deletionTimestamp } });
    }
  }

  #put(path: ObjectPath, before: KubernetesObject | undefined, object: KubernetesObject): KubernetesObject {
    const resource = resourceKey(path);
    const after = this.#stamped(object);
    const objects = this.#objects.get(resource) ?? new Map<string, KubernetesObject>();
    objects.set(`${path.namespace}/${path.name}`, after);
    this.#objects.set(resource, objects);
    this.#record({ revision: this.#revision, resource, before, after });
    return after;
  }

  #remove(path: ObjectPath, before: KubernetesObject): void {
    const resource = resourceKey(path);
    this.#objects.get(resource)?.delete(`${path.namespace}/${path.name}`);
    this.#record({ revision: ++this.#revision, resource, before, after: undefined });
  }

  #stamped(object: KubernetesObject): KubernetesObject {
    return { ...object, metadata: { ...metadataOf(object), resourceVersion: String(++this.#revision) } };
  }

  #record(change: Change): void {
    this.#log.push(change);
    this.#onChange();
  }
}

/** The value with the keys of its maps in order, for comparing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
