import type { InventoryEntry } from '../../api/index.ts';
import { type Verdict, withCause } from '../../health/index.ts';
import type { Changed, ObservedFields } from '../inventory/index.ts';

/** Every field that the observer writes of an entry, those to take away included. */
export type EntryFields = Required<Changed<ObservedFields>>;

/** Their names. */
export const OBSERVED_FIELDS = [
  'state',
  'reason',
  'message',
  'stateSince',
  'firstUnhealthy',
  'assessedRenderRef',
  'assessedUid',
] as const satisfies readonly (keyof EntryFields)[];

/** What a look at an object gave: its state, and when it was first seen failing (ms since 1970). */
export interface Finding {
  readonly verdict: Pick<Verdict, 'state' | 'message' | 'recheckAfter'> & { readonly reason: string };
  readonly firstUnhealthy: number | undefined;
}

/** RFC 3339 with milliseconds: a deadline starts where it was seen to start. */
export function preciseTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export function wholeSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * What the inventory says of an entry after a pass. `cause` stands behind the message; `uid`: of a hook, the object that the state
 * speaks of.
 */
export function observedFields(
  entry: InventoryEntry,
  { verdict, firstUnhealthy }: Finding,
  now: number,
  { cause, uid }: { readonly cause?: string | undefined; readonly uid?: string | undefined } = {},
): EntryFields {
  const { state, reason } = verdict;
  const message = withCause(verdict.message, cause);
  return {
    state,
    reason,
    message: message === '' ? undefined : message,
    stateSince: entry.state === state && entry.stateSince !== undefined ? entry.stateSince : wholeSeconds(now),
    firstUnhealthy: keptTime(entry.firstUnhealthy, firstUnhealthy),
    assessedRenderRef: entry.renderRef,
    assessedUid: uid,
  };
}

/** The time as it is written already where it says the same: another writer's precision is no reason for a write. */
function keptTime(written: string | undefined, ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  return written !== undefined && Date.parse(written) === ms ? written : preciseTime(ms);
}

/** The entry as it stands after the write. */
export function withFields(entry: InventoryEntry, fields: Changed<ObservedFields>): InventoryEntry {
  // A field that is taken away is undefined here, which every reader takes as absent.
  return { ...entry, ...fields } as InventoryEntry;
}
