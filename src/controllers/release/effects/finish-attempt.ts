import type { InventoryEntry } from '../../../core/api/index.ts';
import {
  attemptFailed,
  attemptSucceeded,
  type Failure,
  healthRecorded,
  healthyFrom,
  type StatusChange,
} from '../../../core/release/attempt/index.ts';
import { entriesOf, isRebuilt, trustedPatch } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import { patchPage } from '../pages.ts';
import type { Visit } from '../visit.ts';
import { prune } from './prune.ts';

/** Prunes what the render has no more, then tells that everything succeeded. Deletes have to be accepted, not to have ended. */
export async function finishAttempt(visit: Visit, leftovers: readonly InventoryEntry[]): Promise<Step> {
  // An inventory that was found again may hold what never was the render's.
  if (leftovers.length > 0 && !isRebuilt(visit.pages)) {
    const pruned = await prune(visit, leftovers, visit.release.spec.syncPolicy.prune, 'PruneFailed');
    if (pruned.kind === 'failed') return pruned;
  }
  // Before the outcome: nobody comes back to it behind that.
  for (const page of visit.pages) {
    const patch = trustedPatch(page);
    if (patch !== undefined) await patchPage(visit, page.metadata.name, patch);
  }
  await visit.writeStatus(succeeded(visit));
  const count = entriesOf(visit.pages).filter(({ hook, prune: gone }) => hook === undefined && gone !== true).length;
  const revision = visit.release.status.lastApplied?.revision ?? '';
  visit.tell('Normal', 'AttemptSucceeded', 'Apply', `applied ${revision}: ${count} objects`);
  return AGAIN;
}

/** The gate of the last wave has mostly seen everything healthy: that is told in the same write, and not in one right behind it. */
function succeeded({ release, pages, now, services }: Visit): StatusChange {
  const change = attemptSucceeded(release, now);
  const after = { ...release, status: { ...release.status, ...change.status } };
  const from = healthyFrom({ release: after, entries: entriesOf(pages), now: services.clock.now() });
  if (from === undefined || from > services.clock.now()) return change;
  return { status: healthRecorded(after, now).status, report: change.report };
}

export async function failAttempt(visit: Visit, outcome: Failure, message: string): Promise<Step> {
  await visit.writeStatus(attemptFailed(visit.release, outcome, message, visit.now));
  visit.tell('Warning', outcome, 'Apply', message);
  return AGAIN;
}
