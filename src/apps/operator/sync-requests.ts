import { RELEASES } from '../../core/api/index.ts';
import { SYNC_REQUESTED } from '../../core/release/index.ts';
import type { SyncReason } from '../../http/aggregated/aggregated-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { splitKey } from '../../runtime/object-key.ts';

export interface SyncRequestsOptions {
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly clock: Clock;
  /** Lets a Release be reconciled in this process; false: another one answers for it. */
  readonly here: (key: string, reason: SyncReason) => boolean;
}

/**
 * Lets a Release (`namespace/name`) be reconciled now by whoever answers for it: here at once, elsewhere by the annotation that its
 * owner watches. @throws what the write of the annotation throws
 */
export async function requestSync(
  { cluster, clock, here }: SyncRequestsOptions,
  key: string,
  reason: SyncReason,
): Promise<void> {
  if (here(key, reason)) return;
  const { namespace, name } = splitKey(key);
  const time = new Date(clock.now()).toISOString();
  const patch = { metadata: { annotations: { [SYNC_REQUESTED]: `${time} ${reason}` } } };
  await cluster.patch({ type: RELEASES, namespace, name }, 'merge', patch, { fieldManager: 'convoy-sync' });
}
