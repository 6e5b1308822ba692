import type { InventoryEntry } from '../../api/index.ts';

/** What names an entry. The version is no part of it: an object does not change when it is asked for in another one. */
export type EntryIdentity = Pick<InventoryEntry, 'group' | 'kind' | 'namespace' | 'name'>;

/** Written by the controller for a whole render before its first apply. */
export type PlannedEntry = Pick<
  InventoryEntry,
  | 'group'
  | 'kind'
  | 'namespace'
  | 'name'
  | 'version'
  | 'resource'
  | 'wave'
  | 'hook'
  | 'ignoreHealth'
  | 'deadline'
  | 'prune'
>;

/** Written by the controller after an object was applied. */
export type AppliedFields = Pick<InventoryEntry, 'renderRef' | 'uid' | 'generation' | 'appliedAt'>;

/** Written by the observer. */
export type ObservedFields = Pick<
  InventoryEntry,
  'state' | 'reason' | 'message' | 'stateSince' | 'firstUnhealthy' | 'assessedRenderRef' | 'assessedUid'
>;

/** Fields to write by name; `undefined` takes the field away, and one that is not named stays as it is. */
export type Changed<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Fields of the plan that can be absent; the others always stand in an entry. */
export const OPTIONAL_PLAN_FIELDS = ['hook', 'ignoreHealth', 'deadline', 'prune'] as const;

/** `group|kind|namespace|name`: no part of it can hold a bar. */
export function entryKey({ group, kind, namespace, name }: EntryIdentity): string {
  return `${group}|${kind}|${namespace}|${name}`;
}

/** Entries with `hook` or `prune` are in no count, gate, roll-up or Pending test. */
export function countsForHealth(entry: Pick<InventoryEntry, 'hook' | 'prune'>): boolean {
  return entry.hook === undefined && entry.prune !== true;
}

/** The state speaks of the render that is applied. */
export function isAssessed(entry: Pick<InventoryEntry, 'renderRef' | 'assessedRenderRef'>): boolean {
  return entry.renderRef !== undefined && entry.renderRef === entry.assessedRenderRef;
}
