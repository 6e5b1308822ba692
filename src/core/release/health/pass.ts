import type { InventoryEntry, Release } from '../../api/index.ts';
import { type HealthSummary, parseDeadline } from '../../health/index.ts';
import { countsForHealth, type ObserverChange } from '../inventory/index.ts';
import type { EntryPolicy } from './assess-entry.ts';
import { type Cadence, nextCadence } from './cadence.ts';
import {
  type CannotAssess,
  cannotAssess,
  type HealthyCondition,
  healthyCondition,
  NO_SUMMARY,
  NOT_CONFIGURED,
  summaryOf,
} from './healthy-condition.ts';
import { isRunningHook, readsHook } from './hook-result.ts';
import { type EntryFields, OBSERVED_FIELDS, withFields } from './observed-fields.ts';
import { rulesOf } from './release-rules.ts';
import { type SyncOccasion, syncOccasions } from './sync-occasions.ts';

/** What one process remembers of a Release between two passes. It may be lost: all that counts is in the inventory. */
export interface PassMemory {
  readonly cadence: Cadence;
  readonly renderRef: string | undefined;
}

/** What a pass found out about an entry. */
export interface EntryResult {
  readonly fields: EntryFields;
  /** ms until time alone can change it. */
  readonly recheckAfter?: number | undefined;
}

export interface PassInput {
  readonly release: Release;
  readonly entries: readonly InventoryEntry[];
  /** By the entry itself. What is not in it keeps what the inventory says. */
  readonly results: ReadonlyMap<InventoryEntry, EntryResult>;
  /** Why the objects cannot be assessed; then `results` are those of hooks. */
  readonly cannot?: CannotAssess | undefined;
  /** ms since 1970: one time for the whole pass. */
  readonly now: number;
  readonly memory: PassMemory | undefined;
}

export interface PassOutcome {
  readonly changes: readonly ObserverChange[];
  readonly condition: HealthyCondition;
  /** Undefined: there is none and none can be made. */
  readonly summary: HealthSummary | undefined;
  readonly occasions: readonly SyncOccasion[];
  readonly memory: PassMemory;
  /** ms until the next look; undefined: an event brings it. */
  readonly next: number | undefined;
}

/** ms; the default of `spec.syncPolicy.interval`, where an old object holds something that is no duration. */
const USUAL_INTERVAL = 300_000;

export function isConfigured(release: Release): boolean {
  return release.spec.healthAssessment !== undefined;
}

/** Entries that are assessed: what was applied, hooks and what is to be pruned apart. */
export function isAssessable(entry: InventoryEntry): boolean {
  return countsForHealth(entry) && entry.renderRef !== undefined;
}

/** Whether the object of an entry is read in a pass: where a rule applies, and of hooks until they have ended. */
export function isRead(entry: InventoryEntry, policy: Pick<EntryPolicy, 'rules'>): boolean {
  if (isRunningHook(entry)) return readsHook(entry, policy);
  return isAssessable(entry) && rulesOf(policy.rules, entry).length > 0;
}

/** ms of the deadline of a Release; undefined: it has none. */
export function deadlineOf({ spec }: Release): number | CannotAssess | undefined {
  const text = spec.healthAssessment?.deadline;
  if (text === undefined) return undefined;
  const ms = parseDeadline(text);
  if (typeof ms === 'number') return ms;
  return { reason: 'InvalidDeadline', message: `spec.healthAssessment: ${ms.problem}` };
}

/** ms of an entry's own deadline; undefined: that of the Release counts. */
export function entryDeadline(entry: InventoryEntry): number | CannotAssess | undefined {
  if (entry.deadline === undefined) return undefined;
  const ms = parseDeadline(entry.deadline);
  if (typeof ms === 'number') return ms;
  const { kind, namespace, name } = entry;
  const object = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  return { reason: 'InvalidDeadline', message: `annotation of ${object}: ${ms.problem}` };
}

/** What a pass writes, asks for and waits for. */
export function concludePass(input: PassInput): PassOutcome {
  const { release, entries, results, now, memory } = input;
  const { changes, after } = applied(entries, results);
  const renderRef = release.status.lastAttempted?.renderRef;
  const stateChanged = changes.some(
    ({ entry, set }) => 'state' in set && set.state !== (entry as InventoryEntry).state,
  );
  const { condition, summary } = conditionOf(input, after);
  const interval = parseDeadline(release.spec.syncPolicy.interval);
  const cadence = nextCadence(memory?.cadence, {
    now,
    interval: typeof interval === 'number' ? interval : USUAL_INTERVAL,
    healthy: condition.status === 'True',
    changed: stateChanged || memory?.renderRef !== renderRef,
  });
  const waits = isConfigured(release) || after.some(isRunningHook);
  return {
    changes,
    condition,
    summary,
    occasions: syncOccasions(entries, after, renderRef),
    memory: { cadence, renderRef },
    next: waits ? Math.max(0, Math.min(cadence.due - now, soonest(results))) : undefined,
  };
}

function conditionOf(
  { release, cannot }: PassInput,
  after: readonly InventoryEntry[],
): Pick<PassOutcome, 'condition' | 'summary'> {
  if (!isConfigured(release)) return { condition: NOT_CONFIGURED, summary: NO_SUMMARY };
  if (cannot !== undefined) return { condition: cannotAssess(cannot), summary: release.status.healthSummary };
  return { condition: healthyCondition(release.status.lastAttempted, after), summary: summaryOf(after) };
}

/** The fields that differ from what the inventory says, and the entries as they stand after the write. */
function applied(
  entries: readonly InventoryEntry[],
  results: ReadonlyMap<InventoryEntry, EntryResult>,
): { readonly changes: readonly ObserverChange[]; readonly after: readonly InventoryEntry[] } {
  const changes: ObserverChange[] = [];
  const after = entries.map((entry) => {
    const fields = results.get(entry)?.fields;
    if (fields === undefined || OBSERVED_FIELDS.every((name) => entry[name] === fields[name])) return entry;
    const different = OBSERVED_FIELDS.filter((name) => entry[name] !== fields[name]);
    const set = Object.fromEntries(different.map((name) => [name, fields[name]]));
    changes.push({ entry, set });
    return withFields(entry, set);
  });
  return { changes, after };
}

function soonest(results: ReadonlyMap<InventoryEntry, EntryResult>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { recheckAfter } of results.values()) least = Math.min(least, recheckAfter ?? least);
  return least;
}
