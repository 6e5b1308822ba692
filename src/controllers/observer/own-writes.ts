import { asString } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { metadataOf } from '../../runtime/object-key.ts';

/** The last write of an object: versions that are older than it, and what the server answered. */
interface OwnWrite {
  readonly older: ReadonlySet<string>;
  readonly result: KubernetesObject;
}

/**
 * What one writer wrote and its cache does not show yet: without it the next decision would be made on the state before the write, and
 * write the same again. Versions are opaque: the writer's result counts as long as the cache has the version that a write was decided
 * on, or that an earlier one of the writes led to.
 */
export class OwnWrites {
  readonly #writes = new Map<string, OwnWrite>();
  /** Versions that the cache showed while a write is under way. */
  readonly #flying = new Map<string, Set<string>>();

  /** The object as this writer knows it. */
  newest(key: string, cached: KubernetesObject): KubernetesObject {
    const write = this.#writes.get(key);
    if (write === undefined) return cached;
    if (write.older.has(versionOf(cached))) return write.result;
    this.#writes.delete(key);
    return cached;
  }

  /**
   * Does a write and remembers it. `base`: the object as the cache has it, with which `newest` was asked before. `news`: called when the
   * cache showed somebody else's version meanwhile.
   */
  async write(
    key: string,
    base: KubernetesObject,
    write: () => Promise<KubernetesObject>,
    news: () => void,
  ): Promise<void> {
    const seen = new Set<string>();
    this.#flying.set(key, seen);
    try {
      this.#remember(key, base, await write());
    } finally {
      this.#flying.delete(key);
      if ([...seen].some((version) => !this.#knows(key, version))) news();
    }
  }

  /**
   * Whether the cache now shows what this writer wrote: no news for it. Of an object that is being written it is not known yet: its
   * watch may be faster than the answer.
   */
  isOwn(key: string, object: KubernetesObject): boolean {
    const version = versionOf(object);
    const seen = this.#flying.get(key);
    if (seen === undefined) return this.#knows(key, version);
    seen.add(version);
    return true;
  }

  #knows(key: string, version: string): boolean {
    const write = this.#writes.get(key);
    return write !== undefined && (versionOf(write.result) === version || write.older.has(version));
  }

  #remember(key: string, base: KubernetesObject, result: KubernetesObject): void {
    const before = this.#writes.get(key);
    const older = new Set(before === undefined ? [] : [...before.older, versionOf(before.result)]);
    older.add(versionOf(base));
    // A write that changed nothing leaves the version as it is: no later one is older than it.
    older.delete(versionOf(result));
    this.#writes.set(key, { older, result });
  }

  forget(key: string): void {
    this.#writes.delete(key);
  }
}

function versionOf(object: KubernetesObject): string {
  const { uid, resourceVersion } = metadataOf(object);
  return `${asString(uid)}/${asString(resourceVersion)}`;
}
