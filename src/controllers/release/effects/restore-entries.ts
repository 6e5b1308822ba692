import { asString, field } from '../../../core/object/fields.ts';
import { paceOf } from '../../../core/release/attempt/index.ts';
import { type ControllerChange, countsForHealth, entriesOf, planPages } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step, wait } from '../failures.ts';
import { attemptPlan, renderOfRef } from '../observe.ts';
import { changeEntries, writePages } from '../pages.ts';
import type { Visit } from '../visit.ts';
import { read } from './prune.ts';

/**
 * Entries of the render that runs were lost: they are written as they stood behind their apply. Nothing is applied: what differs on
 * the cluster is drift, and what is gone is found missing.
 */
export async function restoreEntries(visit: Visit): Promise<Step> {
  const { lastAttempted, lastApplied } = visit.release.status;
  const { renderRef = '', attempt = 1, time = '' } = lastAttempted ?? {};
  const render = await renderOfRef(visit, renderRef);
  if (render === undefined) return wait(paceOf(visit.release).retryInterval);
  const plan = attemptPlan(render, { attempt, appliedBefore: lastApplied !== undefined });
  const objects = plan.entries.filter(({ hook }) => hook === undefined);
  // Which hooks ran is what the inventory says, and no business of the render that runs.
  const hooks = entriesOf(visit.pages).filter(({ hook, prune }) => hook !== undefined && prune !== true);
  const { namespace, name, uid } = visit.release.metadata;
  await writePages(visit, planPages({ namespace, name, uid }, visit.pages, [...objects, ...hooks]));
  const lost = entriesOf(visit.pages).filter((entry) => countsForHealth(entry) && entry.renderRef !== renderRef);
  const changes: ControllerChange[] = [];
  for (const entry of lost) {
    const live = entry.uid === undefined ? await read(visit, entry) : undefined;
    const generation = Number(field(live?.['metadata'], 'generation') ?? 0);
    const found = live === undefined ? {} : { uid: asString(field(live['metadata'], 'uid')), generation };
    changes.push({ entry, set: { renderRef, appliedAt: time, ...found } });
  }
  await changeEntries(visit, changes);
  visit.tell(
    'Warning',
    'EntriesRestored',
    'Restore',
    `${lost.length} entries of the inventory were lost and are written anew`,
  );
  return AGAIN;
}
