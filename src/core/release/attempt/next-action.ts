import type { InventoryEntry } from '../../api/index.ts';
import { assertNever } from '../../object/assert-never.ts';
import { shortRef } from '../canonical.ts';
import type { PageWrite } from '../inventory/index.ts';
import type { PlannedHook } from '../plan.ts';
import { sourceAt, upkeepAt } from './idle-state.ts';
import type { Observed } from './observed.ts';
import { failed, progressing, type Report, settledReport } from './report.ts';
import type { AttemptCause, Failure, Phase, State } from './state.ts';

/** One step, as data; each kind is performed by a file of its name. */
export type Action =
  /** Write the finalizer. */
  | { readonly kind: 'claim-release' }
  /** Let the pages go and write them anew. */
  | { readonly kind: 'renew-inventory'; readonly pages: readonly string[] }
  /** Find the objects again by their label. */
  | { readonly kind: 'rebuild-inventory' }
  /** Write entries of the render that runs anew: they were lost. */
  | { readonly kind: 'restore-entries' }
  | { readonly kind: 'fetch-source' }
  /** Render, and store what comes out. */
  | { readonly kind: 'render'; readonly inputs: string }
  /** Remove the annotation of the rollback. */
  | { readonly kind: 'end-rollback' }
  | {
      readonly kind: 'begin-attempt';
      readonly renderRef: string;
      readonly revision: string;
      readonly cause: AttemptCause;
      readonly holdFrom: string | undefined;
    }
  | { readonly kind: 'write-inventory'; readonly writes: readonly PageWrite[] }
  | { readonly kind: 'run-hook'; readonly hook: PlannedHook; readonly until: number }
  | { readonly kind: 'record-hook'; readonly hook: PlannedHook; readonly succeeded: boolean; readonly message: string }
  /** Of a deletion: remove what is left of it, so that it runs anew. */
  | { readonly kind: 'retry-hook'; readonly hook: PlannedHook }
  | { readonly kind: 'enter-phase'; readonly phase: Phase; readonly wave: number | undefined }
  | { readonly kind: 'apply-wave'; readonly wave: number; readonly until: number }
  | { readonly kind: 'fail-attempt'; readonly outcome: Failure; readonly message: string }
  /** Prune, then tell that all succeeded. */
  | { readonly kind: 'finish-attempt'; readonly leftovers: readonly InventoryEntry[] }
  | { readonly kind: 'record-health' }
  /** Look which of the deleted objects are gone, and delete what is left. */
  | { readonly kind: 'sweep'; readonly entries: readonly InventoryEntry[] }
  | { readonly kind: 'correct-drift' }
  | { readonly kind: 'collect-renders'; readonly renderRefs: readonly string[] }
  /** Let the objects stay, as nobody's. */
  | { readonly kind: 'disown'; readonly entries: readonly InventoryEntry[] }
  /** Delete the objects and wait until they are gone. */
  | { readonly kind: 'delete-objects'; readonly entries: readonly InventoryEntry[]; readonly hooks: boolean }
  /** Take the finalizers off; `lost`: why objects stay that nobody can reach. */
  | { readonly kind: 'release-finalizers'; readonly lost: string }
  /** Say so, and wait: for an event, or until `until` (ms since 1970, infinite: for an event alone). */
  | { readonly kind: 'hold'; readonly report: Report; readonly until: number };

/** The one step that a state calls for. */
export function nextAction(state: State, observed: Observed): Action {
  switch (state.kind) {
    case 'Unclaimed':
      return { kind: 'claim-release' };
    case 'InventoryDying':
      return { kind: 'renew-inventory', pages: state.pages };
    case 'InventoryLost':
      return { kind: 'rebuild-inventory' };
    case 'InventoryIncomplete':
      return { kind: 'restore-entries' };
    case 'SourceDue':
      return { kind: 'fetch-source' };
    case 'RenderDue':
      return { kind: 'render', inputs: state.inputs };
    case 'RollbackOver':
      return { kind: 'end-rollback' };
    case 'AttemptDue': {
      const { renderRef, revision, cause, holdFrom } = state;
      return { kind: 'begin-attempt', renderRef, revision, cause, holdFrom };
    }
    case 'PlanUnwritten':
      return { kind: 'write-inventory', writes: state.writes };
    case 'HookDue':
      return { kind: 'run-hook', hook: state.hook, until: state.until };
    case 'HookEnded':
      return { kind: 'record-hook', hook: state.hook, succeeded: state.succeeded, message: state.message };
    case 'DeletionHookRetried':
      return { kind: 'retry-hook', hook: state.hook };
    case 'PhaseDone':
      return { kind: 'enter-phase', phase: state.next, wave: state.wave };
    case 'WaveUnapplied':
      return { kind: 'apply-wave', wave: state.wave, until: state.until };
    case 'AttemptFailing':
      return { kind: 'fail-attempt', outcome: state.outcome, message: state.message };
    case 'RenderLost':
      return { kind: 'fail-attempt', outcome: 'ApplyFailed', message: lostRender(state.renderRef) };
    case 'AttemptDone':
      return { kind: 'finish-attempt', leftovers: state.leftovers };
    case 'HealthUnrecorded':
      return { kind: 'record-health' };
    case 'Sweeping':
      return { kind: 'sweep', entries: state.entries };
    case 'DriftReported':
      return { kind: 'correct-drift' };
    case 'RendersUnneeded':
      return { kind: 'collect-renders', renderRefs: state.renderRefs };
    case 'Orphaning':
      return { kind: 'disown', entries: state.entries };
    case 'ObjectsLeft':
      return { kind: 'delete-objects', entries: state.entries, hooks: state.hooks };
    case 'Deletable':
      return { kind: 'release-finalizers', lost: state.lost };
    default:
      return holdIn(state, observed);
  }
}

