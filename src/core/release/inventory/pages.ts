import {
  API_VERSION,
  ENTRIES_PER_PAGE,
  ENTRIES_PER_RELEASE,
  type InventoryEntry,
  type ReleaseInventory,
} from '../../api/index.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { INVENTORY_FINALIZER } from '../names.ts';
import { type AppliedFields, type Changed, entryKey, OPTIONAL_PLAN_FIELDS, type PlannedEntry } from './entry.ts';
import type { PagePatch } from './json-patch.ts';
import { type ControllerChange, controllerPatch } from './patches.ts';

/** What the pages of a Release need to know of it. */
export interface InventoryOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A write that makes the pages hold a plan. */
export type PageWrite =
  | { readonly kind: 'create'; readonly name: string; readonly object: KubernetesObject }
  | { readonly kind: 'patch'; readonly name: string; readonly patch: PagePatch }
  /** A page beyond the first that holds nothing any more. */
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string };

/** The name of a page, from 1. The UID keeps the second page of a Release `a` apart from the first of a Release `a-2`. */
export function pageName(owner: InventoryOwner, page: number): string {
  return page === 1 ? owner.name : `${owner.name}-${owner.uid.replaceAll('-', '').slice(0, 8)}-${page}`;
}

/** The pages of a Release among those of its namespace, in order. A page of an earlier Release of the same name is not one of them. */
export function pagesOf(owner: InventoryOwner, pages: Iterable<ReleaseInventory>): readonly ReleaseInventory[] {
  return [...pages]
    .filter(
      (page) =>
        page.metadata.namespace === owner.namespace &&
        page.spec.release === owner.name &&
        page.metadata.name === pageName(owner, page.spec.page),
    )
    .sort((a, b) => a.spec.page - b.spec.page);
}

/** The entries of all pages in order. One that a lost write left on two pages counts where it stands first. */
export function entriesOf(pages: readonly ReleaseInventory[]): readonly InventoryEntry[] {
  const byKey = new Map<string, InventoryEntry>();
  for (const entry of pages.flatMap((page) => page.spec.entries)) {
    const key = entryKey(entry);
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
}

/** Nothing is pruned by such an inventory before an attempt has succeeded: it may hold objects that were never the render's. */
export function isRebuilt(pages: readonly ReleaseInventory[]): boolean {
  return pages.some((page) => page.spec.rebuilt === true);
}

/**
 * The writes that make the pages hold the plan: an entry that has a place keeps it and loses nothing but what the plan says
 * otherwise, a new one takes the first free place, and one that the plan has no more is marked for pruning. To be written before
 * anything of the plan is applied. No writes: the pages hold it already. Throws a RangeError for more than 5,000 entries.
 */
export function planPages(
  owner: InventoryOwner,
  pages: readonly ReleaseInventory[],
  plan: readonly PlannedEntry[],
): readonly PageWrite[] {
  const wanted = new Map(plan.map((entry) => [entryKey(entry), entry]));
  const changes = new Map<number, ControllerChange[]>();
  const seen = new Set<string>();
  for (const page of pages) {
    changes.set(
      page.spec.page,
      page.spec.entries.map((entry): ControllerChange => {
        const key = entryKey(entry);
        // A second entry of the same object would be counted as one that is never applied.
        if (seen.has(key)) return { entry, remove: true };
        seen.add(key);
        return { entry, set: plannedFields(wanted.get(key)) };
      }),
    );
  }
  const fresh = plan.filter((entry) => !seen.has(entryKey(entry)));
  return [...writesOf(owner, pages, changes, fresh)];
}

/** Every field of the plan, those that it leaves out as `undefined`. */
function plannedFields(entry: PlannedEntry | undefined): Changed<PlannedEntry & AppliedFields> {
  if (entry === undefined) return { prune: true };
  const { version, resource, wave } = entry;
  return { version, resource, wave, ...Object.fromEntries(OPTIONAL_PLAN_FIELDS.map((name) => [name, entry[name]])) };
}

function* writesOf(
  owner: InventoryOwner,
  pages: readonly ReleaseInventory[],
  changes: ReadonlyMap<number, readonly ControllerChange[]>,
  fresh: readonly PlannedEntry[],
): Iterable<PageWrite> {
  const byNumber = new Map(pages.map((page) => [page.spec.page, page]));
  let placed = 0;
  for (let number = 1; number <= ENTRIES_PER_RELEASE / ENTRIES_PER_PAGE; number += 1) {
    const page = byNumber.get(number);
    const room = ENTRIES_PER_PAGE - (page?.spec.entries.length ?? 0);
    const added = fresh.slice(placed, placed + room);
    placed += added.length;
    const name = pageName(owner, number);
    if (page === undefined) {
      if (added.length > 0 || number === 1) yield { kind: 'create', name, object: newPage(owner, number, added) };
      else if ([...byNumber.keys()].every((known) => known < number)) break;
    } else if (number > 1 && page.spec.entries.length === 0 && added.length === 0) {
      yield { kind: 'delete', name, uid: page.metadata.uid };
    } else {
      const patch = controllerPatch(page, changes.get(number) ?? [], added.map(newEntry));
      if (patch !== undefined) yield { kind: 'patch', name, patch };
    }
  }
  if (placed < fresh.length) {
    throw new RangeError(
      `a Release holds at most ${ENTRIES_PER_RELEASE} objects, those that are still to be pruned included`,
    );
  }
}

/** Only what is known: an absent field costs nothing in each later write of the page. */
function newEntry(entry: PlannedEntry): InventoryEntry {
  const { group, kind, namespace, name, version, resource, wave } = entry;
  const optional = OPTIONAL_PLAN_FIELDS.filter((field) => entry[field] !== undefined);
  return {
    group,
    kind,
    namespace,
    name,
    version,
    resource,
    wave,
    ...Object.fromEntries(optional.map((field) => [field, entry[field]])),
  };
}

/**
 * A page as it is created. Its finalizer keeps it until the controller has pruned by it: deleting a namespace deletes Release and
 * pages together.
 */
export function newPage(
  owner: InventoryOwner,
  page: number,
  entries: readonly InventoryEntry[] | readonly PlannedEntry[],
  options: { readonly rebuilt?: boolean } = {},
): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ReleaseInventory',
    metadata: {
      name: pageName(owner, page),
      namespace: owner.namespace,
      finalizers: [INVENTORY_FINALIZER],
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: 'Release',
          name: owner.name,
          uid: owner.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { release: owner.name, page, ...(options.rebuilt === true ? { rebuilt: true } : {}), entries },
  };
}
