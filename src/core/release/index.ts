export { type DirectiveProblem, type Directives, readDirectives } from './annotations.ts';
export type { DeletePolicy, HookPhase, HookUse } from './hook-annotations.ts';
export * from './names.ts';
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
