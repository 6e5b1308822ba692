import type { Release } from '../../api/index.ts';
import { SYNC_REQUESTED } from '../names.ts';

/**
 * Why a Release is to be looked at now:
 * - `Observed` its health changed: nothing but a look
 * - `Drift` what is on the cluster differs: compare, and apply what differs
 * - `Manual` somebody wants an attempt
 * - `Retry` the failed attempt is to be repeated now
 */
export type SyncReason = 'Observed' | 'Drift' | 'Manual' | 'Retry';

const REASONS: readonly SyncReason[] = ['Observed', 'Drift', 'Manual', 'Retry'];

/** The reason that a text names; whatever else it says, somebody asked: Manual. */
export function syncReasonOf(text: string): SyncReason {
  return REASONS.find((reason) => reason === text.trim()) ?? 'Manual';
}

/** The request in the annotation `<time> <reason>` of a Release, unless it was served already. */
export function annotatedRequest({ metadata, status }: Release): SyncReason | undefined {
  const text = metadata.annotations[SYNC_REQUESTED] ?? '';
  if (text === '' || text === status.lastSyncRequest) return undefined;
  return syncReasonOf(text.slice(text.indexOf(' ') + 1));
}
