import type { InventoryEntry, Release } from '../../../core/api/index.ts';
import { entryKey } from '../../../core/release/inventory/index.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Target } from '../../../ports/targets.ts';
import type { RuleSetCache } from '../rule-set-cache.ts';
import type { FollowedKind, TargetObjects } from '../target-objects.ts';
import { within } from '../within.ts';

/** What caches know of the content of objects outside of their status. */
export interface Contents {
  /**
   * A digest for each entry by its key; '' where no cache knows. The kinds of the entries are followed from now on, and changes of
   * content are told to whoever listens to the caches.
   */
  of(key: string, input: ContentsInput, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** The Release is compared no more. */
  leave(key: string): void;
}

export interface ContentsInput {
  readonly release: Release;
  readonly target: Target;
  readonly entries: readonly InventoryEntry[];
  /** The value of the release label. */
  readonly label: string;
}

/** ms that a first list may take; then the comparison goes on without the cache. */
const LIST_LIMIT = 10_000;
/** An object that a cache knows to be gone. */
const GONE = 'gone';

/** Contents out of the caches of the health loop: one cache for each kind, whoever needs it. */
export class FollowedContents implements Contents {
  readonly #clock: Clock;
  readonly #objects: TargetObjects;
  readonly #rules: Pick<RuleSetCache, 'projectionOf'>;

  constructor(clock: Clock, objects: TargetObjects, rules: Pick<RuleSetCache, 'projectionOf'>) {
    this.#clock = clock;
    this.#objects = objects;
    this.#rules = rules;
  }

  async of(
    key: string,
    { target, entries, label }: ContentsInput,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const places = entries.map((entry) => ({
      entry,
      followed: this.#objects.follow(target, entry, this.#rules.projectionOf(entry)),
    }));
    this.#objects.use(userOf(key), new Set(places.map(({ followed }) => followed)));
    // One wait for each kind and namespace, however many objects there are.
    const scopes = new Map(places.map((place) => [scopeOf(place.entry), place]));
    await within(this.#clock, LIST_LIMIT, signal, (limited) =>
      Promise.all([...scopes.values()].map((place) => settle(place, label, limited))),
    ).catch(() => []);
    signal.throwIfAborted();
    return new Map(places.map(({ entry, followed }) => [entryKey(entry), contentOf(followed, entry)]));
  }

  leave(key: string): void {
    this.#objects.use(userOf(key), new Set());
  }
}

/** Apart from the health loop, which has needs of its own for the same Release. */
function userOf(key: string): string {
  return `drift of ${key}`;
}

interface Place {
  readonly entry: InventoryEntry;
  readonly followed: FollowedKind;
}

function scopeOf({ group, version, resource, namespace }: InventoryEntry): string {
  return `${group}/${version}/${resource}/${namespace}`;
}

function settle({ entry, followed }: Place, label: string, signal: AbortSignal): Promise<unknown> {
  followed.use(entry.namespace);
  return followed.settled(entry.namespace, label, signal);
}

function contentOf(followed: FollowedKind, { namespace, name }: InventoryEntry): string {
  const cached = followed.cached(namespace, name);
  if (cached === undefined) return '';
  return cached.object === undefined ? GONE : (followed.digestOf(cached.object) ?? '');
}
