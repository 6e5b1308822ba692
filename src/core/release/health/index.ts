export { assessEntry, type EntryInput, type EntryPolicy } from './assess-entry.ts';
export { type HealthEvent, healthEvent } from './health-event.ts';
export type { CannotAssess, CannotAssessReason, HealthyCondition } from './healthy-condition.ts';
export { healthyStatus } from './healthy-status.ts';
export { hookResult, isRunningHook, readsHook, showsEnd } from './hook-result.ts';
export type { Look, ReadFault } from './look.ts';
export { type EntryFields, type Finding, observedFields } from './observed-fields.ts';
export {
  concludePass,
  deadlineOf,
  type EntryResult,
  entryDeadline,
  isAssessable,
  isConfigured,
  isRead,
  type PassInput,
  type PassMemory,
  type PassOutcome,
} from './pass.ts';
export { differs, type Projection, projectionFor } from './projection.ts';
export { apiVersionOf, releaseRules } from './release-rules.ts';
export { type LabelledSet, selectSets } from './select-rules.ts';
export type { SyncOccasion } from './sync-occasions.ts';
