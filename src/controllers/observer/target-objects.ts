import { asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { canonicalJson } from '../../core/release/canonical.ts';
import { differs, type Projection, showsEnd } from '../../core/release/health/index.ts';
import { RELEASE_LABEL } from '../../core/release/names.ts';
import { ANY_RELEASE } from '../../core/release/ownership.ts';
import type { Clock } from '../../ports/clock.ts';
import { ApiError } from '../../ports/errors.ts';
import type { Target } from '../../ports/targets.ts';
import { metadataOf } from '../../runtime/object-key.ts';
import { PermittedReader } from '../../runtime/permitted-reader.ts';
import type { EntryKind } from './rule-set-cache.ts';

/** A change of an object that belongs to a Release. */
export interface TargetChange {
  /** `Target.key`. */
  readonly target: string;
  /** The value of the release label: 16 hex digits. */
  readonly label: string;
  /** What rules or causes read is another; false: only the content outside of that. */
  readonly health: boolean;
  /** What is not status is another. Only told where contents are hashed. */
  readonly content: boolean;
}

export interface TargetObjectsOptions {
  readonly clock: Clock;
  readonly onChange: (change: TargetChange) => void;
  /** A kind could not be read; it is tried again. */
  readonly onProblem: (target: Target, error: Error) => void;
  /** A short digest; without it contents are not hashed. */
  readonly digest?: (text: string) => string;
}

/** ms that a kind which no Release uses any more is followed on: the next attempt needs it again. */
const UNUSED = 300_000;
/** Ends of hooks that are remembered for each kind. */
const MOST_ENDS = 1_000;

/** One kind of one target cluster, filtered by the release label on the server and kept as far as it is read. */
export class FollowedKind {
  readonly users = new Set<string>();
  readonly stop = new AbortController();
  unusedSince = 0;
  readonly #reader: PermittedReader;
  readonly #digests = new WeakMap<KubernetesObject, string>();
  /** The last states of Jobs and Pods that are gone, by uid, where they show how it ended. */
  readonly #ends = new Map<string, KubernetesObject>();
  /** Releases that could not wait for the first list: what it holds is told to them. */
  readonly #early = new Set<string>();
  /** Who waits for the first list, until it is there or cannot be read. */
  readonly #waiting = new Set<() => void>();

  constructor(target: Target, kind: EntryKind, projection: Projection, options: TargetObjectsOptions) {
    const { clock, onChange, onProblem, digest } = options;
    this.#reader = new PermittedReader({
      cluster: target.reader,
      clock,
      type: kind,
      labelSelector: ANY_RELEASE,
      transform: (object) => {
        const small = projection.project(object);
        if (digest !== undefined) this.#digests.set(small, digest(contentOf(object)));
        return small;
      },
      onError: (error) => {
        for (const give of this.#waiting) give();
        onProblem(target, error);
      },
    });
    const tell = (object: KubernetesObject, health: boolean, content: boolean): void => {
      const label = labelOf(object);
      if (label !== '' && (health || content)) onChange({ target: target.key, label, health, content });
    };
    this.#reader.addHandler({
      added: (object, initial) => {
        if (!initial || this.#early.has(labelOf(object))) tell(object, true, true);
      },
      updated: (object, before) => tell(object, differs(before, object), this.#contentDiffers(before, object)),
      deleted: (object) => {
        this.#remember(object);
        tell(object, true, true);
      },
    });
  }

  run(): Promise<void> {
    return this.#reader.run(this.stop.signal);
  }

  use(namespace: string): void {
    this.#reader.use(namespace);
  }

  /**
   * Waits until it is known what the cache holds or that it holds nothing; false: it cannot be read for now, or the signal aborted.
   * `label`: who asks.
   */
  async settled(namespace: string, label: string, signal: AbortSignal): Promise<boolean> {
    const known = (): boolean => this.#reader.cached(namespace, '') !== undefined;
    if (known()) return true;
    const settled = this.#reader.problem(namespace) === undefined && (await this.#firstList(namespace, signal));
    if (settled || known()) return true;
    this.#early.add(label);
    return false;
  }

  /** False: a try to read has failed, or the signal aborted. */
  async #firstList(namespace: string, signal: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    const give = (): void => ended.abort();
    this.#waiting.add(give);
    signal.addEventListener('abort', give, { once: true });
    if (signal.aborted) give();
    const settled = await this.#reader.settled(namespace, ended.signal);
    this.#waiting.delete(give);
    signal.removeEventListener('abort', give);
    ended.abort();
    return settled;
  }

  /** What the cache says; undefined: it says nothing about this namespace, or may not be believed any more. */
  cached(namespace: string, name: string): { readonly object: KubernetesObject | undefined } | undefined {
    const problem = this.#reader.problem(namespace);
    if (problem instanceof ApiError && (problem.code === 401 || problem.code === 403)) return undefined;
    return this.#reader.cached(namespace, name);
  }

  /** The last state of a Job or a Pod that is gone, if it shows how it ended. */
  endOf(uid: string): KubernetesObject | undefined {
    return this.#ends.get(uid);
  }

  /** Of an object out of this cache: a digest of all that is not status. */
  digestOf(object: KubernetesObject): string | undefined {
    return this.#digests.get(object);
  }

  #contentDiffers(before: KubernetesObject, after: KubernetesObject): boolean {
    return this.#digests.get(before) !== this.#digests.get(after);
  }

  #remember(object: KubernetesObject): void {
    if (!showsEnd(object)) return;
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MOST_ENDS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(asString(metadataOf(object)['uid']), object);
  }
}

