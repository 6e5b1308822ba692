import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
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
} from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import { listObjects } from './api/listing.ts';
import type { ObjectApi } from './api/object-api.ts';
import { watchObjects } from './http/watch.ts';
import { jsonPatch, mergePatch } from './merge/patches.ts';
import { asApiObject } from './objects/api-object.ts';
import { StatusError } from './objects/status-error.ts';
import type { Resource } from './resources/resource.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'raw';

/** A call as faults and counters see it. */
export interface DirectCall {
  readonly verb: Verb;
  /** Plural name. */
  readonly resource: string;
  readonly namespace: string;
  /** '' for a list or a watch. */
  readonly name: string;
  /** `status`, or ''. */
  readonly subresource: string;
  readonly manager: string;
  readonly body: unknown;
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const AS_OBJECT = { type: 'application/json', as: '', version: '' };

/**
 * The sandbox's API as a cluster, without HTTP: with its validation, managed fields, patches and watches, as fast as a test on a clock
 * that stands needs it. Left out: logs, strategic patches, deletion of collections.
 */
export class DirectCluster implements Cluster {
  readonly description = 'the sandbox';
  readonly discovery: Discovery;
  /** What was asked, in order. */
  readonly calls: DirectCall[] = [];
  /** Runs before each call; throws, or waits. */
  fault: (call: DirectCall, signal: AbortSignal | undefined) => void | Promise<void> = () => {};
  readonly #api: ObjectApi;
  readonly #clock: Clock;
  readonly #streams = new Set<(error: Error) => void>();

  constructor(api: ObjectApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    this.discovery = discoveryOf(api);
  }

  /** Calls that change something. */
  get writes(): readonly DirectCall[] {
    return this.calls.filter(({ verb }) => !['get', 'list', 'watch', 'raw'].includes(verb));
  }

  /** Breaks all watches that are open. */
  cut(error: Error): void {
    for (const end of [...this.#streams]) end(error);
  }

  async get(path: ObjectPath, options: { readonly signal?: AbortSignal } = {}): Promise<KubernetesObject> {
    return this.#call('get', path, path.name, options, (resource) =>
      this.#api.get(resource, path.namespace, path.name),
    );
  }

  async list(path: ResourcePath, options: ListOptions = {}): Promise<ListPage> {
    return this.#call('list', path, '', options, (resource) => {
      const { labelSelector = '', fieldSelector = '', limit = 0, continue: next = '' } = options;
      const { namespace } = path;
      const query = { namespace, labelSelector, fieldSelector, limit, continue: next };
      return listObjects(this.#api.store, resource, { ...query, resourceVersion: '', resourceVersionMatch: '' });
    });
  }

