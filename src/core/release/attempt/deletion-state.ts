import type { InventoryEntry } from '../../api/index.ts';
import { asTime } from '../../object/fields.ts';
import type { HookPhase } from '../hook-annotations.ts';
import { ORPHAN, RELEASE_FINALIZER, SKIP_HOOKS } from '../names.ts';
import { pruneOrder } from '../plan.ts';
import { paceOf, retryDelay } from './back-off.ts';
import { hookProgress, hookTitle } from './hook-progress.ts';
import type { Observed } from './observed.ts';
import type { State } from './state.ts';

/** The next step of a Release that is being deleted: hooks, objects in reverse, hooks, finalizers. */
export function deletionState(observed: Observed): State {
  const { release, pages, entries, namespaceTerminating, targetLost } = observed;
  const { annotations, finalizers } = release.metadata;
  if (!finalizers.includes(RELEASE_FINALIZER)) return { kind: 'Settled', until: Number.POSITIVE_INFINITY };
  if (targetLost !== '') return { kind: 'Deletable', lost: targetLost };
  // Pages cannot be made in a namespace that goes; they went because their finalizers were taken off behind the last object.
  if (pages.length === 0 && release.status.lastAttempted !== undefined && !namespaceTerminating) {
    return { kind: 'InventoryLost' };
  }
  if (annotations[ORPHAN] === 'true') {
    return entries.length > 0 ? { kind: 'Orphaning', entries } : { kind: 'Deletable', lost: '' };
  }
  return (
    hooksState(observed, 'preDelete') ??
    objectsState(entries.filter(({ hook }) => hook === undefined)) ??
    hooksState(observed, 'postDelete') ??
    objectsState(entries, true) ?? { kind: 'Deletable', lost: '' }
  );
}

/** Undefined: nothing of the phase is left to do. */
function hooksState(observed: Observed, phase: HookPhase & ('preDelete' | 'postDelete')): State | undefined {
  const { release, plan, namespaceTerminating, entries, now } = observed;
  const { metadata, status } = release;
  if (plan === undefined || namespaceTerminating || metadata.annotations[SKIP_HOOKS] === 'true') return undefined;
  const progress = hookProgress(plan.plan.hooks[phase], status.hooks ?? [], entries);
  const until = Number.POSITIVE_INFINITY;
  switch (progress.kind) {
    case 'done':
      return undefined;
    case 'due':
      return { kind: 'HookDue', hook: progress.hook, until };
    case 'running':
      return { kind: 'HookRunning', hook: progress.hook, until };
    case 'ended':
      return { kind: 'HookEnded', hook: progress.hook, succeeded: progress.succeeded, message: progress.message };
    default: {
      const { hook, row } = progress;
      const { retryInterval } = paceOf(release);
      const failures = (status.lastAttempted?.failures ?? 0) + 1;
      const again = Math.min(asTime(row.completedAt) ?? now, now) + retryDelay(retryInterval, failures);
      if (again <= now) return { kind: 'DeletionHookRetried', hook };
      return { kind: 'DeletionBackingOff', hook: hookTitle(hook), message: row.message ?? '', until: again };
    }
  }
}

/** One wave after the other, so that what an object needs to go in peace goes behind it. */
function objectsState(entries: readonly InventoryEntry[], hooks = false): State | undefined {
  if (entries.length === 0) return undefined;
  const highest = Math.max(...entries.map(({ wave }) => wave));
  return { kind: 'ObjectsLeft', entries: pruneOrder(entries.filter(({ wave }) => wave === highest)), hooks };
}
