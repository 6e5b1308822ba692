import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ApplyOptions,
  Cluster,
  DeleteOptions,
  Discovery,
  ListOptions,
  ListPage,
  ObjectPath,
  PatchType,
  ResourcePath,
  ResourceType,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../ports/cluster.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { discoveryOf } from './memory-discovery.ts';
import { mergePatch } from './merge-patch.ts';
import { metadataOf, notFound, ObjectStore, resourceKey } from './object-store.ts';
import { matcherOf } from './selectors.ts';
import { type StreamFaults, WatchStream } from './watch-stream.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deleteCollection';

/** A call as faults see it, before it has had its effect and after. A fault throws, or waits. */
export interface Call {
  readonly verb: Verb;
  readonly resource: string;
  readonly namespace: string;
  /** '' for list and watch. */
  readonly name: string;
  readonly moment: 'before' | 'after';
}

export interface MemoryClusterOptions {
  readonly clock: Clock;
  readonly types?: readonly ResourceType[];
}

interface Page {
  readonly revision: number;
  readonly items: readonly KubernetesObject[];
}

/**
 * A cluster in the memory of a test. In: resource versions, optimistic concurrency, finalizers, selectors, paging, watches with
 * bookmarks, 410 and streaming lists, and faults that a test sets. Left out: validation, managed fields and conflicts of applies
 * (an apply merges), JSON and strategic patches, owners, timeouts, logs and raw paths; the sandbox has those.
 */
export class MemoryCluster implements Cluster {
  readonly description = 'the in-memory cluster';
  readonly discovery: Discovery;
  /** Runs around each call; replace it to let calls fail, wait or lose their answer. */
  fault: (call: Call) => void | Promise<void> = () => {};
  /** Faults of watches that are opened from now on; `delay` and `bookmarkEvery` of open ones as well. */
  readonly streams: { -readonly [K in keyof StreamFaults]: StreamFaults[K] } = {
    delay: () => 0,
    replay: () => 0,
    bookmarkEvery: 60_000,
    streamingLists: true,
  };
  /** While true nobody reaches the server. */
  down = false;
  readonly #clock: Clock;
  readonly #store: ObjectStore;
  readonly #open = new Set<WatchStream>();
  readonly #pages = new Map<string, Page>();
  #tokens = 0;

  constructor({ clock, types = [] }: MemoryClusterOptions) {
    this.#clock = clock;
    this.discovery = discoveryOf(types);
    this.#store = new ObjectStore(
      () => clock.now(),
      () => {
        for (const stream of this.#open) stream.wake();
      },
    );
  }

  /** How many watches are open. */
  get openWatches(): number {
    return this.#open.size;
  }

  /** Ends all watches: quietly, or with an error. */
  cutWatches(error?: Error): void {
    for (const stream of [...this.#open]) stream.cut(error);
  }

  /** Lets all open watches hang: they neither send nor end. */
  silenceWatches(): void {
    for (const stream of this.#open) stream.silent = true;
  }

  /** Forgets the history: what resumes from before gets 410, and so do pages of lists. */
  compact(): void {
    this.#store.compact();
    this.#pages.clear();
    for (const stream of this.#open) stream.wake();
  }

  /** The server goes away for `ms`: watches break, calls fail. Its data stays. */
  async restart(ms: number): Promise<void> {
    this.down = true;
    this.cutWatches(new TransportError('unreachable', 'connection reset'));
    await this.#clock.sleep(ms);
    this.down = false;
  }

  get(path: ObjectPath): Promise<KubernetesObject> {
    return this.#call('get', path, path.name, () => {
      const object = this.#store.find(path);
      if (!object) throw notFound(path);
      return object;
    });
  }

  list(path: ResourcePath, options: ListOptions = {}): Promise<ListPage> {
    return this.#call('list', path, '', () => this.#page(path, options));
  }

  async *watch(path: ResourcePath, options: WatchOptions): AsyncGenerator<WatchEvent> {
    await this.#around('watch', path, '', 'before');
    const stream = new WatchStream(this.#store, this.#clock, path, options, this.streams);
    this.#open.add(stream);
    options.onOpen?.();
    try {
      yield* stream.events();
    } finally {
      this.#open.delete(stream);
    }
  }

  create(path: ResourcePath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const name = String(metadataOf(object)['name']);
    return this.#call('create', path, name, () =>
      options.dryRun ? object : this.#store.create({ ...path, name }, object),
    );
  }

  update(path: ObjectPath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#call('update', path, path.name, () => this.#written(path, object, options));
  }

  patch(path: ObjectPath, type: PatchType, patch: unknown, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#call('patch', path, path.name, () => {
      if (type !== 'merge')
        throw new ApiError(`the in-memory cluster has no ${type} patch`, 415, 'UnsupportedMediaType');
      const before = this.#store.find(path);
      if (!before) throw notFound(path);
      return this.#written(path, mergePatch(before, patch) as KubernetesObject, options);
    });
  }

  apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject> {
    return this.#call('apply', path, path.name, () => {
      const before = this.#store.find(path);
      if (before) return this.#written(path, mergePatch(before, object) as KubernetesObject, options);
      return options.dryRun ? object : this.#store.create(path, object);
    });
  }

  delete(path: ObjectPath, options: DeleteOptions = {}): Promise<void> {
    return this.#call('delete', path, path.name, () => {
      if (!options.dryRun) this.#store.delete(path, options);
    });
  }

  deleteCollection(
    path: ResourcePath,
    options: DeleteOptions & { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
  ): Promise<void> {
    return this.#call('deleteCollection', path, '', () => {
      for (const object of this.#store.all(path).filter(matcherOf(options))) {
        const { namespace = '', name } = metadataOf(object);
        this.#store.delete({ ...path, namespace: String(namespace), name: String(name) }, {});
      }
    });
  }

  // biome-ignore lint/correctness/useYield: a log that is not there has no line.
  async *logs(): AsyncGenerator<string> {
    throw new ApiError('the in-memory cluster has no logs', 404, 'NotFound');
  }

  async raw(): Promise<unknown> {
    throw new ApiError('the in-memory cluster serves no other path', 404, 'NotFound');
  }

  /** Everybody may do everything here. */
  as(): Cluster {
    return this;
  }

  async close(): Promise<void> {
    this.cutWatches();
  }

  #written(path: ObjectPath, object: KubernetesObject, options: WriteOptions): KubernetesObject {
    if (options.dryRun) return object;
    if (options.subresource !== 'status') return this.#store.update(path, object);
    const before = this.#store.find(path);
    if (!before) throw notFound(path);
    const { resourceVersion } = metadataOf(object);
    const metadata = { ...metadataOf(before), ...(resourceVersion !== undefined && { resourceVersion }) };
    return this.#store.update(path, { ...before, metadata, status: object['status'] });
  }

  /** The pages of one list come from one moment. */
  #page(path: ResourcePath, options: ListOptions): ListPage {
    let { revision, items }: Page = { revision: this.#store.revision, items: [] };
    if (options.continue) {
      const rest = this.#pages.get(options.continue);
      if (!rest) throw new ApiError('the continue token is too old', 410, 'Expired');
      ({ revision, items } = rest);
    } else {
      items = this.#store.all(path).filter(matcherOf(options));
    }
    const limit = options.limit ?? 0;
    const whole = limit === 0 || items.length <= limit;
    const token = whole ? '' : `page-${++this.#tokens}`;
    if (!whole) this.#pages.set(token, { revision, items: items.slice(limit) });
    return { items: whole ? items : items.slice(0, limit), resourceVersion: String(revision), continue: token };
  }

  async #call<T>(verb: Verb, path: ResourcePath, name: string, effect: () => T): Promise<T> {
    await this.#around(verb, path, name, 'before');
    const result = effect();
    await this.#around(verb, path, name, 'after');
    return result;
  }

  async #around(verb: Verb, path: ResourcePath, name: string, moment: Call['moment']): Promise<void> {
    await this.fault({ verb, resource: resourceKey(path), namespace: path.namespace, name, moment });
    if (this.down) throw new TransportError('unreachable', 'connection refused');
  }
}
