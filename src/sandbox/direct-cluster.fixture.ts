import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  ListOptions,
  ListPage,
  ObjectPath,
  PatchType,
  ResourcePath,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import type { ObjectApi } from './api/object-api.ts';
import { type WatchQuery, watchObjects } from './http/watch.ts';
import { ObjectApiCluster } from './object-api-cluster.fixture.ts';

/** A call as faults and counters see it. */
export interface DirectCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'raw';
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

type Said = CallOptions & Pick<WriteOptions, 'fieldManager' | 'subresource'>;

const READS: readonly string[] = ['get', 'list', 'watch', 'raw'];

/** The sandbox as a cluster without HTTP between, with watches; counts its calls, and lets them fail or wait. */
export class DirectCluster extends ObjectApiCluster {
  /** What was asked, in order. */
  readonly calls: DirectCall[] = [];
  /** Runs before each call; throws, or waits. */
  fault: (call: DirectCall, signal: AbortSignal | undefined) => void | Promise<void> = () => {};
  readonly #store: ObjectApi;
  readonly #clock: Clock;
  readonly #streams = new Set<(error: Error) => void>();

  constructor(api: ObjectApi, clock: Clock) {
    super(api);
    this.#store = api;
    this.#clock = clock;
  }

  /** Calls that change something. */
  get writes(): readonly DirectCall[] {
    return this.calls.filter(({ verb }) => !READS.includes(verb));
  }

  /** Breaks all watches that are open. */
  cut(error: Error): void {
    for (const end of [...this.#streams]) end(error);
  }

  override async get(path: ObjectPath, options: Said = {}): Promise<KubernetesObject> {
    await this.#ask('get', path, path.name, options);
    return super.get(path);
  }

  override async list(path: ResourcePath, options: ListOptions = {}): Promise<ListPage> {
    await this.#ask('list', path, '', options);
    return super.list(path, options);
  }

  override async create(path: ResourcePath, object: KubernetesObject, options: WriteOptions = {}) {
    await this.#ask('create', path, '', options, object);
    return super.create(path, object, options);
  }

  override async update(path: ObjectPath, object: KubernetesObject, options: WriteOptions = {}) {
    await this.#ask('update', path, path.name, options, object);
    return super.update(path, object, options);
  }

  override async patch(path: ObjectPath, type: PatchType, patch: unknown, options: WriteOptions = {}) {
    await this.#ask('patch', path, path.name, options, patch);
    return super.patch(path, type, patch, options);
  }

  override async apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions) {
    await this.#ask('apply', path, path.name, options, object);
    return super.apply(path, object, options);
  }

  override async delete(path: ObjectPath, options: DeleteOptions = {}): Promise<void> {
    await this.#ask('delete', path, path.name, options);
    return super.delete(path, options);
  }

  override async raw(method: string, path: string): Promise<unknown> {
    const type = { group: '', version: '', resource: '' };
    await this.#ask('raw', { type, namespace: '' }, `${method} ${path}`, {});
    return super.raw(method, path);
  }

  override async *watch(path?: ResourcePath, options?: WatchOptions): AsyncGenerator<never> {
    if (path === undefined || options === undefined) return;
    await this.#ask('watch', path, '', options);
    const stream = new Stream(options.signal);
    const stop = watchObjects(this.#store, this.#resource(path), queryOf(path, options), AS_OBJECT, (ms, run) =>
      this.#after(ms, run),
    ).start(
      (line) => stream.push(line),
      () => stream.end(),
    );
    const cut = (error: Error): void => stream.end(error);
    this.#streams.add(cut);
    try {
      // What is watched here are objects; the class below watches nothing and says so by its type.
      yield* stream.events() as AsyncGenerator<never>;
    } finally {
      stop();
      this.#streams.delete(cut);
    }
  }

  async #ask(
    verb: DirectCall['verb'],
    { type, namespace }: ResourcePath,
    name: string,
    { signal, fieldManager: manager = '', subresource = '' }: Said,
    body?: unknown,
  ): Promise<void> {
    const call = { verb, resource: type.resource, namespace, name, subresource, manager, body };
    this.calls.push(call);
    await this.fault(call, signal);
  }

  #resource({ type }: ResourcePath) {
    const resource = this.#store.registry.find(type.group, type.version, type.resource);
    if (resource !== undefined) return resource;
    throw new ApiError('the server could not find the requested resource', 404, 'NotFound');
  }

  #after(ms: number, run: () => void): () => void {
    const cancelled = new AbortController();
    // Rejects only when it is cancelled.
    this.#clock.sleep(ms, cancelled.signal).then(run, () => {});
    return () => cancelled.abort();
  }
}

const AS_OBJECT = { type: 'application/json', as: '', version: '' };

function queryOf({ namespace }: ResourcePath, options: WatchOptions): WatchQuery {
  const { labelSelector = '', fieldSelector = '', resourceVersion = '' } = options;
  const { sendInitialEvents = false, timeoutSeconds = 0 } = options;
  const selected = { namespace, labelSelector, fieldSelector, resourceVersion };
  return { ...selected, sendInitialEvents, timeoutSeconds, bookmarks: true, included: '' };
}

/** Lines that are written at any time, as events that are taken one after the other. */
class Stream {
  readonly #events: WatchEvent[] = [];
  #ended = false;
  #broken: Error | undefined;
  #wake = (): void => {};

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.end(), { once: true });
    this.#ended = signal.aborted;
  }

  push(line: string): void {
    const { type, object } = JSON.parse(line);
    this.#events.push(type === 'ERROR' ? { type, error: object } : { type, object });
    this.#wake();
  }

  end(broken?: Error): void {
    this.#ended = true;
    this.#broken ??= broken;
    this.#wake();
  }

  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#broken !== undefined) throw this.#broken;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
