import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

/** One served resource of one version. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** Plural name, as in paths. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Verbs the server offers: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly singular: string;
  /** Subresources that are served: `status`, `scale`, `log`, … */
  readonly subresources: readonly string[];
}

/** What a call addresses. `namespace` is '' for a cluster-scoped resource, or for all namespaces in a list or watch. */
export interface ResourcePath {
  readonly type: Pick<ResourceType, 'group' | 'version' | 'resource'>;
  readonly namespace: string;
}

export interface ObjectPath extends ResourcePath {
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** ms until the call fails with a timeout; the client's default otherwise. */
  readonly timeout?: number;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Unknown and duplicate fields: default Strict, so that a misspelling is an error and not silence. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** `metadata`: PartialObjectMetadata instead of whole objects. */
  readonly as?: 'object' | 'metadata';
  /** The caller has no use for `managedFields`, often the larger half of an object: the client may leave them out. */
  readonly withoutManagedFields?: boolean;
}

export interface ListPage {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continue: string;
}

export interface WatchOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  /** Streaming list: ADDED for what is there, then the bookmark with the annotation `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  /** ms until the answer must have begun; the client's default otherwise. */
  readonly timeout?: number;
  /** `metadata`: PartialObjectMetadata instead of whole objects. */
  readonly as?: 'object' | 'metadata';
  /** As in `ListOptions`. */
  readonly withoutManagedFields?: boolean;
  /** Is called when the server has begun to answer, which it does before the first event. */
  readonly onOpen?: () => void;
  readonly signal: AbortSignal;
}

/** One event of a watch. `error` carries the Status object, e.g. 410 Expired; the stream ends behind it. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubernetesObject }
  | { readonly type: 'ERROR'; readonly error: unknown };

/** Who a request is made for, as `kubectl --as`. Whoever logged in needs the permission `impersonate` for each part. */
export interface Subject {
  /** `system:serviceaccount:NAMESPACE:NAME` for a ServiceAccount. */
  readonly user: string;
  /** Default: those that the server adds, of a ServiceAccount its own. */
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type PatchType = 'json' | 'merge' | 'strategic';

/**
 * Reading and writing one cluster. Every method fails with an `ApiError` when the server answered with a failure, and with a
 * `TransportError` when it could not be asked: "could not read" is never "unhealthy".
 *
 * In: what controllers and commands need of one cluster. Left out: caching (runtime informers), retries of writes that are not
 * idempotent (their caller knows whether a second try is safe), and choosing a cluster (composition roots build one client each).
 */
export interface Cluster {
  /** What messages call this cluster: context, cluster name and server address, no credentials. */
  readonly description: string;
  readonly discovery: Discovery;
  get(path: ObjectPath, options?: CallOptions & { readonly subresource?: string }): Promise<KubernetesObject>;
  /** One page. */
  list(path: ResourcePath, options?: ListOptions): Promise<ListPage>;
  /** Events in order, until the stream ends, the signal aborts (then it ends quietly) or the transport breaks (then it throws). */
  watch(path: ResourcePath, options: WatchOptions): AsyncIterable<WatchEvent>;
  create(path: ResourcePath, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  update(path: ObjectPath, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  patch(path: ObjectPath, type: PatchType, patch: unknown, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply. */
  apply(path: ObjectPath, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject>;
  delete(path: ObjectPath, options?: DeleteOptions): Promise<void>;
  deleteCollection(
    path: ResourcePath,
    options?: DeleteOptions & { readonly labelSelector?: string; readonly fieldSelector?: string },
  ): Promise<void>;
  /** Lines of a container's log. */
  logs(namespace: string, pod: string, options?: LogOptions): AsyncIterable<string>;
  /** Any other path, e.g. /version or an aggregated subresource. */
  raw(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>;
  /**
   * The same cluster for somebody else, in place of whom this client acts for so far. Both share connections and discovery; `close`
   * of the first closes both, that of the second nothing. @throws ApiError (400) for a name that no header can carry
   */
  as(subject: Subject): Cluster;
  close(): Promise<void>;
}

export interface LogOptions extends CallOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tailLines?: number;
}

/** What the cluster serves; cached, asked again on a miss. */
export interface Discovery {
  /** The preferred version of a kind, or the one given. Undefined: not served. A broken aggregated group hides only itself. */
  kind(group: string, kind: string, version?: string): Promise<ResourceType | undefined>;
  /** By plural, singular, short name or kind, with `.group` or `.version.group` behind it, as kubectl reads it. */
  find(name: string): Promise<ResourceType | undefined>;
  all(): Promise<readonly ResourceType[]>;
  /** Groups that could not be discovered, with the reason. */
  broken(): Promise<readonly { readonly group: string; readonly reason: string }[]>;
  invalidate(): void;
}