function lostRender(renderRef: string): string {
  return `the Secrets of render ${shortRef(renderRef)} are gone: it cannot be applied before the source gives it again`;
}

type Waiting = Exclude<State, { readonly kind: ActiveKind }>;
type ActiveKind =
  | 'Unclaimed'
  | 'InventoryDying'
  | 'InventoryLost'
  | 'InventoryIncomplete'
  | 'SourceDue'
  | 'RenderDue'
  | 'RollbackOver'
  | 'AttemptDue'
  | 'PlanUnwritten'
  | 'HookDue'
  | 'HookEnded'
  | 'DeletionHookRetried'
  | 'PhaseDone'
  | 'WaveUnapplied'
  | 'AttemptFailing'
  | 'RenderLost'
  | 'AttemptDone'
  | 'HealthUnrecorded'
  | 'Sweeping'
  | 'DriftReported'
  | 'RendersUnneeded'
  | 'Orphaning'
  | 'ObjectsLeft'
  | 'Deletable';

function holdIn(state: Waiting, observed: Observed): Action {
  const { release, source } = observed;
  const readAt = sourceAt(source);
  const hold = (report: Report, until: number): Action => ({
    kind: 'hold',
    report,
    until: release.metadata.deletionTimestamp === '' ? Math.min(until, upkeepAt(observed)) : until,
  });
  switch (state.kind) {
    case 'Suspended':
      return hold(suspendedReport(observed), Number.POSITIVE_INFINITY);
    case 'SourceBroken':
      return hold(failed(state.reason, state.message, state.terminal), state.until);
    case 'RollbackImpossible':
      return hold(impossibleRollback(state.renderRef, observed), readAt);
    case 'DependenciesWaiting':
      return hold(failed('DependencyNotReady', state.message), readAt);
    case 'DependenciesImpossible':
      return hold(failed('DependencyNotReady', state.message, true), readAt);
    case 'HookOutlasts':
      return hold(
        progressing(`a new render waits for the hook ${state.hook}, which still runs`),
        Math.min(state.until, readAt),
      );
    case 'HookRunning':
      return hold(hookReport(observed, state.hook), Math.min(state.until, readAt));
    case 'GateClosed': {
      const where = state.wave === 'all' ? 'everything' : `wave ${state.wave}`;
      return hold(progressing(`waiting for ${where} to become healthy`), Math.min(state.until, readAt));
    }
    case 'BackingOff':
      return hold(settledReport(release), Math.min(state.until ?? readAt, readAt));
    case 'Settled':
      return hold(settledReport(release), state.until);
    case 'DeletionBackingOff': {
      const why = state.message === '' ? '' : `: ${state.message}`;
      const message = `the hook ${state.hook} of the deletion failed${why}; it is repeated, or left out with the annotation convoy.kumodo.io/skip-hooks: "true"`;
      return hold(failed('HookFailed', message), state.until);
    }
    default:
      return assertNever(state);
  }
}

function suspendedReport({ release }: Observed): Report {
  const attempt = release.status.lastAttempted;
  if (attempt === undefined) return progressing('suspended before its first attempt');
  return attempt.outcome === undefined
    ? progressing(`suspended while applying ${attempt.revision}`)
    : settledReport(release);
}

/** A syncFail hook runs behind the outcome, which stays what Ready tells. */
function hookReport({ release }: Observed, hook: PlannedHook): Report {
  if (hook.phase === 'syncFail') return settledReport(release);
  return progressing(`waiting for the ${hook.phase} hook ${hook.ref.kind} ${hook.ref.name}`);
}

function impossibleRollback(renderRef: string, { stored }: Observed): Report {
  const known = stored.map((one) => `${one.renderRef} (${one.revision})`).slice(0, 5);
  const mend = known.length === 0 ? 'remove the annotation' : `name one of ${known.join(', ')}`;
  return failed('RenderFailed', `render ${renderRef} of the annotation rollback-to is not stored; ${mend}`, true);
}
