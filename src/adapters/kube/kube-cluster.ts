import { asMap, asString, isMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type {
  ApplyOptions,
  CallOptions,
  Cluster,
  DeleteOptions,
  ListOptions,
  ListPage,
  LogOptions,
  ObjectPath,
  PatchType,
  ResourcePath,
  Subject,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { brokenAnswer, htmlError, isHtml } from './failures.ts';
import { writeJson } from './json.ts';
import { KubeDiscovery } from './kube-discovery.ts';
import { type ImpersonationHeaders, impersonationHeaders } from './kubeconfig/impersonation.ts';
import { LineSplitter } from './line-splitter.ts';
import { queryOf, resourcePath } from './paths.ts';
import { readList } from './read-list.ts';
import { type Call, Transport, type TransportOptions } from './transport.ts';
import { WatchStreams } from './watch-stream.ts';

const PATCH_CONTENT: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};
/** JSON is YAML. */
const APPLY_CONTENT = 'application/apply-patch+yaml';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** How the API server says that the resource, not the object, is missing: what discovery knew is no longer true. */
const NO_SUCH_RESOURCE = /page not found|could not find the requested resource/;

function jsonBody(value: unknown, type = 'application/json'): NonNullable<Call['body']> {
  return { type, text: writeJson(value) };
}

function timing(options: CallOptions | undefined): Pick<Call, 'signal' | 'timeout'> {
  return { signal: options?.signal, timeout: options?.timeout };
}

function writeQuery(options: WriteOptions & { readonly force?: boolean } = {}): string {
  return queryOf({
    dryRun: options.dryRun ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation ?? 'Strict',
    force: options.force ? true : undefined,
  });
}

function deleteBody(options: DeleteOptions): unknown {
  const preconditions = {
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
  };
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.propagation === undefined ? {} : { propagationPolicy: options.propagation }),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}

/** What a client and its views for other subjects share. */
interface Shared {
  readonly transport: Transport;
  readonly watches: WatchStreams;
  readonly discovery: KubeDiscovery;
}

function shared(options: TransportOptions): Shared {
  const transport = new Transport(options);
  const discovery = new KubeDiscovery(transport);
  return { transport, discovery, watches: new WatchStreams(transport, (error) => distrust(discovery, error)) };
}

function distrust(discovery: KubeDiscovery, error: unknown): void {
  if (error instanceof ApiError && error.code === 404 && NO_SUCH_RESOURCE.test(error.message)) discovery.invalidate();
}

/** A `Cluster` over HTTP. */
class KubeCluster implements Cluster {
  readonly description: string;
  readonly discovery: KubeDiscovery;
  readonly #shared: Shared;
  readonly #transport: Transport;
  readonly #subject: Subject | undefined;
  readonly #as: ImpersonationHeaders | undefined;

  constructor(parts: Shared, subject?: Subject) {
    this.#shared = parts;
    this.#transport = parts.transport;
    this.discovery = parts.discovery;
    this.#subject = subject;
    this.#as = subject && impersonationHeaders(subject);
    const { description } = parts.transport.config;
    this.description = subject === undefined ? description : `${description} as ${subject.user}`;
  }

