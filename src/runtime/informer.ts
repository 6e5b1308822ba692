import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ResourcePath } from '../ports/cluster.ts';
import { asError } from './as-error.ts';
import { Indexer, type IndexFunction, type ObjectReader } from './indexer.ts';
import { keyOf, sameVersion } from './object-key.ts';
import { pause } from './pause.ts';
import { Reflector } from './reflector.ts';
import { trimmed } from './trim.ts';

/** Objects of a list that go into the cache before others get a turn: a list of 50,000 does not block the process. */
const AT_ONCE = 500;

/**
 * Is told the history of each object, one after the other: added, updated any number of times, deleted, added … Calls come in the
 * order of the changes, after the cache has them, and nothing is kept in between: a handler adds a key to a queue and returns.
 * What it throws is reported and changes nothing.
 */
export interface InformerHandler {
  /** `initial`: it was there before the handler or the informer. */
  added?(object: KubernetesObject, initial: boolean): void;
  /** Also when an object was deleted and made anew while nobody looked: compare the uids. */
  updated?(object: KubernetesObject, before: KubernetesObject): void;
  /**
   * `finalStateUnknown`: the end was missed, the object is its last known state (client-go: DeletedFinalStateUnknown). With a
   * label or field selector an object that only ceased to match is "deleted" as well: confirm by a GET before acting on it.
   */
  deleted?(object: KubernetesObject, finalStateUnknown: boolean): void;
}

export interface InformerOptions {
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly clock: Clock;
  /** `namespace` is '' for all. */
  readonly path: ResourcePath;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** ms for one page of a list and for the beginning of a watch; the client's default otherwise. */
  readonly requestTimeout?: number;
  /** `metadata`: PartialObjectMetadata instead of whole objects. */
  readonly as?: 'object' | 'metadata';
  /** Objects in one page of a list. Default 500, as in client-go. */
  readonly pageSize?: number;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  /** Makes objects smaller before they are cached. Keeps the identity and the version. If it throws, the object stays whole. */
  readonly transform?: (object: KubernetesObject) => KubernetesObject;
  /** A failure to read, which is tried again, or the throw of a handler or of `transform`. */
  readonly onError?: (error: Error) => void;
}

/**
 * A cache of one resource that follows the server. Objects are without managed fields and the copy of `kubectl apply`. There is no
 * resync: a handler hears of changes only, and a version that is there already is none.
 */
export class Informer {
  readonly #options: InformerOptions;
  readonly #indexer: Indexer;
  readonly #handlers = new Set<InformerHandler>();
  readonly #waiting = new Set<() => void>();
  #synced = false;
  #started = false;
  #problem: Error | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#indexer = new Indexer(options.indexes);
  }

  get store(): ObjectReader {
    return this.#indexer;
  }

  /** Whether the first list is in the cache and all handlers have heard of it. It stays so. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** Why the server cannot be read at present; the cache is then what it was before. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Resolves with true once `hasSynced`, with false when the signal aborts first. */
  synced(signal: AbortSignal): Promise<boolean> {
    if (this.#synced || signal.aborted) return Promise.resolve(this.#synced);
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#waiting.delete(settle);
        signal.removeEventListener('abort', settle);
        resolve(this.#synced);
      };
      this.#waiting.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }

  /** The handler hears at once of all that is there. Returns what removes it. */
  addHandler(handler: InformerHandler): () => void {
    this.#handlers.add(handler);
    for (const object of this.#indexer.list()) this.#tell(() => handler.added?.(object, true));
    return () => this.#handlers.delete(handler);
  }

  /** Reads until the signal aborts. Only once: a stopped informer stays stopped. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error('the informer was started before');
    this.#started = true;
    const { transform: _transform, indexes: _indexes, onError: _onError, ...reading } = this.#options;
    const reflector = new Reflector({
      ...reading,
      sink: {
        replace: (objects, signal) => this.#replace(objects, signal),
        set: (object) => this.#set(object),
        remove: (object) => this.#remove(object),
      },
      prepare: (object) => this.#prepare(object),
      onProblem: (error) => this.#meet(error),
    });
    await reflector.run(signal);
  }

  async #replace(objects: readonly KubernetesObject[], signal: AbortSignal): Promise<void> {
    const gone = new Set(this.#indexer.keys());
    for (const object of objects) gone.delete(keyOf(object));
    for (const key of gone) this.#forget(key, undefined);
    for (const [index, object] of objects.entries()) {
      if (index > 0 && index % AT_ONCE === 0 && !(await pause(this.#options.clock, 0, signal))) return;
      this.#set(object);
    }
    this.#synced = true;
    for (const settle of [...this.#waiting]) settle();
  }

  #set(object: KubernetesObject): void {
    const key = keyOf(object);
    const before = this.#indexer.byKey(key);
    if (before && sameVersion(before, object)) return;
    const initial = !this.#synced;
    this.#indexer.set(object, key);
    for (const handler of [...this.#handlers]) {
      this.#tell(() => (before ? handler.updated?.(object, before) : handler.added?.(object, initial)));
    }
  }

  #remove(object: KubernetesObject): void {
    this.#forget(keyOf(object), object);
  }

  #forget(key: string, final: KubernetesObject | undefined): void {
    const before = this.#indexer.delete(key);
    if (!before) return;
    for (const handler of [...this.#handlers]) {
      this.#tell(() => handler.deleted?.(final ?? before, final === undefined));
    }
  }

  #prepare(object: KubernetesObject): KubernetesObject {
    const small = trimmed(object);
    try {
      return this.#options.transform?.(small) ?? small;
    } catch (error) {
      this.#report(error);
      return small;
    }
  }

  #meet(error: Error | undefined): void {
    this.#problem = error;
    if (error) this.#report(error);
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.onError?.(asError(error));
  }
}
