import type { ReleaseInventory } from '../../api/index.ts';
import type { EntryIdentity } from './entry.ts';

/** RFC 6902, as far as it is used here. */
export type PatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * A patch of one page. The API server answers 422 when one of its tests fails: the page was read before another writer moved its
 * entries, or the page is another one of the same name. Read again and decide again.
 */
export type PagePatch = readonly PatchOperation[];

const IDENTITY = ['group', 'kind', 'namespace', 'name'] as const satisfies readonly (keyof EntryIdentity)[];

export function entryPath(index: number, field?: string): string {
  return field === undefined ? `/spec/entries/${index}` : `/spec/entries/${index}/${field}`;
}

/** The page is the one that was read. */
export function testOfPage(page: ReleaseInventory): PatchOperation {
  return { op: 'test', path: '/metadata/uid', value: page.metadata.uid };
}

/** The entry still stands where it was read. */
export function testsOfEntry(index: number, entry: EntryIdentity): readonly PatchOperation[] {
  return IDENTITY.map((name) => ({ op: 'test', path: entryPath(index, name), value: entry[name] }));
}

/** Operations that make the named fields of an entry what they should be; none for a field that is that already. */
export function writesOfFields(
  index: number,
  known: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): readonly PatchOperation[] {
  return Object.entries(wanted).flatMap(([name, value]): readonly PatchOperation[] => {
    if (known[name] === value) return [];
    const path = entryPath(index, name);
    return value === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value }];
  });
}
