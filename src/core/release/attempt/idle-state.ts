import type { ReleaseStatus } from '../../api/index.ts';
import { assertNever } from '../../object/assert-never.ts';
import { asTime } from '../../object/fields.ts';
import { rendersToKeep } from '../history.ts';
import { countsForHealth, entryKey, isRebuilt } from '../inventory/index.ts';
import { paceOf, retryAt, waitsForRecovery } from './back-off.ts';
import { healthyFrom } from './health-record.ts';
import { hookProgress } from './hook-progress.ts';
import type { Observed, SourceFacts } from './observed.ts';
import type { State } from './state.ts';

type Attempt = NonNullable<ReleaseStatus['lastAttempted']>;

/** The first look behind an object that is being deleted, ms; later ones come less and less often. */
const FIRST_SWEEP = 2_000;

/** What is to be done when the last attempt has ended and no other is to begin. */
export function idleState(observed: Observed): State {
  const { release, requests, source, stored, now } = observed;
  const attempt = release.status.lastAttempted;
  if (attempt === undefined) return { kind: 'SourceDue' };
  const failing = attempt.outcome === 'Succeeded' ? undefined : failureState(observed, attempt);
  if (failing !== undefined) return failing;
  const upkeep = upkeepState(observed);
  if (upkeep !== undefined) return upkeep;
  if (requests.includes('Drift') && correctsDrift(observed)) return { kind: 'DriftReported' };
  const wanted = source.kind === 'read' ? stored.find(({ inputs }) => inputs.includes(source.inputs)) : undefined;
  const kept = rendersToKeep(release.status);
  const unneeded = stored
    .map(({ renderRef }) => renderRef)
    .filter((one) => !kept.has(one) && one !== wanted?.renderRef);
  // While the source is not read, the render that it wants next may be any of them.
  if (unneeded.length > 0 && source.kind === 'read') return { kind: 'RendersUnneeded', renderRefs: unneeded };
  if (attempt.outcome !== 'Succeeded') {
    return {
      kind: 'BackingOff',
      until: waitsForRecovery(release) ? undefined : retryAt(attempt, paceOf(release), now),
    };
  }
  return { kind: 'Settled', until: sourceAt(source) };
}

/** When the source is to be asked again, ms since 1970; infinite: at once, which is decided elsewhere. */
export function sourceAt(source: SourceFacts): number {
  switch (source.kind) {
    case 'read':
      return source.nextAt;
    case 'failed':
      return source.retryAt;
    case 'due':
      return Number.POSITIVE_INFINITY;
    default:
      return assertNever(source);
  }
}

function correctsDrift({ release }: Observed): boolean {
  const { lastAttempted } = release.status;
  return release.spec.syncPolicy.drift.mode === 'Correct' && lastAttempted?.outcome === 'Succeeded';
}

/** syncFail hooks run once, behind the outcome; how they end changes nothing but their own row. */
function failureState(observed: Observed, attempt: Attempt): State | undefined {
  const { plan, entries, release, now } = observed;
  if (attempt.phase === 'Done') return undefined;
  const over: State = { kind: 'PhaseDone', next: 'Done', wave: attempt.wave };
  const ended = Math.min(asTime(attempt.endedAt) ?? now, now);
  const until = ended + paceOf(release).timeout;
  if (plan?.renderRef !== attempt.renderRef || until <= now) return over;
  // An attempt that failed before its inventory was written has nothing on the cluster to clean up.
  const known = new Set(entries.map(entryKey));
  const hooks = plan.plan.hooks.syncFail.filter(({ ref }) => known.has(entryKey(ref)));
  const progress = hookProgress(hooks, release.status.hooks ?? [], entries);
  switch (progress.kind) {
    case 'due':
      return { kind: 'HookDue', hook: progress.hook, until };
    case 'running':
      return { kind: 'HookRunning', hook: progress.hook, until };
    case 'ended':
      return { kind: 'HookEnded', hook: progress.hook, succeeded: progress.succeeded, message: progress.message };
    default:
      return over;
  }
}

/** What is kept up whatever else is waited for. */
export function upkeepState(observed: Observed): State | undefined {
  const { release, entries, pages, now, swept } = observed;
  const from = healthyFrom(observed);
  if (from !== undefined && from <= now) return { kind: 'HealthUnrecorded' };
  const going = entries.filter(({ prune }) => prune === true);
  const attempt = release.status.lastAttempted;
  if (attempt?.outcome !== 'Succeeded') return undefined;
  if (going.length > 0 && !swept && !isRebuilt(pages)) return { kind: 'Sweeping', entries: going };
  return isIncomplete(observed, attempt) ? { kind: 'InventoryIncomplete' } : undefined;
}

/** Entries of the render that runs were lost, with a page or with the whole inventory: without them its health is never known. */
function isIncomplete({ entries, stored }: Observed, { renderRef, total }: Attempt): boolean {
  const applied = entries.filter((entry) => countsForHealth(entry) && entry.renderRef === renderRef);
  return applied.length < total && stored.some((one) => one.renderRef === renderRef);
}

/** When `upkeepState` may have something to do without any event, ms since 1970; infinite: never. */
export function upkeepAt(observed: Observed): number {
  const { release, entries, now } = observed;
  const healthy = healthyFrom(observed) ?? Number.POSITIVE_INFINITY;
  const attempt = release.status.lastAttempted;
  if (attempt?.outcome !== 'Succeeded' || !entries.some(({ prune }) => prune === true)) return healthy;
  const since = now - Math.min(asTime(attempt.endedAt) ?? now, now);
  const wait = Math.min(Math.max(since / 2, FIRST_SWEEP), paceOf(release).interval);
  return Math.min(healthy, now + wait);
}
