import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Cluster, ListOptions, ListPage, ResourcePath } from '../ports/cluster.ts';
import { ApiError } from '../ports/errors.ts';

/** client-go's default page of a reflector. */
export const PAGE_SIZE = 500;

export interface WholeList {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
}

/**
 * All pages of a list, each object through `prepare` as soon as its page is there. When the server has forgotten the list before
 * its last page, the whole is read again in one answer, as client-go's pager does.
 */
export async function listAll(
  cluster: Pick<Cluster, 'list'>,
  path: ResourcePath,
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'signal' | 'timeout' | 'as' | 'withoutManagedFields'>,
  prepare: (object: KubernetesObject) => KubernetesObject = (object) => object,
  pageSize = PAGE_SIZE,
): Promise<WholeList> {
  const items: KubernetesObject[] = [];
  const take = (page: ListPage): void => {
    for (const object of page.items) items.push(prepare(object));
  };
  let page = await cluster.list(path, { ...options, limit: pageSize });
  take(page);
  while (page.continue !== '') {
    try {
      page = await cluster.list(path, { ...options, limit: pageSize, continue: page.continue });
    } catch (error) {
      if (!isExpired(error)) throw error;
      items.length = 0;
      page = await cluster.list(path, options);
    }
    take(page);
  }
  return { items, resourceVersion: page.resourceVersion };
}

/** 410: the server has forgotten the version or the page that it was asked for. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}
