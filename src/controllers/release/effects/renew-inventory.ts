import { CONTROLLER_MANAGER, INVENTORY_FINALIZER } from '../../../core/release/index.ts';
import { newPage } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import { openPage } from '../pages.ts';
import type { Visit } from '../visit.ts';

/** Somebody deleted pages, or took our finalizer off, while the Release lives: they are written anew from what was last read. */
export async function renewInventory(visit: Visit, names: readonly string[]): Promise<Step> {
  const { namespace } = visit.release.metadata;
  for (const name of names) {
    const page = visit.pages.find(({ metadata }) => metadata.name === name);
    if (page === undefined) continue;
    const path = visit.pagePath(name);
    const options = { fieldManager: CONTROLLER_MANAGER };
    if (page.metadata.deletionTimestamp === '') {
      const finalizers = [...page.metadata.finalizers, INVENTORY_FINALIZER];
      const patch = [
        { op: 'test', path: '/metadata/resourceVersion', value: page.metadata.resourceVersion },
        { op: 'add', path: '/metadata/finalizers', value: finalizers },
      ];
      visit.keepPage(await visit.home.patch(path, 'json', patch, options));
      continue;
    }
    await openPage(visit, name);
    visit.dropPage(name);
    const { page: number, rebuilt = false, entries } = page.spec;
    const object = newPage(visit.release.metadata, number, entries, { rebuilt });
    visit.keepPage(await visit.home.create({ type: path.type, namespace }, object, options));
    visit.tell('Warning', 'InventoryDeleted', 'Restore', `ReleaseInventory ${name} was deleted and is written anew`);
  }
  return AGAIN;
}
