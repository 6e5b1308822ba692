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
 * - `written` the condition is another one now
 */
export type WriteResult = 'stale' | 'unchanged' | 'written';

/** 404: gone; 409: another object of that name; 422: an entry is not where it was read. */
const OUTRUN: readonly number[] = [404, 409, 422];

/** Writes what a pass decided, and only what differs: first the entries, then the condition that speaks of them. */
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

  async write(
    observed: ObservedRelease,
    { changes, condition, summary }: PassOutcome,
    now: number,
    entriesOnly: boolean,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const news = (): void => this.#news(observed.key);
    try {
      await Promise.all(observed.pages.map((page) => this.#patch(page, changes, news, signal)));
      if (entriesOnly) return 'unchanged';
      const status = healthyStatus(observed.release, condition, summary, now);
      if (status === undefined) return 'unchanged';
      await this.#apply(observed, status, news, signal);
      return 'written';
    } catch (error) {
      if (error instanceof ApiError && OUTRUN.includes(error.code)) return 'stale';
      throw error;
    }
  }

  async #patch(
    { page, cached }: ObservedPage,
    changes: PassOutcome['changes'],
    news: () => void,
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
      news,
    );
  }

  async #apply(
    { key, release, cached }: ObservedRelease,
    status: KubernetesObject,
    news: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name } = release.metadata;
    const path = { type: RELEASES, namespace, name };
    const options = { fieldManager: OBSERVER_MANAGER, force: true, subresource: 'status', signal };
    await this.#own.write(releaseWrite(key), cached, () => this.#home.apply(path, status, options), news);
  }
}
