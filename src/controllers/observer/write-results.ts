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

  constructor(home: Pick<Cluster, 'patch' | 'apply'>, own: OwnWrites) {
    this.#home = home;
    this.#own = own;
  }

  async write(
    observed: ObservedRelease,
    { changes, condition, summary }: PassOutcome,
    now: number,
    entriesOnly: boolean,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    try {
      await Promise.all(observed.pages.map((page) => this.#patch(page, changes, signal)));
      if (entriesOnly) return 'unchanged';
      const status = healthyStatus(observed.release, condition, summary, now);
      if (status === undefined) return 'unchanged';
      await this.#apply(observed, status, signal);
      return 'written';
    } catch (error) {
      if (error instanceof ApiError && OUTRUN.includes(error.code)) return 'stale';
      throw error;
    }
  }

  async #patch({ page, cached }: ObservedPage, changes: PassOutcome['changes'], signal: AbortSignal): Promise<void> {
    const patch = observerPatch(page, changes);
    if (patch === undefined) return;
    const { namespace, name } = page.metadata;
    const path = { type: INVENTORIES, namespace, name };
    const result = await this.#home.patch(path, 'json', patch, { fieldManager: OBSERVER_MANAGER, signal });
    this.#own.wrote(pageWrite(keyOf(cached)), cached, result);
  }

  async #apply(
    { key, release, cached }: ObservedRelease,
    status: KubernetesObject,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name } = release.metadata;
    const result = await this.#home.apply({ type: RELEASES, namespace, name }, status, {
      fieldManager: OBSERVER_MANAGER,
      force: true,
      subresource: 'status',
      signal,
    });
    this.#own.wrote(releaseWrite(key), cached, result);
  }
}
