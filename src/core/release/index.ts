export { type DirectiveProblem, type Directives, readDirectives } from './annotations.ts';
export { linesOf, objectsOf, renderRefOf, shortRef } from './canonical.ts';
export { type HistoryRow, rendersToKeep, withAttempt, withResult } from './history.ts';
export type { DeletePolicy, HookPhase, HookUse } from './hook-annotations.ts';
export { compareByKind, isNeverRecreated, isProtected, kindRank, makesRoom } from './kind-order.ts';
export * from './names.ts';
export { type KindLookup, objectName, type ServedKind } from './normalise.ts';
export {
  ANY_RELEASE,
  disownPatch,
  type Owner,
  type Ownership,
  ownerOf,
  ownershipOf,
  releaseIdOf,
  type Sha256,
  selectorOf,
  withOwner,
} from './ownership.ts';
export {
  entriesOfPlan,
  hookRunOf,
  keptFromPruning,
  type Plan,
  type PlannedHook,
  type PlanOptions,
  planOf,
  pruneOrder,
  type Wave,
} from './plan.ts';
export {
  problemText,
  type Render,
  type RenderObject,
  type RenderOptions,
  type RenderProblem,
  renderOf,
  type SourceObject,
  storedRender,
} from './render.ts';
export { readRenderSecrets, renderSecretName, renderSecrets, storedRenderRef } from './render-store.ts';
