export {
  type CompileOptions,
  type CompileResult,
  createEnvironment,
  type Environment,
  type EnvironmentOptions,
  type EnvironmentVersion,
} from './environment.ts';
export { CelError, type CelErrorCode, isCelError } from './error.ts';
export type { Explanation, Step } from './explain/step-recorder.ts';
export type { Issue, IssueCode, TextEdit } from './issue.ts';
export { fromJs, parseJson, toJs } from './json.ts';
export { Budget, type Limits } from './limits.ts';
export type { Path, PathSet } from './paths/path-trie.ts';
export type { Bindings, Program, RunOptions } from './program.ts';
export type { Ast } from './syntax/ast.ts';
export type { TypeSpec } from './type-spec.ts';
export type { FunctionDecl } from './user-function.ts';
export { CelObject } from './value/cel-object.ts';
export { CelType } from './value/cel-type.ts';
export {
  CelDouble,
  CelDuration,
  CelOpaque,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './value/cel-value.ts';
export { CelMap } from './value/map.ts';
export { shortValue } from './value/short-value.ts';
