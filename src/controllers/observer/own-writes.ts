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

  /** The object as this writer knows it. */
  newest(key: string, cached: KubernetesObject): KubernetesObject {
    const write = this.#writes.get(key);
    if (write === undefined) return cached;
    if (write.older.has(versionOf(cached))) return write.result;
    this.#writes.delete(key);
    return cached;
  }

  /** `base`: the object as the cache has it, with which `newest` was asked before the write. */
  wrote(key: string, base: KubernetesObject, result: KubernetesObject): void {
    const before = this.#writes.get(key);
    const older = new Set(before === undefined ? [] : [...before.older, versionOf(before.result)]);
    this.#writes.set(key, { older: older.add(versionOf(base)), result });
  }

  /** Whether the cache now shows what this writer wrote: no news for it. */
  isOwn(key: string, object: KubernetesObject): boolean {
    const write = this.#writes.get(key);
    const version = versionOf(object);
    return write !== undefined && (versionOf(write.result) === version || write.older.has(version));
  }

  forget(key: string): void {
    this.#writes.delete(key);
  }
}

function versionOf(object: KubernetesObject): string {
  const { uid, resourceVersion } = metadataOf(object);
  return `${asString(uid)}/${asString(resourceVersion)}`;
}