  async *watch(path: ResourcePath, options: WatchOptions): AsyncGenerator<WatchEvent> {
    const stream = await this.#call('watch', path, '', options, (resource) => {
      const { labelSelector = '', fieldSelector = '', resourceVersion = '', sendInitialEvents = false } = options;
      const { timeoutSeconds = 0 } = options;
      const query = { namespace: path.namespace, labelSelector, fieldSelector, resourceVersion, sendInitialEvents };
      return watchObjects(
        this.#api,
        resource,
        { ...query, timeoutSeconds, bookmarks: true, included: '' },
        AS_OBJECT,
        (ms, run) => this.#after(ms, run),
      );
    });
    const events: WatchEvent[] = [];
    let ended = false;
    let broken: Error | undefined;
    let wake = (): void => {};
    const stop = stream.start(
      (line) => {
        const { type, object } = JSON.parse(line);
        events.push(type === 'ERROR' ? { type, error: object } : { type, object });
        wake();
      },
      () => {
        ended = true;
        wake();
      },
    );
    const cut = (error: Error): void => {
      broken = error;
      wake();
    };
    const abort = (): void => {
      ended = true;
      wake();
    };
    this.#streams.add(cut);
    options.signal.addEventListener('abort', abort, { once: true });
    if (options.signal.aborted) abort();
    try {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) yield event;
        else if (broken !== undefined) throw broken;
        else if (ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stop();
      this.#streams.delete(cut);
      options.signal.removeEventListener('abort', abort);
    }
  }

  async create(path: ResourcePath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const name = String((object['metadata'] as { name?: string } | undefined)?.name ?? '');
    return this.#call('create', path, name, { ...options, body: object }, (resource) =>
      this.#api.create(resource, path.namespace, object, written(options)),
    );
  }

  async update(path: ObjectPath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#call('update', path, path.name, { ...options, body: object }, (resource) =>
      this.#api.update(resource, path.namespace, path.name, object, written(options)),
    );
  }

  async patch(
    path: ObjectPath,
    type: PatchType,
    patch: unknown,
    options: WriteOptions = {},
  ): Promise<KubernetesObject> {
    return this.#call('patch', path, path.name, { ...options, body: patch }, (resource) =>
      this.#api.change(
        resource,
        path.namespace,
        path.name,
        (draft) => asApiObject(type === 'json' ? jsonPatch(draft, patch) : mergePatch(draft, patch)),
        written(options),
      ),
    );
  }

  async apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject> {
    return this.#call(
      'apply',
      path,
      path.name,
      { ...options, body: object },
      (resource) =>
        this.#api.apply(resource, path.namespace, path.name, object, {
          ...written(options),
          force: options.force ?? false,
        }).object,
    );
  }

  async delete(path: ObjectPath, options: DeleteOptions = {}): Promise<void> {
    await this.#call('delete', path, path.name, options, (resource) =>
      this.#api.remove(resource, path.namespace, path.name, options),
    );
  }

  async deleteCollection(): Promise<void> {
    throw new ApiError('not here', 405, 'MethodNotAllowed');
  }

  // biome-ignore lint/correctness/useYield: a log that is not there has no line.
  async *logs(): AsyncGenerator<string> {
    throw new ApiError('not here', 404, 'NotFound');
  }

  async raw(method: string, path: string): Promise<unknown> {
    await this.#ask({ ...NOTHING, verb: 'raw', name: `${method} ${path}` }, undefined);
    return {};
  }

  async close(): Promise<void> {}

  async #call<T>(
    verb: Verb,
    { type, namespace }: ResourcePath,
    name: string,
    options: { readonly signal?: AbortSignal } & Pick<WriteOptions, 'fieldManager' | 'subresource'> & {
        readonly body?: unknown;
      },
    effect: (resource: Resource) => T,
  ): Promise<T> {
    const { fieldManager: manager = '', subresource = '', body, signal } = options;
    await this.#ask({ verb, resource: type.resource, namespace, name, subresource, manager, body }, signal);
    const resource = this.#api.registry.find(type.group, type.version, type.resource);
    if (resource === undefined) {
      throw new ApiError('the server could not find the requested resource', 404, 'NotFound');
    }
    try {
      return effect(resource);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new ApiError(
        error.message,
        error.code,
        error.reason,
        error.details.causes,
        error.details.retryAfterSeconds,
      );
    }
  }

  async #ask(call: DirectCall, signal: AbortSignal | undefined): Promise<void> {
    this.calls.push(call);
    await this.fault(call, signal);
  }

  #after(ms: number, run: () => void): () => void {
    const cancelled = new AbortController();
    // Rejects only when it is cancelled.
    this.#clock.sleep(ms, cancelled.signal).then(run, () => {});
    return () => cancelled.abort();
  }
}

const NOTHING = { resource: '', namespace: '', name: '', subresource: '', manager: '', body: undefined };

function written({ fieldManager = 'test', dryRun = false, subresource = '' }: WriteOptions) {
  return { manager: fieldManager, dryRun, strict: true, subresource };
}

function discoveryOf({ registry }: ObjectApi): Discovery {
  const typeOf = ({ group, version, resource, kind, namespaced, shortNames, singular, subresources }: Resource) =>
    ({ group, version, resource, kind, namespaced, verbs: VERBS, shortNames, singular, subresources }) as ResourceType;
  const find = (fits: (type: ResourceType) => boolean): ResourceType | undefined =>
    registry.all().map(typeOf).find(fits);
  return {
    kind: async (group, kind, version) =>
      find((type) => type.group === group && type.kind === kind && (version ?? type.version) === type.version),
    find: async (name) => find(({ resource, singular }) => resource === name || singular === name),
    all: async () => registry.all().map(typeOf),
    broken: async () => [],
    invalidate: () => {},
  };
}
