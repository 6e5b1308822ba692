import type { InventoryEntry } from '../../api/index.ts';
import { field } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { type Owner, ownershipOf, releaseIdOf } from '../ownership.ts';
import { keptFromPruning } from '../plan.ts';

/**
 * What becomes of an object that is not wanted any more:
 * - `delete` it goes
 * - `terminating` it goes already
 * - `keep` it stays, and is no longer ours; `why` says who wants that
 * - `foreign` it was never ours, or is not any more: only the entry goes
 */
export type Fate =
  | { readonly kind: 'delete' | 'terminating' }
  | { readonly kind: 'keep' | 'foreign'; readonly why: string };

/** Decides by the live object: what its annotations say now counts, whatever the render said once. */
export function fateOf(
  entry: Pick<InventoryEntry, 'group' | 'kind' | 'hook'>,
  live: KubernetesObject,
  owner: Owner,
  prune: boolean,
): Fate {
  if (ownershipOf(live, owner) !== 'ours') {
    const other = releaseIdOf(live);
    return { kind: 'foreign', why: other === '' ? 'it carries no release-id' : `it belongs to ${other}` };
  }
  if (isTerminating(live)) return { kind: 'terminating' };
  const kept = keptFromPruning(live, entry);
  if (kept !== undefined) return { kind: 'keep', why: kept };
  return prune ? { kind: 'delete' } : { kind: 'keep', why: 'spec.syncPolicy.prune is false' };
}

export function isTerminating(live: KubernetesObject): boolean {
  return field(live['metadata'], 'deletionTimestamp') !== undefined;
}
