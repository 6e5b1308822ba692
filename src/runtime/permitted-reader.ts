import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Cluster, ResourcePath } from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';
import { asError } from './as-error.ts';
import { Informer, type InformerHandler, type InformerOptions } from './informer.ts';
import { aborted, pause } from './pause.ts';
import { trimmed } from './trim.ts';

export interface PermittedReaderOptions extends Omit<InformerOptions, 'path' | 'cluster'> {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'watch'>;
  readonly type: ResourcePath['type'];
}

/**
 * How far the permissions reach.
 * - `asking` the first list is under way
 * - `cluster` one informer follows all namespaces
 * - `namespaces` an informer for each namespace in use; one that is forbidden as well is read by single GETs
 */
export type Reach = 'asking' | 'cluster' | 'namespaces';

/** An API server that is starting answers 403 until it has read its own rules: so many in a row count as a no. */
const REFUSALS = 3;
/** ms until the list of a forbidden namespace is tried again. */
const ASK_AGAIN = 600_000;

/** One informer and whether it was allowed to list. */
interface Scope {
  readonly informer: Informer;
  /** Ends the informer. */
  readonly stop: AbortController;
  /** The scope is needed no more. */
  readonly left: AbortController;
  /** Whether its cache may be read; false: forbidden, or stopped before its first list. */
  readonly follows: Promise<boolean>;
  readonly ended: Promise<void>;
}

/**
 * Reads one resource as far as it may: by one informer for the whole cluster; if that list is forbidden by one for each namespace in
 * use; where that is forbidden too by GETs, of which handlers hear nothing, with another try every ten minutes. Whether the whole
 * cluster may be listed is found out once: a permission that is granted later counts from the next start.
 */
export class PermittedReader {
  readonly #options: PermittedReaderOptions;
  readonly #handlers = new Set<InformerHandler>();
  readonly #namespaces = new Set<string>();
  readonly #scopes = new Map<string, Scope>();
  #reach: Reach = 'asking';
  #running = false;
  readonly #asked: Promise<void>;
  #tellAsked: () => void = () => {};

  constructor(options: PermittedReaderOptions) {
    this.#options = options;
    this.#asked = new Promise((resolve) => {
      this.#tellAsked = resolve;
    });
  }

  get reach(): Reach {
    return this.#reach;
  }

  /** Before `run`: the handler hears of all objects that informers follow. */
  addHandler(handler: InformerHandler): void {
    this.#handlers.add(handler);
  }

  /** Says that objects of this namespace are needed. */
  use(namespace: string): void {
    this.#namespaces.add(namespace);
    if (this.#running && this.#reach === 'namespaces' && !this.#scopes.has(namespace)) this.#follow(namespace);
  }

  /** Takes `use` back. Handlers hear nothing of it. */
  leave(namespace: string): void {
    this.#namespaces.delete(namespace);
    if (namespace === '') return;
    const scope = this.#scopes.get(namespace);
    this.#scopes.delete(namespace);
    end(scope);
  }

  /** Follows until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#running = true;
    const ended = aborted(signal);
    const wide = this.#follow('');
    const allowed = await Promise.race([wide.follows, ended.then(() => true)]);
    this.#reach = allowed ? 'cluster' : 'namespaces';
    if (!allowed) {
      this.#scopes.delete('');
      for (const namespace of this.#namespaces) this.#follow(namespace);
    }
    this.#tellAsked();
    await ended;
    this.#running = false;
    const scopes = [...this.#scopes.values()];
    for (const scope of scopes) end(scope);
    await Promise.all(scopes.map((scope) => scope.ended));
  }

  /** Why the informer that follows a namespace cannot read at present; its cache is then what it was before. */
  problem(namespace: string): Error | undefined {
    return this.#scopeOf(namespace)?.informer.problem;
  }

  /**
   * Resolves when `cached` has an answer for the namespace, or never will because nothing may be listed there; with false when the
   * signal aborts first.
   */
  async settled(namespace: string, signal: AbortSignal): Promise<boolean> {
    const over = aborted(signal).then(() => false);
    if (!(await Promise.race([this.#asked.then(() => true), over]))) return false;
    const scope = this.#scopeOf(namespace);
    return scope === undefined || Promise.race([scope.follows.then(() => true), over]);
  }

  /** What a cache says about the object; undefined: no cache follows the namespace, or its first list is not there yet. */
  cached(namespace: string, name: string): { readonly object: KubernetesObject | undefined } | undefined {
    const scope = this.#scopeOf(namespace);
    return scope?.informer.hasSynced === true ? { object: scope.informer.store.get(namespace, name) } : undefined;
  }

  /**
   * The object, or undefined when it does not exist: from a cache where one follows the namespace, else by a GET. Waits for the first
   * list. Throws what the cluster throws: "may not read" is an error and not an absence.
   */
  async get(namespace: string, name: string): Promise<KubernetesObject | undefined> {
    await this.#asked;
    const scope = this.#scopeOf(namespace);
    if (scope && (await scope.follows)) return scope.informer.store.get(namespace, name);
    try {
      return this.#prepared(await this.#options.cluster.get({ type: this.#options.type, namespace, name }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  #scopeOf(namespace: string): Scope | undefined {
    return this.#scopes.get('') ?? this.#scopes.get(namespace);
  }

  #follow(namespace: string): Scope {
    const { type, onError, ...options } = this.#options;
    const stop = new AbortController();
    const left = new AbortController();
    let refusals = 0;
    const informer: Informer = new Informer({
      ...options,
      path: { type, namespace },
      onError: (error) => {
        onError?.(error);
        refusals = error instanceof ApiError && error.code === 403 ? refusals + 1 : 0;
        if (!informer.hasSynced && refusals >= REFUSALS) stop.abort();
      },
    });
    for (const handler of this.#handlers) informer.addHandler(handler);
    const follow = async (): Promise<void> => {
      await informer.run(stop.signal);
      if (namespace === '' || !(await pause(options.clock, ASK_AGAIN, left.signal))) return;
      if (this.#running) this.#follow(namespace);
    };
    const ended = follow().catch((error: unknown) => onError?.(asError(error)));
    const scope = { informer, stop, left, ended, follows: informer.synced(stop.signal) };
    this.#scopes.set(namespace, scope);
    return scope;
  }

  #prepared(object: KubernetesObject): KubernetesObject {
    const small = trimmed(object);
    return this.#options.transform?.(small) ?? small;
  }
}

function end(scope: Scope | undefined): void {
  scope?.left.abort();
  scope?.stop.abort();
}
