import { readMetadata } from '../../../core/api/index.ts';
import { asTime } from '../../../core/object/fields.ts';
import { makesRoom, type RenderObject } from '../../../core/release/index.ts';
import { entriesOf, entryKey } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step, wait } from '../failures.ts';
import type { Visit } from '../visit.ts';
import { AppliedBatch } from './applied-batch.ts';
import { applyObject, dryRun, type Prepared, prepare } from './apply-object.ts';
import { madeRoom } from './made-room.ts';

/** ms between two looks at what somebody else has to bring about: a name that becomes free, a definition that is established. */
const OTHERS = 500;
/** Reads and dry runs of one stage at once. */
const AT_ONCE = 8;

/** Applies the objects of a wave that were not applied in this attempt, stage by stage. */
export async function applyWave(visit: Visit, wave: number): Promise<Step> {
  const stages = visit.plan?.plan.waves.find((one) => one.wave === wave)?.stages ?? [];
  for (const stage of stages) {
    const step = await applyStage(visit, stage);
    if (step.kind !== 'again') return step;
  }
  return AGAIN;
}

async function applyStage(visit: Visit, stage: readonly RenderObject[]): Promise<Step> {
  const due = unapplied(visit, stage);
  if (due.length > 0) {
    const prepared = await inParallel(due, (object) => prepare(visit, object));
    const blocked = prepared.find((one): one is Exclude<Prepared, { kind: 'ready' }> => one.kind !== 'ready');
    if (blocked?.kind === 'failed') return blocked;
    if (blocked !== undefined) return wait(OTHERS);
    const ready = prepared.filter((one) => one.kind === 'ready');
    // All or nothing: one object that the server refuses keeps the others from being applied.
    if (ready.length > 1) {
      const refused = (await inParallel(ready, (one) => dryRun(visit, one))).find((step) => step.kind === 'failed');
      if (refused !== undefined) return refused;
    }
    const step = await applyAll(visit, ready);
    if (step.kind !== 'again') return step;
  }
  return makesRoomForOthers(stage) && !(await madeRoom(visit, stage)) ? wait(OTHERS) : AGAIN;
}

function makesRoomForOthers(stage: readonly RenderObject[]): boolean {
  return stage.some(({ ref }) => makesRoom(ref));
}

async function applyAll(visit: Visit, ready: readonly Extract<Prepared, { kind: 'ready' }>[]): Promise<Step> {
  const batch = new AppliedBatch(visit);
  try {
    for (const one of ready) {
      const applied = await applyObject(visit, one);
      if (applied.kind !== 'applied') return applied;
      await batch.add(one.rendered, one.live, applied.object);
      // A long wave does not go on with what is wanted no more; the next visit goes on where this one stopped if it still is.
      if (isOutdated(visit)) return wait(0);
    }
    return AGAIN;
  } finally {
    // Whatever ended the walk: what was applied is told.
    await batch.flush();
  }
}

/** Somebody has changed the spec since this visit read it, or the Release is being deleted. A cache that lags behind says no. */
function isOutdated({ release, services }: Visit): boolean {
  const { namespace, name, uid, generation } = release.metadata;
  const cached = services.releases.get(namespace, name);
  if (cached === undefined) return false;
  const now = readMetadata(cached);
  return now.uid === uid && now.generation > generation;
}

/** By the inventory, so that a restart goes on where the last process stopped. */
function unapplied(visit: Visit, stage: readonly RenderObject[]): readonly RenderObject[] {
  const { lastAttempted } = visit.release.status;
  const begun = asTime(lastAttempted?.time) ?? 0;
  const entries = new Map(entriesOf(visit.pages).map((entry) => [entryKey(entry), entry]));
  return stage.filter(({ ref }) => {
    const entry = entries.get(entryKey(ref));
    return entry?.renderRef !== lastAttempted?.renderRef || (asTime(entry?.appliedAt) ?? 0) < begun;
  });
}

/** Results in the order of the items; the first throw is thrown when all that had begun have ended. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const settled = await Promise.allSettled(items.slice(start, start + AT_ONCE).map(work));
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      results.push(one.value);
    }
  }
  return results;
}
