import { refOf } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
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
  WriteOptions,
} from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import { listObjects } from './api/listing.ts';
import type { ObjectApi } from './api/object-api.ts';
import { jsonPatch, mergePatch } from './merge/patches.ts';
import { asApiObject } from './objects/api-object.ts';
import { StatusError } from './objects/status-error.ts';
import type { Resource } from './resources/resource.ts';

/** A call that changes the cluster, as tests see it. */
export interface Effect {
  readonly verb: 'create' | 'apply' | 'update' | 'patch' | 'delete';
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly body: unknown;
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * The sandbox as a cluster without HTTP between: what is under test runs as fast as the store, and a test sees each call before and
 * after it has had its effect. Left out: watches, logs, and raw paths but /version.
 */
export class ObjectApiCluster implements Cluster {
  readonly description = 'the sandbox';
  readonly discovery: Discovery;
  /** Called before and after each write (dry runs apart) and, with `read`, before each read; what it throws the caller gets. */
  around: (effect: Effect, moment: 'before' | 'after') => void = () => {};
  read: (verb: 'get' | 'list', path: ResourcePath & { readonly name?: string }) => void = () => {};
  readonly #api: ObjectApi;

  constructor(api: ObjectApi) {
    this.#api = api;
    this.discovery = discoveryOf(api);
  }

  get(path: ObjectPath): Promise<KubernetesObject> {
    return answer(() => {
      this.read('get', path);
      return this.#api.get(this.#resource(path), path.namespace, path.name);
    });
  }

  list(path: ResourcePath, options: ListOptions = {}): Promise<ListPage> {
    return answer(() => {
      this.read('list', path);
      const {
        items,
        resourceVersion,
        continue: next,
      } = listObjects(this.#api.store, this.#resource(path), {
        namespace: path.namespace,
        labelSelector: options.labelSelector ?? '',
        fieldSelector: options.fieldSelector ?? '',
        limit: options.limit ?? 0,
        continue: options.continue ?? '',
        resourceVersion: '',
        resourceVersionMatch: '',
      });
      const shown = options.as === 'metadata' ? items.map(({ metadata }) => ({ metadata })) : items;
      return { items: shown as readonly KubernetesObject[], resourceVersion, continue: next };
    });
  }

  // biome-ignore lint/correctness/useYield: nobody watches through this.
  async *watch(): AsyncGenerator<never> {
    throw new ApiError('no watches here', 405, 'MethodNotAllowed');
  }

  create(path: ResourcePath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    const named = { ...path, name: refOf(object).name };
    return this.#write('create', named, object, options, (resource) =>
      this.#api.create(resource, path.namespace, object, writeOptions(options)),
    );
  }

  update(path: ObjectPath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#write('update', path, object, options, (resource) =>
      this.#api.update(resource, path.namespace, path.name, object, writeOptions(options)),
    );
  }

  patch(path: ObjectPath, type: PatchType, patch: unknown, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#write('patch', path, patch, options, (resource) =>
      this.#api.change(
        resource,
        path.namespace,
        path.name,
        (draft) => asApiObject(type === 'json' ? jsonPatch(draft, patch) : mergePatch(draft, patch)),
        writeOptions(options),
      ),
    );
  }

  apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject> {
    return this.#write('apply', path, object, options, (resource) => {
      const write = { ...writeOptions(options), force: options.force === true };
      return this.#api.apply(resource, path.namespace, path.name, object, write).object;
    });
  }

  async delete(path: ObjectPath, options: DeleteOptions = {}): Promise<void> {
    await this.#write('delete', path, options, options, (resource) =>
      this.#api.remove(resource, path.namespace, path.name, options),
    );
  }

  async deleteCollection(): Promise<void> {
    throw new ApiError('nothing is deleted by collection here', 405, 'MethodNotAllowed');
  }

  // biome-ignore lint/correctness/useYield: there is none.
  async *logs(): AsyncGenerator<string> {
    throw new ApiError('no logs here', 404, 'NotFound');
  }

  async raw(_: string, path: string): Promise<unknown> {
    if (path === '/version') return { gitVersion: 'v1.36.0' };
    throw new ApiError('no other path here', 404, 'NotFound');
  }

  /** Whoever asks may do everything here. */
  as(): Cluster {
    return this;
  }

  async close(): Promise<void> {}

  #write(
    verb: Effect['verb'],
    path: ObjectPath,
    body: unknown,
    options: { readonly dryRun?: boolean; readonly subresource?: string },
    perform: (resource: Resource) => unknown,
  ): Promise<KubernetesObject> {
    const { type, namespace, name } = path;
    const { dryRun = false, subresource = '' } = options;
    const effect = { verb, resource: type.resource, subresource, namespace, name, dryRun, body };
    return answer(() => {
      const resource = this.#resource(path);
      if (!dryRun) this.around(effect, 'before');
      const result = perform(resource);
      if (!dryRun) this.around(effect, 'after');
      return result;
    });
  }

  #resource({ type }: ResourcePath): Resource {
    const resource = this.#api.registry.find(type.group, type.version, type.resource);
    if (resource !== undefined) return resource;
    throw new StatusError('NotFound', 'the server could not find the requested resource');
  }
}

function writeOptions({ dryRun = false, fieldManager = 'test', subresource = '' }: WriteOptions) {
  return { manager: fieldManager, dryRun, strict: true, subresource };
}

/** Calls are answered in a later turn, as over a wire; refusals as a client of the API gets them. */
async function answer<Result>(call: () => unknown): Promise<Result> {
  await Promise.resolve();
  try {
    // A copy, so that nobody changes the store; each caller knows what it asked for.
    return structuredClone(call()) as Result;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new ApiError(error.message, error.code, error.reason, error.details.causes ?? []);
  }
}

function discoveryOf(api: ObjectApi): Discovery {
  const types = (): readonly ResourceType[] =>
    api.registry.all().map((one) => {
      const { group, version, resource, kind, namespaced, shortNames, singular, subresources } = one;
      return { group, version, resource, kind, namespaced, verbs: VERBS, shortNames, singular, subresources };
    });
  return {
    kind: async (group, kind, version) =>
      types().find((one) => one.group === group && one.kind === kind && (version ?? one.version) === one.version),
    find: async (name) => types().find((one) => [one.resource, one.singular, one.kind].includes(name)),
    all: async () => types(),
    broken: async () => [],
    invalidate: () => {},
  };
}
