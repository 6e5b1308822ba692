import {
  type InventoryEntry,
  type Read,
  type Release,
  type ReleaseInventory,
  readInventory,
  readRelease,
} from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { CannotAssess } from '../../core/release/health/index.ts';
import { entriesOf, pagesOf } from '../../core/release/inventory/index.ts';
import { TerminalError } from '../../runtime/controller.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';
import { PAGES_OF_RELEASE } from '../../runtime/inventory-index.ts';
import { keyOf, splitKey } from '../../runtime/object-key.ts';
import type { OwnWrites } from './own-writes.ts';

/** A page, and the object that the cache has of it. */
export interface ObservedPage {
  readonly page: ReleaseInventory;
  readonly cached: KubernetesObject;
}

/** A Release and its inventory as the observer knows them: the caches with its own last writes in them. */
export interface ObservedRelease {
  readonly key: string;
  readonly release: Release;
  readonly cached: KubernetesObject;
  readonly pages: readonly ObservedPage[];
  readonly entries: readonly InventoryEntry[];
  /** A page cannot be read. */
  readonly unreadable: CannotAssess | undefined;
}

/** Writes of Releases and of their pages: one name stands for both. */
export const releaseWrite = (key: string): string => `release ${key}`;
export const pageWrite = (key: string): string => `page ${key}`;

/** Objects in a cache are never changed, so that each is read once. */
const releases = new WeakMap<KubernetesObject, Read<Release>>();
const inventories = new WeakMap<KubernetesObject, Read<ReleaseInventory>>();

function once<T>(
  known: WeakMap<KubernetesObject, T>,
  object: KubernetesObject,
  read: (object: KubernetesObject) => T,
): T {
  let value = known.get(object);
  if (value === undefined) {
    value = read(object);
    known.set(object, value);
  }
  return value;
}

/** Undefined: there is no such Release. Throws a TerminalError for one that does not fit its definition. */
export function observeRelease(
  key: string,
  stores: { readonly releases: ObjectReader; readonly inventories: ObjectReader },
  own: OwnWrites,
): ObservedRelease | undefined {
  const { namespace, name } = splitKey(key);
  const cached = stores.releases.get(namespace, name);
  if (cached === undefined) return undefined;
  const read = once(releases, own.newest(releaseWrite(key), cached), readRelease);
  if ('problem' in read) throw new TerminalError(`Release ${key}: ${read.problem}`);
  const release = read.value;
  const found: ObservedPage[] = [];
  let unreadable: CannotAssess | undefined;
  for (const object of stores.inventories.indexed(PAGES_OF_RELEASE, key)) {
    const page = once(inventories, own.newest(pageWrite(keyOf(object)), object), readInventory);
    if ('value' in page) found.push({ page: page.value, cached: object });
    else {
      const message = `ReleaseInventory ${keyOf(object)}: ${page.problem}`;
      unreadable ??= { reason: 'InventoryUnreadable', message };
    }
  }
  const pages = pagesOf(
    release.metadata,
    found.map(({ page }) => page),
  );
  return {
    key,
    release,
    cached,
    pages: pages.flatMap((page) => found.filter((one) => one.page === page)),
    entries: entriesOf(pages),
    unreadable,
  };
}
