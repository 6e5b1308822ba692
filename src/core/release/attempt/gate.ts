import type { InventoryEntry, Release } from '../../api/index.ts';
import { parseDeadline } from '../../health/deadline.ts';
import { asTime } from '../../object/fields.ts';
import { countsForHealth } from '../inventory/index.ts';

/** What health means for the gates of a Release. */
export interface GateHealth {
  /** Whether spec.healthAssessment is set; else every gate is open once its wave is applied. */
  readonly configured: boolean;
  /** ms of spec.healthAssessment.deadline; undefined: there is none, or it is none that can be read. */
  readonly deadline: number | undefined;
}

/**
 * - `open` all that counts is Healthy for this render
 * - `closed` something is not yet; `recheckAt` is when time alone may change that, ms since 1970
 * - `failed` something will not become Healthy in its time
 */
export type Gate =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly waitingFor: readonly InventoryEntry[]; readonly recheckAt: number | undefined }
  | { readonly kind: 'failed'; readonly failing: readonly InventoryEntry[] };

export function gateHealthOf({ spec }: Pick<Release, 'spec'>): GateHealth {
  const { healthAssessment } = spec;
  return { configured: healthAssessment !== undefined, deadline: deadlineOf(healthAssessment?.deadline) };
}

function deadlineOf(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseDeadline(text);
  return typeof parsed === 'number' ? parsed : undefined;
}

/** Entries that gates look at; of one wave, or of all. */
function counted(entries: readonly InventoryEntry[], wave: number | 'all'): readonly InventoryEntry[] {
  return entries.filter(
    (entry) => countsForHealth(entry) && entry.ignoreHealth !== true && (wave === 'all' || entry.wave === wave),
  );
}

/** Whether what was applied with the render lets the next step begin. */
export function gateOf(
  entries: readonly InventoryEntry[],
  wave: number | 'all',
  renderRef: string,
  health: GateHealth,
  now: number,
): Gate {
  if (!health.configured) return { kind: 'open' };
  const waiting = counted(entries, wave).filter((entry) => !isHealthy(entry, renderRef));
  if (waiting.length === 0) return { kind: 'open' };
  const times = waiting.map((entry) => failsAt(entry, renderRef, health, now));
  const failing = waiting.filter((_, index) => (times[index] ?? Number.POSITIVE_INFINITY) <= now);
  if (failing.length > 0) return { kind: 'failed', failing };
  const later = times.filter((time) => time !== undefined);
  return { kind: 'closed', waitingFor: waiting, recheckAt: later.length === 0 ? undefined : Math.min(...later) };
}

/** Healthy in the observer's eyes, for this render and no other. */
export function isHealthy(entry: InventoryEntry, renderRef: string): boolean {
  return entry.renderRef === renderRef && entry.assessedRenderRef === renderRef && entry.state === 'Healthy';
}

/**
 * When the entry fails its gate, ms since 1970; undefined: not as it stands. What a rule calls failed fails at once. firstUnhealthy
 * outlives a render, so an object that is Degraded by its deadline still gets that time from its apply on: else the fix of a broken
 * object could never pass.
 */
function failsAt(entry: InventoryEntry, renderRef: string, health: GateHealth, now: number): number | undefined {
  if (entry.renderRef !== renderRef || entry.assessedRenderRef !== renderRef) return undefined;
  if (entry.state !== 'Degraded' && entry.state !== 'Progressing') return undefined;
  if (entry.reason === 'Failed') return now;
  if (entry.state !== 'Degraded') return undefined;
  const deadline = deadlineOf(entry.deadline) ?? health.deadline;
  if (deadline === undefined) return undefined;
  return Math.min(asTime(entry.appliedAt) ?? now, now) + deadline;
}