  get(path: ObjectPath, options: CallOptions & { readonly subresource?: string } = {}): Promise<KubernetesObject> {
    return this.#askObject({
      method: 'GET',
      path: resourcePath(path, path.name, options.subresource),
      ...timing(options),
    });
  }

  async list(path: ResourcePath, options: ListOptions = {}): Promise<ListPage> {
    const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
    const query = queryOf({
      labelSelector,
      fieldSelector,
      limit,
      continue: options.continue,
      resourceVersion,
      resourceVersionMatch,
    });
    const answer = await this.#ask({
      method: 'GET',
      path: resourcePath(path) + query,
      ...(options.as === 'metadata' ? { accept: METADATA_LIST } : {}),
      ...timing(options),
    });
    return readList(answer, this.#transport, options.withoutManagedFields);
  }

  watch(path: ResourcePath, options: WatchOptions): AsyncIterable<WatchEvent> {
    const query = queryOf({
      watch: true,
      allowWatchBookmarks: true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      sendInitialEvents: options.sendInitialEvents ? true : undefined,
      // The server wants it wherever sendInitialEvents is set (KEP-3157).
      resourceVersionMatch: options.sendInitialEvents ? 'NotOlderThan' : undefined,
      timeoutSeconds: options.timeoutSeconds,
    });
    const { signal, timeout, withoutManagedFields, onOpen } = options;
    return this.#shared.watches.watch({
      method: 'GET',
      path: resourcePath(path) + query,
      ...(options.as === 'metadata' ? { accept: METADATA } : {}),
      as: this.#as,
      signal,
      timeout,
      withoutManagedFields,
      onOpen,
    });
  }

  create(path: ResourcePath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    // An eviction or a binding is created below the object it is about.
    const name = options.subresource === undefined ? undefined : asString(asMap(object['metadata'])['name']);
    return this.#askObject({
      method: 'POST',
      path: resourcePath(path, name, options.subresource) + writeQuery(options),
      body: jsonBody(object),
      ...timing(options),
    });
  }

  update(path: ObjectPath, object: KubernetesObject, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#askObject({
      method: 'PUT',
      path: resourcePath(path, path.name, options.subresource) + writeQuery(options),
      body: jsonBody(object),
      ...timing(options),
    });
  }

  patch(path: ObjectPath, type: PatchType, patch: unknown, options: WriteOptions = {}): Promise<KubernetesObject> {
    return this.#patch(path, jsonBody(patch, PATCH_CONTENT[type]), options);
  }

  apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject> {
    return this.#patch(path, jsonBody(object, APPLY_CONTENT), options);
  }

  async delete(path: ObjectPath, options: DeleteOptions = {}): Promise<void> {
    await this.#ask({
      method: 'DELETE',
      path: resourcePath(path, path.name),
      body: jsonBody(deleteBody(options)),
      ...timing(options),
    });
  }

  async deleteCollection(
    path: ResourcePath,
    options: DeleteOptions & { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
  ): Promise<void> {
    const { labelSelector, fieldSelector } = options;
    await this.#ask({
      method: 'DELETE',
      path: resourcePath(path) + queryOf({ labelSelector, fieldSelector }),
      body: jsonBody(deleteBody(options)),
      ...timing(options),
    });
  }

  async *logs(namespace: string, pod: string, options: LogOptions = {}): AsyncGenerator<string> {
    const { container, tailLines, signal } = options;
    const path = resourcePath({ type: { group: '', version: 'v1', resource: 'pods' }, namespace }, pod, 'log');
    const query = queryOf({
      container,
      follow: options.follow ? true : undefined,
      previous: options.previous ? true : undefined,
      tailLines,
    });
    try {
      const call: Call = { method: 'GET', path: path + query, accept: '*/*', as: this.#as, ...timing(options) };
      const splitter = new LineSplitter();
      for await (const piece of await this.#transport.open(call)) {
        for (const line of splitter.push(piece)) yield line.toString('utf8');
      }
      const rest = splitter.rest();
      if (rest.length > 0) yield rest.toString('utf8');
    } catch (error) {
      if (signal?.aborted) return;
      throw this.#transport.translate(error);
    }
  }

  async raw(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<unknown> {
    const known = METHODS.find((one) => one === method.toUpperCase());
    if (known === undefined || !path.startsWith('/')) {
      throw new ApiError(
        `${method} ${path} is no request; write a method and a path that starts with /`,
        400,
        'BadRequest',
      );
    }
    const answer = await this.#ask({
      method: known,
      path,
      accept: 'application/json, */*',
      ...(body === undefined ? {} : { body: jsonBody(body) }),
      ...timing(options),
    });
    if (answer.contentType.includes('json')) return this.#transport.parse(answer);
    const text = answer.bytes.toString('utf8');
    if (isHtml(answer.contentType, text)) throw htmlError(answer.status, this.description);
    return text;
  }

  as(subject: Subject): Cluster {
    if (subject.user === '' || impersonationHeaders(subject) === undefined) {
      const shown = JSON.stringify(subject.user.slice(0, 100));
      throw new ApiError(`nobody can act as ${shown}; a name has printable ASCII characters alone`, 400, 'BadRequest');
    }
    return new KubeCluster(this.#shared, subject);
  }

  async close(): Promise<void> {
    if (this.#subject !== undefined) return;
    this.#shared.watches.close();
    await this.#transport.close();
  }

  #patch(path: ObjectPath, body: NonNullable<Call['body']>, options: WriteOptions): Promise<KubernetesObject> {
    return this.#askObject({
      method: 'PATCH',
      path: resourcePath(path, path.name, options.subresource) + writeQuery(options),
      body,
      ...timing(options),
    });
  }

  async #ask(call: Call) {
    try {
      return await this.#transport.ask({ ...call, as: this.#as });
    } catch (error) {
      distrust(this.discovery, error);
      throw error;
    }
  }

  async #askObject(call: Call): Promise<KubernetesObject> {
    const value = this.#transport.parse(await this.#ask(call));
    if (isMap(value)) return value;
    throw brokenAnswer(this.description, 'JSON that is no object');
  }
}

/** A client of one cluster. It opens connections when they are needed; `close` ends them, and every call that still runs. */
export function connectCluster(options: TransportOptions): Cluster {
  return new KubeCluster(shared(options));
}
