import { INVENTORIES, type Release, type ReleaseInventory, readInventory } from '../../core/api/index.ts';
import { asString, field } from '../../core/object/fields.ts';
import { pageName, pagesOf } from '../../core/release/inventory/index.ts';
import { isNotFound } from './failures.ts';
import type { ReleaseMemory } from './memory.ts';
import type { Services } from './services.ts';

/**
 * The pages of a Release as the server has them now: those that the cache knows of and those that this process wrote; a process that
 * knows nothing yet looks behind the last one. What is decided by an inventory that lags behind our own writes could prune what was
 * just applied.
 */
export async function readPages(
  services: Pick<Services, 'home' | 'inventories'>,
  memory: Pick<ReleaseMemory, 'pages'>,
  release: Release,
  signal: AbortSignal,
): Promise<readonly ReleaseInventory[]> {
  const { namespace, name } = release.metadata;
  const cached = services.inventories
    .inNamespace(namespace)
    .filter((page) => field(page['spec'], 'release') === name)
    .map((page) => asString(field(page['metadata'], 'name')));
  const known = new Set([pageName(release.metadata, 1), ...(memory.pages ?? []), ...cached]);
  const read = (page: string) => readPage(services, namespace, page, signal);
  const pages = (await Promise.all([...known].map(read))).filter((page) => page !== undefined);
  for (let number = 2; memory.pages === undefined; number += 1) {
    const next = pageName(release.metadata, number);
    if (known.has(next)) continue;
    const page = await read(next);
    if (page === undefined) break;
    pages.push(page);
  }
  memory.pages = new Set(pages.map(({ metadata }) => metadata.name));
  return pagesOf(release.metadata, pages);
}

async function readPage(
  { home }: Pick<Services, 'home'>,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ReleaseInventory | undefined> {
  try {
    const found = readInventory(await home.get({ type: INVENTORIES, namespace, name }, { signal }));
    if ('problem' in found) throw new Error(`ReleaseInventory ${namespace}/${name}: ${found.problem}`);
    return found.value;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
