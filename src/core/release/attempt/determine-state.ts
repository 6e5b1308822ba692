import type { ReleaseStatus } from '../../api/index.ts';
import { INVENTORY_FINALIZER, RELEASE_FINALIZER, ROLLBACK_TO } from '../names.ts';
import { paceOf, retryAt, timeoutAt, waitsForRecovery } from './back-off.ts';
import { deletionState } from './deletion-state.ts';
import { hookTitle } from './hook-progress.ts';
import { idleState, upkeepState } from './idle-state.ts';
import type { Observed, StoredRender } from './observed.ts';
import { runningState } from './running-state.ts';
import type { AttemptCause, State } from './state.ts';

type Attempt = NonNullable<ReleaseStatus['lastAttempted']>;

/** Where the Release stands. The first question that has an answer decides; what is looked at is never changed. */
export function determineState(observed: Observed): State {
  const { metadata, spec } = observed.release;
  if (metadata.deletionTimestamp !== '') return deletionState(observed);
  if (!metadata.finalizers.includes(RELEASE_FINALIZER)) return { kind: 'Unclaimed' };
  const inventory = inventoryState(observed);
  if (inventory !== undefined) return inventory;
  const state: State = spec.suspend ? { kind: 'Suspended' } : activeState(observed);
  return WAITING.has(state.kind) ? (upkeepState(observed) ?? state) : state;
}

/** States in which nothing can be done but to wait: what runs is kept up meanwhile. */
const WAITING: ReadonlySet<State['kind']> = new Set<State['kind']>([
  'Suspended',
  'SourceBroken',
  'RollbackImpossible',
  'DependenciesWaiting',
  'DependenciesImpossible',
  'HookOutlasts',
  'HookRunning',
  'GateClosed',
]);

/** An inventory that is going or gone comes first: all that is decided later is decided by it. */
function inventoryState({ release, pages }: Observed): State | undefined {
  const dying = pages.filter(({ metadata }) => metadata.deletionTimestamp !== '');
  if (dying.length > 0) return { kind: 'InventoryDying', pages: dying.map(({ metadata }) => metadata.name) };
  const open = pages.find(({ metadata }) => !metadata.finalizers.includes(INVENTORY_FINALIZER));
  if (open !== undefined) return { kind: 'InventoryDying', pages: [open.metadata.name] };
  const { lastAttempted } = release.status;
  // The pages of the first attempt are written behind its beginning: they cannot be lost before.
  const written =
    (lastAttempted?.attempt ?? 0) > 1 || (release.status.history ?? []).length > 1 || hasEnded(lastAttempted);
  return pages.length === 0 && written ? { kind: 'InventoryLost' } : undefined;
}

function hasEnded(attempt: Attempt | undefined): boolean {
  return attempt?.outcome !== undefined;
}

function activeState(observed: Observed): State {
  const attempt = observed.release.status.lastAttempted;
  const running = attempt !== undefined && attempt.outcome === undefined;
  const wanted = wantedRender(observed, running);
  if ('kind' in wanted) return wanted;
  const cause = causeOf(observed, wanted.renderRef, running);
  if (cause !== undefined) {
    const blocked = outlasting(observed, attempt) ?? (running ? undefined : dependencyState(observed));
    // A dependency that is not ready holds the new render back, not the attempt that has begun.
    if (blocked !== undefined) return blocked;
    const { renderRef, revision, holdFrom } = wanted;
    return { kind: 'AttemptDue', renderRef, revision, cause, holdFrom };
  }
  return running ? runningState(observed, attempt) : idleState(observed);
}

interface Wanted {
  readonly renderRef: string;
  readonly revision: string;
  /** Set when it is the render of a rollback: what is kept out. */
  readonly holdFrom: string | undefined;
}

