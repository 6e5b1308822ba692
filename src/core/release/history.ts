import type { ReleaseStatus } from '../api/index.ts';

/** A row of `status.history`; the newest comes first. */
export type HistoryRow = NonNullable<ReleaseStatus['history']>[number];

/** The history with an attempt that begins. A second attempt of the newest render is the same row. */
export function withAttempt(
  history: readonly HistoryRow[],
  row: Pick<HistoryRow, 'renderRef' | 'revision' | 'appliedAt'>,
  limit: number,
): readonly HistoryRow[] {
  const [newest, ...older] = history;
  if (newest?.renderRef !== row.renderRef) return [row, ...history].slice(0, limit);
  const { outcome: _, ...kept } = newest;
  return [{ ...kept, revision: row.revision }, ...older].slice(0, limit);
}

/** The history with what became of the newest row of a render; what is there already is the same list. */
export function withResult(
  history: readonly HistoryRow[],
  renderRef: string,
  result: Pick<HistoryRow, 'outcome' | 'healthyAt'>,
): readonly HistoryRow[] {
  const index = history.findIndex((row) => row.renderRef === renderRef);
  const row = history[index];
  if (row === undefined) return history;
  // When everything was healthy first.
  const healthyAt = row.healthyAt ?? result.healthyAt;
  const outcome = result.outcome ?? row.outcome;
  if (healthyAt === row.healthyAt && outcome === row.outcome) return history;
  return history.with(index, {
    ...row,
    ...(outcome === undefined ? {} : { outcome }),
    ...(healthyAt === undefined ? {} : { healthyAt }),
  });
}

/**
 * The renders whose bytes are kept: of lastAttempted, lastApplied, lastHealthy and the healthy one before it, and after a rollback the
 * one that is kept out (a chart with random values must not roll out anew when it is let in again). The history keeps rows, not bytes.
 */
export function rendersToKeep(
  status: Pick<ReleaseStatus, 'lastAttempted' | 'lastApplied' | 'lastHealthy' | 'held' | 'history'>,
): ReadonlySet<string> {
  const { lastAttempted, lastApplied, lastHealthy, held, history = [] } = status;
  const healthy = history.filter((row) => row.healthyAt !== undefined && row.renderRef !== lastHealthy?.renderRef);
  const kept = [lastAttempted?.renderRef, lastApplied?.renderRef, lastHealthy?.renderRef, held?.renderRef, held?.from];
  return new Set([...kept, healthy[0]?.renderRef].filter((renderRef) => renderRef !== undefined));
}
