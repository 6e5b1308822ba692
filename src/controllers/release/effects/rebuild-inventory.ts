import { CONTROLLER_MANAGER, selectorOf } from '../../../core/release/index.ts';
import { type FoundObject, rebuiltPages } from '../../../core/release/inventory/index.ts';
import { ApiError } from '../../../ports/errors.ts';
import { listAll } from '../../../runtime/list-all.ts';
import { AGAIN, type Step } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** The inventory is gone: what carries the label of the Release on its cluster is found again, kind by kind. */
export async function rebuildInventory(visit: Visit): Promise<Step> {
  const { release, owner } = visit;
  const found = await objectsOnCluster(visit);
  const { namespace } = release.metadata;
  for (const { name, object } of rebuiltPages(release.metadata, owner, found)) {
    const { type } = visit.pagePath(name);
    visit.keepPage(await visit.home.create({ type, namespace }, object, { fieldManager: CONTROLLER_MANAGER }));
  }
  const note = `the inventory was lost and is made of ${found.length} objects that carry the label of the Release`;
  visit.tell('Warning', 'InventoryRebuilt', 'Restore', note);
  return AGAIN;
}

async function objectsOnCluster(visit: Visit): Promise<readonly FoundObject[]> {
  const { cluster } = await visit.target();
  const found: FoundObject[] = [];
  for (const type of await preferredTypes(visit)) {
    try {
      const options = { labelSelector: selectorOf(visit.owner), signal: visit.signal };
      const { items } = await listAll(cluster, { type, namespace: '' }, options);
      const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
      for (const item of items) {
        // Items of a list may carry no kind of their own.
        found.push({ object: { ...item, apiVersion, kind: type.kind }, resource: type.resource });
      }
    } catch (error) {
      // What may not be listed was not applied either, or by rights that are gone: it cannot be found.
      if (!(error instanceof ApiError) || (error.code !== 403 && error.code !== 404 && error.code !== 405)) throw error;
    }
  }
  return found;
}

/** One version of each listable kind; an object is the same in all of them. */
async function preferredTypes(visit: Visit) {
  const { cluster } = await visit.target();
  const types = await cluster.discovery.all();
  const listable = types.filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'));
  const byKind = new Map<string, (typeof listable)[number]>();
  for (const type of listable) {
    const key = `${type.group}/${type.kind}`;
    if (!byKind.has(key)) byKind.set(key, type);
  }
  return [...byKind.values()];
}
