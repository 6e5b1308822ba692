import { INVENTORIES, RELEASES } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { healthyStatus, type PassOutcome } from '../../core/release/health/index.ts';
import { observerPatch } from '../../core/release/inventory/index.ts';
import { OBSERVER_MANAGER } from '../../core/release/names.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { keyOf } from '../../runtime/object-key.ts';
import { type ObservedPage, type ObservedRelease, pageWrite, releaseWrite } from './observed-release.ts';
import type { OwnWrites } from './own-writes.ts';

/**
 * - `stale` somebody else wrote first: read again and decide again
 * - `unchanged` everything is there already
 * - `written` it is another one now
 */
export type WriteResult = 'stale' | 'unchanged' | 'written';

/** 404: gone; 409: another object of that name; 422: an entry is not where it was read. */
const OUTRUN: readonly number[] = [404, 409, 422];

/** Writes what a pass decided, and only what differs; the entries come before the condition that speaks of them. */
export class ResultWriter {
  readonly #home: Pick<Cluster, 'patch' | 'apply'>;
  readonly #own: OwnWrites;
  readonly #news: (release: string) => void;

  /** `news`: somebody else wrote while a write was under way. */
  constructor(home: Pick<Cluster, 'patch' | 'apply'>, own: OwnWrites, news: (release: string) => void) {
    this.#home = home;
    this.#own = own;
    this.#news = news;
  }

  /** One patch for each page that differs. */
  async writeEntries(
    observed: ObservedRelease,
    changes: PassOutcome['changes'],
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const patches = observed.pages.map((page) => this.#patch(observed.key, page, changes, signal));
    // All of them end before the next pass decides on what they wrote.
    const settled = await Promise.allSettled(patches);
    const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const failure = failures.find((error) => !isOutrun(error));
    if (failure !== undefined) throw failure;
    return failures.length > 0 ? 'stale' : 'written';
  }

  async writeCondition(
    observed: ObservedRelease,
    { condition, summary }: PassOutcome,
    now: number,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const status = healthyStatus(observed.release, condition, summary, now);
    if (status === undefined) return 'unchanged';
    try {
      await this.#apply(observed, status, signal);
      return 'written';
    } catch (error) {
      if (isOutrun(error)) return 'stale';
      throw error;
    }
  }

  async #patch(
    release: string,
    { page, cached }: ObservedPage,
    changes: PassOutcome['changes'],
    signal: AbortSignal,
  ): Promise<void> {
    const patch = observerPatch(page, changes);
    if (patch === undefined) return;
    const { namespace, name } = page.metadata;
    const path = { type: INVENTORIES, namespace, name };
    await this.#own.write(
      pageWrite(keyOf(cached)),
      cached,
      () => this.#home.patch(path, 'json', patch, { fieldManager: OBSERVER_MANAGER, signal }),
      () => this.#news(release),
    );
  }

  async #apply(
    { key, release, cached }: ObservedRelease,
    status: KubernetesObject,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name } = release.metadata;
    const path = { type: RELEASES, namespace, name };
    const options = { fieldManager: OBSERVER_MANAGER, force: true, subresource: 'status', signal };
    const write = (): Promise<KubernetesObject> => this.#home.apply(path, status, options);
    await this.#own.write(releaseWrite(key), cached, write, () => this.#news(key));
  }
}

function isOutrun(error: unknown): boolean {
  return error instanceof ApiError && OUTRUN.includes(error.code);
}
