import type { CelError } from './error.ts';
import type { CompiledRegex } from './regex/compiled-regex.ts';
import type { FormatStyle } from './text/format.ts';
import type { CelType } from './value/cel-type.ts';
import type { CelResult, CelValue } from './value/cel-value.ts';

/** What a library function may ask of the evaluation it runs in. */
export interface CallContext {
  /** Counts steps of a built-in loop; throws the abort of `work_limit` when there were too many. */
  work(steps: number): void;
  /** A compiled pattern, from the environment's cache; `invalid_regex` when it is none. */
  regex(pattern: string): CompiledRegex | CelError;
  /** Profile `spec`: the strict answers of the CEL specification where cel-go departs from it. */
  readonly strict: boolean;
}

/**
 * Units of cost of one call, its arguments apart. Called after the call, with its result and arguments (errors among them
 * have size 1), so that a rule can use the sizes of both.
 */
export type CostRule = (result: CelResult, a: CelResult, b: CelResult, c: CelResult) => number;

/**
 * One typed form of a function. `params` hold the receiver first when `member`. `impl` is called only with values that fit
 * `params`; it returns an error value, never throws (a throw becomes `function_threw`).
 */
export interface Overload {
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** `never[]`: a function of any parameter types fits; the dispatcher has checked the values. */
  readonly impl: (context: CallContext, ...args: never[]) => CelValue | CelError;
  /** The rule that applies when the checker left only this overload. */
  readonly cost?: CostRule;
  /** False keeps a call of it from being folded at compile time (user functions that are not marked pure). Default true. */
  readonly pure?: boolean;
}

/** All overloads of one name. `cost` applies by name, whatever overloads remain (the Kubernetes libraries' way). */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly cost?: CostRule | undefined;
  /** One sentence; of the caller's own functions only. The libraries' are in `describe/tables`. */
  readonly doc?: string;
  /** Of the function `format` only: which style its clauses follow. */
  readonly formatStyle?: FormatStyle | undefined;
}

/** One library at one version. */
export interface Library {
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  /** Type names the library makes known, e.g. net.IP. */
  readonly types?: readonly CelType[];
  /** Names of macros it turns on; see `syntax/macros.ts`. */
  readonly macros?: readonly string[];
}

/** What parser and checker need to know of an environment. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: ReadonlyMap<string, CelType>;
  readonly macros: ReadonlySet<string>;
  readonly container: string;
  readonly quotedFields: boolean;
  readonly homogeneousLiterals: boolean;
  /** Refuse bad constant arguments of duration, timestamp, format at compile time. */
  readonly validateLiterals: boolean;
  /** Refuse bad constant patterns of matches, find and findAll at compile time. */
  readonly validatePatterns: boolean;
  /** Profile `spec`. */
  readonly strict: boolean;
  readonly limits: SyntaxLimits;
}

export interface SyntaxLimits {
  /** Nesting of brackets and operators, default 250 (cel-go's). */
  readonly depth: number;
  /** Code points, default 100,000 (cel-go's). */
  readonly expressionLength: number;
  /** AST nodes, default 50,000. */
  readonly nodes: number;
  /** Nested comprehensions, default 8; Infinity in the Kubernetes environments. */
  readonly comprehensionNesting: number;
}

/** What the checker found for a node: the variable or type a name stands for, or the overloads a call may take. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly type: CelType }
  | {
      readonly kind: 'function';
      readonly fn: FunctionDeclaration;
      /** The overloads left, in declaration order. */
      readonly overloads: readonly Overload[];
      /** True when `target` was a namespace (`math.abs`) and is no argument. */
      readonly namespaced: boolean;
    };

/** The checker's output. `types` and `references` are keyed by node id; unchecked compilation leaves `types` empty. */
export interface CheckedAst {
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly resultType: CelType;
}
