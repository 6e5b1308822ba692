import type { InventoryEntry } from '../../core/api/index.ts';
import type { RenderObject } from '../../core/release/index.ts';
import type { ObjectPath } from '../../ports/cluster.ts';

export const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const;
export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' } as const;
export const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const;
export const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' } as const;

export function pathOfEntry({ group, version, resource, namespace, name }: InventoryEntry): ObjectPath {
  return { type: { group, version, resource }, namespace, name };
}

export function pathOfRendered({ ref, resource }: Pick<RenderObject, 'ref' | 'resource'>): ObjectPath {
  const { group, version, namespace, name } = ref;
  return { type: { group, version, resource }, namespace, name };
}

/** `Deployment shop/web`, for Events. */
export function titleOf({ kind, namespace, name }: Pick<InventoryEntry, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
