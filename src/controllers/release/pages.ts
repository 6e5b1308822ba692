import type { InventoryEntry } from '../../core/api/index.ts';
import { CONTROLLER_MANAGER, INVENTORY_FINALIZER } from '../../core/release/index.ts';
import {
  type ControllerChange,
  controllerPatch,
  type PagePatch,
  type PageWrite,
  type PlannedEntry,
  planPages,
} from '../../core/release/inventory/index.ts';
import { isNotFound } from './failures.ts';
import type { Visit } from './visit.ts';

/** Writes pages as a plan wants them. */
export async function writePages(visit: Visit, writes: readonly PageWrite[]): Promise<void> {
  for (const write of writes) {
    const path = visit.pagePath(write.name);
    switch (write.kind) {
      case 'create': {
        const { type, namespace } = path;
        const options = { fieldManager: CONTROLLER_MANAGER };
        visit.keepPage(await visit.home.create({ type, namespace }, write.object, options));
        break;
      }
      case 'patch':
        await patchPage(visit, write.name, write.patch);
        break;
      case 'delete':
        await dropPage(visit, write.name, write.uid);
        break;
    }
  }
}

export async function patchPage(visit: Visit, name: string, patch: PagePatch): Promise<void> {
  const options = { fieldManager: CONTROLLER_MANAGER };
  visit.keepPage(await visit.home.patch(visit.pagePath(name), 'json', patch, options));
}

/** A page beyond the first that holds nothing; its finalizer is ours to take off. */
async function dropPage(visit: Visit, name: string, uid: string): Promise<void> {
  await visit.home.delete(visit.pagePath(name), { uid });
  await openPage(visit, name);
  visit.dropPage(name);
}

/** Takes our finalizer off a page, so that it may go. */
export async function openPage(visit: Visit, name: string): Promise<void> {
  const page = visit.pages.find(({ metadata }) => metadata.name === name);
  const index = page?.metadata.finalizers.indexOf(INVENTORY_FINALIZER) ?? -1;
  if (page === undefined || index < 0) return;
  const path = `/metadata/finalizers/${index}`;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: page.metadata.uid },
    { op: 'test', path, value: INVENTORY_FINALIZER },
    { op: 'remove', path },
  ];
  try {
    await visit.home.patch(visit.pagePath(name), 'json', patch, { fieldManager: CONTROLLER_MANAGER });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Changes entries wherever they stand, one patch for each page that differs. */
export async function changeEntries(visit: Visit, changes: readonly ControllerChange[]): Promise<void> {
  if (changes.length === 0) return;
  for (const page of visit.pages) {
    const patch = controllerPatch(page, changes);
    if (patch !== undefined) await patchPage(visit, page.metadata.name, patch);
  }
}

/** Gives an entry its place before its object is created; all others stay as they are. */
export async function ensureEntry(
  visit: Visit,
  entries: readonly InventoryEntry[],
  entry: PlannedEntry,
): Promise<void> {
  const kept = entries.filter(({ prune, ...one }) => prune !== true && !isSame(one, entry));
  const { namespace, name, uid } = visit.release.metadata;
  await writePages(visit, planPages({ namespace, name, uid }, visit.pages, [...kept, entry]));
}

function isSame(one: Pick<InventoryEntry, 'group' | 'kind' | 'namespace' | 'name'>, other: PlannedEntry): boolean {
  return (
    one.group === other.group && one.kind === other.kind && one.namespace === other.namespace && one.name === other.name
  );
}
