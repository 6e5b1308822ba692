import { type InventoryEntry, RELEASES } from '../../../core/api/index.ts';
import { asList, asString, asTime, field, refOf } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { type Failure, fateOf, progressing } from '../../../core/release/attempt/index.ts';
import { CONTROLLER_MANAGER, disownPatch, ownershipOf } from '../../../core/release/index.ts';
import type { ControllerChange } from '../../../core/release/inventory/index.ts';
import type { ObjectPath } from '../../../ports/cluster.ts';
import { ApiError } from '../../../ports/errors.ts';
import { AGAIN, failureAt, isImpossibleName, isNotFound, type Step, wait } from '../failures.ts';
import { changeEntries } from '../pages.ts';
import { pathOfEntry, titleOf } from '../paths.ts';
import type { Visit } from '../visit.ts';

/** Objects that a message names. */
const MOST_NAMED = 3;

/** What a walk over entries came to: those that are done with, and how many are still on the cluster. */
interface Walk {
  readonly done: readonly ControllerChange[];
  readonly going: readonly KubernetesObject[];
}

/** Deletes the objects of entries, in their order; entries of which nothing is left, or that stay as nobody's, go. */
export async function prune(
  visit: Visit,
  entries: readonly InventoryEntry[],
  mayDelete: boolean,
  outcome: Failure,
): Promise<Step | { readonly kind: 'going'; readonly objects: readonly KubernetesObject[] }> {
  const done: ControllerChange[] = [];
  const going: KubernetesObject[] = [];
  for (const entry of entries) {
    try {
      const walked = await pruneOne(visit, entry, mayDelete);
      done.push(...walked.done);
      going.push(...walked.going);
    } catch (error) {
      const ref = { ...entry };
      const { message } = failureAt(ref, error);
      await changeEntries(visit, done);
      return { kind: 'failed', outcome, message };
    }
  }
  await changeEntries(visit, done);
  return going.length === 0 ? AGAIN : { kind: 'going', objects: going };
}

async function pruneOne(visit: Visit, entry: InventoryEntry, mayDelete: boolean): Promise<Walk> {
  const { cluster } = await visit.target();
  const gone: Walk = { done: [{ entry, remove: true }], going: [] };
  const live = await read(visit, entry);
  if (live === undefined) return gone;
  const fate = fateOf(entry, live, visit.owner, mayDelete);
  switch (fate.kind) {
    case 'terminating':
      return (await waitsForUs(visit, entry)) ? gone : { done: [], going: [live] };
    case 'foreign':
      visit.tell('Warning', 'PruneSkipped', 'Prune', `${titleOf(entry)} stays: ${fate.why}`);
      return gone;
    case 'keep':
      await disownOne(visit, entry, live);
      visit.tell('Normal', 'PruneSkipped', 'Prune', `${titleOf(entry)} stays and is no longer managed: ${fate.why}`);
      return gone;
    case 'delete': {
      const uid = asString(field(live['metadata'], 'uid'));
      try {
        await cluster.delete(await servedPath(visit, entry), { uid, propagation: 'Background' });
        visit.tell('Normal', 'Pruned', 'Prune', titleOf(entry));
      } catch (error) {
        if (isNotFound(error)) return gone;
        // Another object has taken the name: the next walk decides about that one.
        if (!(error instanceof ApiError && error.code === 409)) throw error;
      }
      const after = await read(visit, entry);
      return after === undefined || (await waitsForUs(visit, entry)) ? gone : { done: [], going: [after] };
    }
  }
}

/** The namespace of the Release, or the Release itself: it goes when the Release has gone, and not before. */
async function waitsForUs(visit: Visit, { group, kind, namespace, name }: InventoryEntry): Promise<boolean> {
  const { metadata } = visit.release;
  const isOurs =
    (group === '' && kind === 'Namespace' && name === metadata.namespace) ||
    (group === RELEASES.group && kind === 'Release' && namespace === metadata.namespace && name === metadata.name);
  return isOurs && (await visit.target()).home;
}

