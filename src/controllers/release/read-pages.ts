import { INVENTORIES, type Release, type ReleaseInventory, readInventory } from '../../core/api/index.ts';
import { asString, field } from '../../core/object/fields.ts';
import { pageName, pagesOf } from '../../core/release/inventory/index.ts';
import { isNotFound } from './failures.ts';
import type { Services } from './services.ts';

/**
 * The pages of a Release as the server has them now: those that the cache knows of, and those that follow them. What is decided by an
 * inventory that lags behind our own writes could prune what was just applied.
 */
export async function readPages(
  { home, inventories }: Pick<Services, 'home' | 'inventories'>,
  release: Release,
  signal: AbortSignal,
): Promise<readonly ReleaseInventory[]> {
  const { namespace, name } = release.metadata;
  const pages = new Map<string, ReleaseInventory>();
  const asked = new Set<string>();
  const read = async (page: string): Promise<boolean> => {
    asked.add(page);
    try {
      const found = readInventory(await home.get({ type: INVENTORIES, namespace, name: page }, { signal }));
      if ('problem' in found) throw new Error(`ReleaseInventory ${namespace}/${page}: ${found.problem}`);
      pages.set(page, found.value);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  const cached = inventories.inNamespace(namespace).filter((page) => field(page['spec'], 'release') === name);
  for (const page of cached) await read(asString(field(page['metadata'], 'name')));
  for (let number = 1; ; number += 1) {
    const page = pageName(release.metadata, number);
    if (!asked.has(page) && !(await read(page))) break;
  }
  return pagesOf(release.metadata, pages.values());
}
