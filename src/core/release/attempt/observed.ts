import type { InventoryEntry, Release, ReleaseInventory } from '../../api/index.ts';
import type { PlannedEntry } from '../inventory/index.ts';
import type { Plan } from '../plan.ts';
import type { Dependencies } from './dependencies.ts';
import type { SyncReason } from './sync-request.ts';

/** A render that can be applied without its source. */
export interface StoredRender {
  readonly renderRef: string;
  /** What a person calls it. */
  readonly revision: string;
  /** Digests of the inputs that gave it. */
  readonly inputs: readonly string[];
}

/**
 * What is known of the source:
 * - `due` nothing, or nothing that still counts
 * - `read` its inputs have this digest
 * - `failed` it could not be read, or not rendered: it is tried again at `retryAt` (ms since 1970)
 */
export type SourceFacts =
  | { readonly kind: 'due' }
  | { readonly kind: 'read'; readonly inputs: string; readonly revision: string; readonly nextAt: number }
  | {
      readonly kind: 'failed';
      readonly step: 'SourceFailed' | 'RenderFailed';
      readonly message: string;
      /** Only a change of the source or the spec helps. */
      readonly terminal: boolean;
      readonly retryAt: number;
    };

/** What the attempt that status.lastAttempted speaks of does. */
export interface AttemptPlan {
  readonly renderRef: string;
  readonly plan: Plan;
  /** Objects and hooks, as the inventory is to hold them. */
  readonly entries: readonly PlannedEntry[];
}

/** Everything that the next step is decided by. */
export interface Observed {
  /** ms since 1970. */
  readonly now: number;
  readonly release: Release;
  readonly pages: readonly ReleaseInventory[];
  readonly entries: readonly InventoryEntry[];
  /** Renders that are stored whole. */
  readonly stored: readonly StoredRender[];
  readonly source: SourceFacts;
  readonly dependencies: Dependencies;
  /** Asked for and not yet served, in this process and by annotation. */
  readonly requests: readonly SyncReason[];
  /** Of status.lastAttempted.renderRef; undefined: not read, or not stored any more. */
  readonly plan: AttemptPlan | undefined;
  /** Whether this reconcile has looked already for objects that are gone. */
  readonly swept: boolean;
  /** While the Release is being deleted: whether its namespace is, too. */
  readonly namespaceTerminating: boolean;
  /** While the Release is being deleted: why its target can never be reached again; '' when it can. */
  readonly targetLost: string;
}