/** Caches of the objects that Releases applied, one for each target cluster and kind in use. */
export class TargetObjects {
  readonly #options: TargetObjectsOptions;
  readonly #kinds = new Map<string, FollowedKind>();
  readonly #usedBy = new Map<string, ReadonlySet<FollowedKind>>();
  #signal: AbortSignal | undefined;

  constructor(options: TargetObjectsOptions) {
    this.#options = options;
  }

  /** Follows what is used until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#stopAll(), { once: true });
  }

  /** The cache of a kind; begun if it is new. */
  follow(target: Target, kind: EntryKind, projection: Projection): FollowedKind {
    const key = `${target.key}\n${kind.group}/${kind.version}/${kind.resource}\n${projection.key}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const followed = new FollowedKind(target, kind, projection, this.#options);
    followed.unusedSince = this.#options.clock.now();
    this.#kinds.set(key, followed);
    if (this.#signal?.aborted === false) void followed.run();
    return followed;
  }

  /** Says which kinds a Release needs from now on; what nobody has needed for a while is followed no more. */
  use(release: string, kinds: ReadonlySet<FollowedKind>): void {
    const before = this.#usedBy.get(release);
    const now = this.#options.clock.now();
    for (const kind of before ?? []) {
      if (kinds.has(kind)) continue;
      kind.users.delete(release);
      kind.unusedSince = now;
    }
    for (const kind of kinds) kind.users.add(release);
    if (kinds.size === 0) this.#usedBy.delete(release);
    else this.#usedBy.set(release, kinds);
    this.#sweep(now);
  }

  /** How many kinds are followed. */
  get size(): number {
    return this.#kinds.size;
  }

  #sweep(now: number): void {
    for (const [key, kind] of this.#kinds) {
      if (kind.users.size > 0 || now - kind.unusedSince < UNUSED) continue;
      this.#kinds.delete(key);
      kind.stop.abort();
    }
  }

  #stopAll(): void {
    for (const kind of this.#kinds.values()) kind.stop.abort();
    this.#kinds.clear();
    this.#usedBy.clear();
  }
}

function labelOf(object: KubernetesObject): string {
  return asString(field(metadataOf(object)['labels'], RELEASE_LABEL));
}

/** All of an object but its status and what every write changes. */
function contentOf(object: KubernetesObject): string {
  const { status: _status, metadata: _metadata, ...rest } = object;
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _managed,
    ...metadata
  } = metadataOf(object);
  return canonicalJson([rest, metadata]);
}
