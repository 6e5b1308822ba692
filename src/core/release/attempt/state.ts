import type { InventoryEntry, ReleaseStatus } from '../../api/index.ts';
import type { PageWrite } from '../inventory/index.ts';
import type { PlannedHook } from '../plan.ts';

export type Outcome = NonNullable<NonNullable<ReleaseStatus['lastAttempted']>['outcome']>;
/** Outcomes of which Ready tells the reason. */
export type Failure = Exclude<Outcome, 'Succeeded' | 'Superseded'>;
export type Phase = NonNullable<ReleaseStatus['lastAttempted']>['phase'];

/** Why an attempt begins. */
export type AttemptCause = 'NewRender' | 'Retry' | 'Manual' | 'Rollback' | 'RollbackEnded';

/** Where a Release stands. Each is reached from the API objects alone, so that a process that starts anew goes on. */
export type State =
  // Before anything is done for it.
  /** It has no finalizer of ours. */
  | { readonly kind: 'Unclaimed' }
  /** Somebody deletes a page of its inventory while it lives. */
  | { readonly kind: 'InventoryDying'; readonly pages: readonly string[] }
  /** It was attempted, and its inventory is gone. */
  | { readonly kind: 'InventoryLost' }
  /** Its render runs, and the inventory does not hold all of it. */
  | { readonly kind: 'InventoryIncomplete' }
  // What is asked for.
  /** Nothing but health is looked at. */
  | { readonly kind: 'Suspended' }
  /** What the source says is not known, or no longer. */
  | { readonly kind: 'SourceDue' }
  /** The source could not be read or rendered. */
  | {
      readonly kind: 'SourceBroken';
      readonly reason: 'SourceFailed' | 'RenderFailed';
      readonly message: string;
      readonly terminal: boolean;
      readonly until: number;
    }
  /** Its inputs gave no render yet that is stored. */
  | { readonly kind: 'RenderDue'; readonly inputs: string }
  /** Nobody can roll back to this render: it is not stored. */
  | { readonly kind: 'RollbackImpossible'; readonly renderRef: string }
  /** The source gives what the rollback was not meant for: its annotation has to go. */
  | { readonly kind: 'RollbackOver' }
  /** What it depends on is not ready. */
  | { readonly kind: 'DependenciesWaiting'; readonly message: string }
  /** What it depends on can never be ready. */
  | { readonly kind: 'DependenciesImpossible'; readonly message: string }
  // The attempt.
  /** One is to begin. */
  | {
      readonly kind: 'AttemptDue';
      readonly renderRef: string;
      readonly revision: string;
      readonly cause: AttemptCause;
      /** After a rollback: the render that is kept out. */
      readonly holdFrom: string | undefined;
    }
  /** A new render waits for a hook of the old attempt that still runs. */
  | { readonly kind: 'HookOutlasts'; readonly hook: string; readonly until: number }
  /** The render that is being applied is not stored any more. */
  | { readonly kind: 'RenderLost'; readonly renderRef: string }
  /** The inventory does not hold the plan. */
  | { readonly kind: 'PlanUnwritten'; readonly writes: readonly PageWrite[] }
  /** A hook is next. */
  | { readonly kind: 'HookDue'; readonly hook: PlannedHook; readonly until: number }
  /** A hook runs. */
  | { readonly kind: 'HookRunning'; readonly hook: PlannedHook; readonly until: number }
  /** A hook has ended, and the status does not tell it. */
  | { readonly kind: 'HookEnded'; readonly hook: PlannedHook; readonly succeeded: boolean; readonly message: string }
  /** What belongs to a phase is done. */
  | { readonly kind: 'PhaseDone'; readonly next: Phase; readonly wave: number | undefined }
  /** Objects of a wave are not applied in this attempt. */
  | { readonly kind: 'WaveUnapplied'; readonly wave: number; readonly until: number }
  /** A wave is not healthy yet. */
  | {
      readonly kind: 'GateClosed';
      readonly wave: number | 'all';
      readonly waitingFor: readonly InventoryEntry[];
      readonly until: number;
    }
  /** The attempt is to end as failed. */
  | { readonly kind: 'AttemptFailing'; readonly outcome: Failure; readonly message: string }
  /** All is done but what the render has no more, if there is anything. */
  | { readonly kind: 'AttemptDone'; readonly leftovers: readonly InventoryEntry[] }
  // Behind it.
  /** It failed, and is repeated when its time comes, or when somebody asks (`until` undefined). */
  | { readonly kind: 'BackingOff'; readonly until: number | undefined }
  /** Everything is healthy, and lastHealthy does not tell it. */
  | { readonly kind: 'HealthUnrecorded' }
  /** Objects that the render has no more may be gone by now, or are still to be deleted. */
  | { readonly kind: 'Sweeping'; readonly entries: readonly InventoryEntry[] }
  /** Somebody saw drift that is to be corrected. */
  | { readonly kind: 'DriftReported' }
  /** Renders are stored that nobody can come back to. */
  | { readonly kind: 'RendersUnneeded'; readonly renderRefs: readonly string[] }
  /** Nothing is to be done before `until`. */
  | { readonly kind: 'Settled'; readonly until: number }
  // Its deletion.
  /** Its objects stay: they only have to be told so. */
  | { readonly kind: 'Orphaning'; readonly entries: readonly InventoryEntry[] }
  /** A hook of the deletion failed and is repeated later. */
  | { readonly kind: 'DeletionBackingOff'; readonly hook: string; readonly message: string; readonly until: number }
  /** A hook of the deletion failed, and its time has come again. */
  | { readonly kind: 'DeletionHookRetried'; readonly hook: PlannedHook }
  /** Objects have to go: those of the highest wave that has any. */
  | { readonly kind: 'ObjectsLeft'; readonly entries: readonly InventoryEntry[]; readonly hooks: boolean }
  /** Nothing is left but the finalizers. `lost`: why objects stay that nobody can reach; '' when none does. */
  | { readonly kind: 'Deletable'; readonly lost: string };
