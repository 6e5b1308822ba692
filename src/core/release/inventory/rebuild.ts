import { ENTRIES_PER_PAGE, ENTRIES_PER_RELEASE, type InventoryEntry } from '../../api/index.ts';
import { asInteger, asString, field, refOf } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { readDirectives } from '../annotations.ts';
import { type Owner, ownershipOf } from '../ownership.ts';
import { entryKey } from './entry.ts';
import { type InventoryOwner, newPage, pageName } from './pages.ts';

/** An object that the release label found on the cluster. */
export interface FoundObject {
  readonly object: KubernetesObject;
  /** Plural resource name. */
  readonly resource: string;
}

/**
 * The pages of an inventory that was lost, made from what carries the release label on the cluster; each is marked `rebuilt`. What does
 * not carry our release-id is left out: the Secrets of stored renders have the label too. No renderRef is known: behind an attempt that
 * has succeeded the entries of its render are written anew, else the next attempt applies everything.
 */
export function rebuiltPages(
  inventory: InventoryOwner,
  owner: Owner,
  found: readonly FoundObject[],
): readonly { readonly name: string; readonly object: KubernetesObject }[] {
  const entries = new Map<string, InventoryEntry>();
  for (const { object, resource } of found) {
    if (ownershipOf(object, owner) !== 'ours') continue;
    const entry = foundEntry(object, resource);
    entries.set(entryKey(entry), entry);
  }
  const all = [...entries.values()].slice(0, ENTRIES_PER_RELEASE);
  const count = Math.max(1, Math.ceil(all.length / ENTRIES_PER_PAGE));
  return Array.from({ length: count }, (_, index) => ({
    name: pageName(inventory, index + 1),
    object: newPage(inventory, index + 1, all.slice(index * ENTRIES_PER_PAGE, (index + 1) * ENTRIES_PER_PAGE), {
      rebuilt: true,
    }),
  }));
}

function foundEntry(object: KubernetesObject, resource: string): InventoryEntry {
  const { group, version, kind, namespace, name } = refOf(object);
  const directives = readDirectives(object);
  const read = 'problem' in directives ? undefined : directives;
  const hook = read?.hooks[0]?.phase;
  return {
    group,
    kind,
    namespace,
    name,
    version,
    resource,
    wave: read?.wave ?? 0,
    ...(hook === undefined ? {} : { hook }),
    uid: asString(field(object['metadata'], 'uid')),
    generation: Number(asInteger(field(object['metadata'], 'generation')) ?? 0),
  };
}
