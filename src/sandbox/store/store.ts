import { type ApiObject, clone } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';

/** One change of one object. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** See `storageKey`. */
  readonly key: string;
  readonly object: ApiObject;
  /** The object before the change; undefined for ADDED. */
  readonly previous: ApiObject | undefined;
}

export type StoreListener = (event: StoreEvent) => void;

/** Changes that a watch can still be resumed behind, or a list continued at. */
const DEFAULT_WINDOW = 50_000;

/**
 * All objects, with one increasing revision over all of them, as etcd counts. The last changes are remembered: watches resume
 * behind any of them and lists are read as of any of them; older ones are answered with 410.
 */
export class Store {
  #revision = 1;
  readonly #collections = new Map<string, Map<string, ApiObject>>();
  #log: StoreEvent[] = [];
  readonly #window: number;
  readonly #listeners = new Set<StoreListener>();
  /** Changes that are not told yet: a listener that writes is told of it behind the change that it hears. */
  readonly #untold: StoreEvent[] = [];
  #telling = false;
  #forgotten = 0;

  constructor(window = DEFAULT_WINDOW) {
    this.#window = window;
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string, namespace: string, name: string): ApiObject | undefined {
    return this.#collections.get(key)?.get(`${namespace}/${name}`);
  }

  /** Objects in no order; all namespaces when `namespace` is ''. */
  *all(key: string, namespace = ''): Generator<ApiObject> {
    for (const object of this.#collections.get(key)?.values() ?? []) {
      if (namespace === '' || object.metadata.namespace === namespace) yield object;
    }
  }

  keys(): IterableIterator<string> {
    return this.#collections.keys();
  }

  /** Stores an object under the next revision, which it gets as its resourceVersion. Returns what is stored. */
  put(key: string, object: ApiObject): ApiObject {
    const collection = this.#collection(key);
    const place = placeOf(object);
    const previous = collection.get(place);
    this.#revision += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
    collection.set(place, stored);
    this.#tell({
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      revision: this.#revision,
      key,
      object: stored,
      previous,
    });
    return stored;
  }

  /** Removes an object; the last event of it carries the revision of the removal. */
  remove(key: string, object: ApiObject): ApiObject {
    const place = placeOf(object);
    const previous = this.#collection(key).get(place);
    if (previous === undefined) return object;
    this.#collection(key).delete(place);
    this.#revision += 1;
    const last = clone(object);
    last.metadata.resourceVersion = String(this.#revision);
    this.#tell({ type: 'DELETED', revision: this.#revision, key, object: last, previous });
    return last;
  }

  /** The objects that are chosen, as they were at a revision, by place. Throws 410 when that is forgotten. */
  at(key: string, revision: number, chooses: (object: ApiObject) => boolean = () => true): ApiObject[] {
    // Most lists want few of many: what is not chosen is neither copied nor sorted.
    return [...this.#collectionAt(key, revision)]
      .filter(([, object]) => chooses(object))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  #collectionAt(key: string, revision: number): ReadonlyMap<string, ApiObject> {
    const later = this.since(revision).filter((event) => event.key === key);
    if (later.length === 0) return this.#collection(key);
    const collection = new Map(this.#collections.get(key));
    for (const event of later.reverse()) {
      const place = placeOf(event.object);
      if (event.previous === undefined) collection.delete(place);
      else collection.set(place, event.previous);
    }
    return collection;
  }

  /** The changes behind a revision. Throws 410 when some of them are forgotten. */
  since(revision: number): StoreEvent[] {
    if (revision < this.#forgotten) {
      throw new StatusError('Expired', `too old resource version: ${revision} (${this.#forgotten})`);
    }
    let start = this.#log.length;
    while (start > 0 && (this.#log[start - 1]?.revision ?? 0) > revision) start -= 1;
    return this.#log.slice(start);
  }

  /** Forgets all changes until now: watches from before get 410, as after a compaction. */
  compact(): void {
    this.#log = [];
    this.#forgotten = this.#revision;
  }

  /** Called at once for each change, in order; of changes that a listener makes, when all have heard the one before. Returns what ends it. */
  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #collection(key: string): Map<string, ApiObject> {
    let collection = this.#collections.get(key);
    if (collection === undefined) {
      collection = new Map();
      this.#collections.set(key, collection);
    }
    return collection;
  }

  #tell(event: StoreEvent): void {
    this.#log.push(event);
    // Half a window at a time: one removal at the front for each change would move the whole log.
    if (this.#log.length > this.#window * 1.5) {
      const dropped = this.#log.splice(0, this.#log.length - this.#window);
      this.#forgotten = dropped.at(-1)?.revision ?? this.#forgotten;
    }
    this.#untold.push(event);
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        for (const listener of [...this.#listeners]) listener(next);
      }
    } finally {
      this.#telling = false;
    }
  }
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