export async function read(visit: Visit, entry: InventoryEntry): Promise<KubernetesObject | undefined> {
  const { cluster } = await visit.target();
  try {
    return await cluster.get(await servedPath(visit, entry), { signal: visit.signal });
  } catch (error) {
    // A kind that is served no more has no objects, and a page that somebody edited may hold any name.
    if (isNotFound(error) || isImpossibleName(error)) return undefined;
    throw error;
  }
}

async function disownOne(visit: Visit, entry: InventoryEntry, live: KubernetesObject): Promise<void> {
  const { cluster } = await visit.target();
  try {
    await cluster.patch(await servedPath(visit, entry), 'merge', disownPatch(live), {
      fieldManager: CONTROLLER_MANAGER,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The version of an entry may be served no more, while its object is there in another. */
async function servedPath(visit: Visit, entry: InventoryEntry): Promise<ObjectPath> {
  const { cluster } = await visit.target();
  const { group, kind, version } = entry;
  const path = pathOfEntry(entry);
  if ((await cluster.discovery.kind(group, kind, version)) !== undefined) return path;
  const other = await cluster.discovery.kind(group, kind);
  return other === undefined ? path : { ...path, type: other };
}

/** Lets objects stay, as nobody's. */
export async function disown(visit: Visit, entries: readonly InventoryEntry[]): Promise<Step> {
  const done: ControllerChange[] = [];
  for (const entry of entries) {
    const live = await read(visit, entry);
    if (live !== undefined && ownershipOf(live, visit.owner) === 'ours') await disownOne(visit, entry, live);
    done.push({ entry, remove: true });
  }
  await changeEntries(visit, done);
  visit.tell('Normal', 'Orphaned', 'Delete', `${entries.length} objects stay and are no longer managed`);
  return AGAIN;
}

/** Behind an attempt that succeeded: entries whose objects are gone by now go, and what is still wanted to go is deleted. */
export async function sweep(visit: Visit, entries: readonly InventoryEntry[]): Promise<Step> {
  visit.swept = true;
  const pruned = await prune(visit, entries, visit.release.spec.syncPolicy.prune, 'PruneFailed');
  if (pruned.kind === 'failed') visit.tell('Warning', 'PruneFailed', 'Prune', pruned.message);
  return AGAIN;
}

/** Deletes the objects of a Release that goes, and waits until they are gone. */
export async function deleteObjects(visit: Visit, entries: readonly InventoryEntry[]): Promise<Step> {
  const pruned = await prune(visit, entries, true, 'PruneFailed');
  if (pruned.kind !== 'going') return pruned;
  await visit.writeReport(progressing(goingText(pruned.objects)));
  const oldest = Math.min(...pruned.objects.map((live) => deletedAt(live) ?? visit.services.clock.now()));
  const since = visit.services.clock.now() - oldest;
  // Often at first; an object that somebody's finalizer holds is not asked for every second for days.
  return wait(Math.min(Math.max(since / 4, 500), 30_000));
}

/** What a deletion waits for, and who can mend it when that takes long. */
function goingText(objects: readonly KubernetesObject[]): string {
  const shown = objects.slice(0, MOST_NAMED).map((live) => {
    const { kind, namespace, name } = refOf(live);
    const finalizers = asList(field(live['metadata'], 'finalizers')).map(asString);
    const held = finalizers.length === 0 ? '' : `, which has the finalizer ${finalizers.join(', ')}`;
    return `${titleOf({ kind, namespace, name })} to go${held}`;
  });
  const more = objects.length > shown.length ? `; and ${objects.length - shown.length} more` : '';
  return `waiting for ${shown.join('; ')}${more}`;
}

function deletedAt(live: KubernetesObject): number | undefined {
  return asTime(field(live['metadata'], 'deletionTimestamp'));
}