/** The render that is asked for, or why it is not known. Trouble with the source does not stop an attempt that runs. */
function wantedRender(observed: Observed, running: boolean): Wanted | State {
  const { release, source, stored } = observed;
  const { lastAttempted, held } = release.status;
  const rollbackTo = release.metadata.annotations[ROLLBACK_TO] ?? '';
  if (source.kind === 'due') return { kind: 'SourceDue' };
  const fromSource = source.kind === 'read' ? stored.find(({ inputs }) => inputs.includes(source.inputs)) : undefined;
  if (source.kind === 'read' && fromSource === undefined) return { kind: 'RenderDue', inputs: source.inputs };
  if (rollbackTo !== '') return heldRender(observed, rollbackTo, fromSource);
  if (source.kind === 'failed' || fromSource === undefined) {
    const current = stored.find(({ renderRef }) => renderRef === lastAttempted?.renderRef);
    if (running && current !== undefined && held === undefined) return { ...current, holdFrom: undefined };
    return sourceBroken(observed);
  }
  return { ...fromSource, holdFrom: undefined };
}

function sourceBroken({ source, now }: Observed): State {
  if (source.kind !== 'failed') return { kind: 'SourceDue' };
  const { step, message, terminal, retryAt: until } = source;
  if (until <= now) return { kind: 'SourceDue' };
  return { kind: 'SourceBroken', reason: step, message, terminal, until };
}

/** What is rolled back to stays until the source gives something else than what it was rolled back from. */
function heldRender(observed: Observed, rollbackTo: string, fromSource: StoredRender | undefined): Wanted | State {
  const { release, stored } = observed;
  const { held, lastAttempted } = release.status;
  const holds = held?.renderRef === rollbackTo;
  if (fromSource !== undefined && holds && held.from !== fromSource.renderRef) return { kind: 'RollbackOver' };
  // To roll back to what the source gives is to hold nothing out.
  if (fromSource?.renderRef === rollbackTo) return { kind: 'RollbackOver' };
  const target = stored.find(({ renderRef }) => renderRef === rollbackTo);
  if (target === undefined) return { kind: 'RollbackImpossible', renderRef: rollbackTo };
  const from = holds ? held.from : (fromSource?.renderRef ?? held?.from ?? lastAttempted?.renderRef ?? '');
  return { ...target, holdFrom: from };
}

/** Why an attempt is to begin; undefined: none is. These are all the cases there are. */
function causeOf(observed: Observed, renderRef: string, running: boolean): AttemptCause | undefined {
  const { release, requests, now } = observed;
  const { lastAttempted, held } = release.status;
  const rollingBack = (release.metadata.annotations[ROLLBACK_TO] ?? '') !== '';
  if (lastAttempted?.renderRef !== renderRef || (held !== undefined) !== rollingBack) {
    if (rollingBack) return 'Rollback';
    return held === undefined ? 'NewRender' : 'RollbackEnded';
  }
  if (running) return undefined;
  if (requests.includes('Manual')) return 'Manual';
  const failed = lastAttempted.outcome !== undefined && lastAttempted.outcome !== 'Succeeded';
  if (!failed || lastAttempted.phase !== 'Done') return undefined;
  if (requests.includes('Retry')) return 'Retry';
  if (waitsForRecovery(release)) return undefined;
  return retryAt(lastAttempted, paceOf(release), now) <= now ? 'Retry' : undefined;
}

/** A new attempt supersedes the old one at once; only a hook that runs is let finish, for as long as it had time. */
function outlasting(observed: Observed, attempt: Attempt | undefined): State | undefined {
  const { release, entries, now } = observed;
  if (attempt === undefined) return undefined;
  // A syncFail hook has as much time behind the end as the attempt had.
  const until = timeoutAt({ ...attempt, time: attempt.endedAt ?? attempt.time }, paceOf(release), now);
  const row = release.status.hooks?.find(({ state }) => state === 'Running');
  if (row === undefined || until <= now) return undefined;
  const entry = entries.find(
    (one) => one.hook !== undefined && hookTitle({ ref: { ...one } }) === row.name && one.uid === one.assessedUid,
  );
  const ended = entry !== undefined && (entry.state === 'Healthy' || entry.state === 'Degraded');
  return ended ? undefined : { kind: 'HookOutlasts', hook: row.name, until };
}

function dependencyState({ dependencies }: Observed): State | undefined {
  if (dependencies.kind === 'ready') return undefined;
  const { message } = dependencies;
  return dependencies.kind === 'waiting'
    ? { kind: 'DependenciesWaiting', message }
    : { kind: 'DependenciesImpossible', message };
}
