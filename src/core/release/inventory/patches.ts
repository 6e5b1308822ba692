import type { InventoryEntry, ReleaseInventory } from '../../api/index.ts';
import { fitMessage } from '../../health/message.ts';
import type { AppliedFields, Changed, EntryIdentity, ObservedFields, PlannedEntry } from './entry.ts';
import { entryKey } from './entry.ts';
import {
  entryPath,
  type PagePatch,
  type PatchOperation,
  testOfPage,
  testsOfEntry,
  writesOfFields,
} from './json-patch.ts';

/** What the controller wants of one entry of a page. */
export type ControllerChange =
  | {
      readonly entry: EntryIdentity;
      /** Of the observer's fields assessedRenderRef may be taken away: what it speaks of is not what was applied now. */
      readonly set: Changed<AppliedFields & PlannedEntry> & { readonly assessedRenderRef?: undefined };
    }
  /** The object is gone, or no longer ours. */
  | { readonly entry: EntryIdentity; readonly remove: true };

/** What the observer wants of one entry of a page. */
export interface ObserverChange {
  readonly entry: EntryIdentity;
  readonly set: Changed<ObservedFields>;
}

const LONGEST_REASON = 64;

/**
 * One patch that makes the entries what the changes say; undefined when they are that already. Changes of entries that the page does
 * not hold are passed over: what is gone needs no write, and what stands on another page is that page's business. One change an entry.
 */
export function controllerPatch(
  page: ReleaseInventory,
  changes: readonly ControllerChange[],
  added: readonly InventoryEntry[] = [],
): PagePatch | undefined {
  const tests: PatchOperation[] = [];
  const writes: PatchOperation[] = [];
  const removed: number[] = [];
  for (const [index, entry, change] of placed(page, changes)) {
    const fields = 'remove' in change ? [] : writesOfFields(index, entry, change.set);
    if ('remove' in change) removed.push(index);
    else if (fields.length === 0) continue;
    tests.push(...testsOfEntry(index, entry));
    writes.push(...fields);
  }
  for (const entry of added) writes.push({ op: 'add', path: '/spec/entries/-', value: entry });
  // From the end, so that no removal moves an entry that another operation names.
  for (const index of removed.sort((a, b) => b - a)) writes.push({ op: 'remove', path: entryPath(index) });
  return writes.length === 0 ? undefined : [testOfPage(page), ...tests, ...writes];
}

/** As controllerPatch, for the observer's fields; messages and reasons are cut to what the page may hold. */
export function observerPatch(page: ReleaseInventory, changes: readonly ObserverChange[]): PagePatch | undefined {
  const operations: PatchOperation[] = [];
  for (const [index, entry, { set }] of placed(page, changes)) {
    const writes = writesOfFields(index, entry, bounded(set));
    if (writes.length > 0) operations.push(...testsOfEntry(index, entry), ...writes);
  }
  return operations.length === 0 ? undefined : [testOfPage(page), ...operations];
}

/** Until an attempt has succeeded nothing is pruned by a rebuilt page; this ends it. Undefined: the page is none. */
export function trustedPatch(page: ReleaseInventory): PagePatch | undefined {
  return page.spec.rebuilt === undefined ? undefined : [testOfPage(page), { op: 'remove', path: '/spec/rebuilt' }];
}

function bounded(set: Changed<ObservedFields>): Changed<ObservedFields> {
  const { message, reason } = set;
  return {
    ...set,
    ...(message === undefined ? {} : { message: fitMessage(message) }),
    ...(reason === undefined ? {} : { reason: reason.slice(0, LONGEST_REASON) }),
  };
}

/** The changes that speak of entries of the page, with where these stand, in the order of the page. */
function* placed<Change extends { readonly entry: EntryIdentity }>(
  page: ReleaseInventory,
  changes: readonly Change[],
): Iterable<readonly [index: number, entry: InventoryEntry, change: Change]> {
  const byKey = new Map(changes.map((change) => [entryKey(change.entry), change]));
  for (const [index, entry] of page.spec.entries.entries()) {
    const change = byKey.get(entryKey(entry));
    if (change !== undefined) yield [index, entry, change];
  }
}
