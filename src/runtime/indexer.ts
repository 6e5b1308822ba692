import { asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import { keyOf, metadataOf, objectKey } from './object-key.ts';

/** Values under which an object is found in one index; none: it is not in it. */
export type IndexFunction = (object: KubernetesObject) => readonly string[];

/** What readers see of a cache. Objects are shared: nobody changes them. */
export interface ObjectReader {
  readonly size: number;
  /** `namespace` is '' for a cluster-scoped object. */
  get(namespace: string, name: string): KubernetesObject | undefined;
  list(): KubernetesObject[];
  inNamespace(namespace: string): KubernetesObject[];
  /** Objects that the index `name` has under the value. Throws if there is no such index: that is a mistake of the caller. */
  indexed(name: string, value: string): KubernetesObject[];
}

/** Objects by namespace and name, and by any number of indexes. */
export class Indexer implements ObjectReader {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #functions: ReadonlyMap<string, IndexFunction>;
  /** Per index and value the keys of the objects. */
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(indexes: Readonly<Record<string, IndexFunction>> = {}) {
    this.#functions = new Map([[BY_NAMESPACE, namespaceOf], ...Object.entries(indexes)]);
    for (const name of this.#functions.keys()) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string, name: string): KubernetesObject | undefined {
    return this.byKey(objectKey(namespace, name));
  }

  byKey(key: string): KubernetesObject | undefined {
    return this.#objects.get(key);
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  list(): KubernetesObject[] {
    return [...this.#objects.values()];
  }

  inNamespace(namespace: string): KubernetesObject[] {
    return this.indexed(BY_NAMESPACE, namespace);
  }

  indexed(name: string, value: string): KubernetesObject[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index ${name}`);
    return [...(index.get(value) ?? [])].map((key) => this.#objects.get(key) as KubernetesObject);
  }

  /** Puts an object in under its key; returns the one that it replaces. */
  set(object: KubernetesObject, key = keyOf(object)): KubernetesObject | undefined {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#reindex(key, before, object);
    return before;
  }

  /** Takes an object out; returns it. */
  delete(key: string): KubernetesObject | undefined {
    const before = this.#objects.get(key);
    this.#objects.delete(key);
    this.#reindex(key, before, undefined);
    return before;
  }

  #reindex(key: string, before: KubernetesObject | undefined, after: KubernetesObject | undefined): void {
    for (const [name, valuesOf] of this.#functions) {
      const index = this.#indexes.get(name) as Map<string, Set<string>>;
      const [old, now] = [before ? valuesOf(before) : NONE, after ? valuesOf(after) : NONE];
      // Most writes change no index: a status, a version.
      if (old.length === now.length && old.every((value, i) => value === now[i])) continue;
      for (const value of old) remove(index, value, key);
      for (const value of now) insert(index, value, key);
    }
  }
}

function remove(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(value);
}

function insert(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  if (keys) keys.add(key);
  else index.set(value, new Set([key]));
}

const NONE: readonly string[] = [];
const BY_NAMESPACE = 'namespace';

function namespaceOf(object: KubernetesObject): readonly string[] {
  return [asString(metadataOf(object)['namespace'])];
}
