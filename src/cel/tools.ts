import { type Completion, complete as completionsAt } from './complete/complete.ts';
import { describeLibraries, type FunctionDoc } from './describe/describe.ts';
import { CompiledEnvironment, type Environment } from './environment.ts';
import { type CostEstimate, estimateCost as estimatePlan } from './estimate/estimate-cost.ts';
import type { SizeHints } from './estimate/shape.ts';
import type { Issue } from './issue.ts';
import { withVersionHints } from './libraries/version-hints.ts';
import { lintAst } from './lint/lint.ts';
import { CompiledProgram, type Program } from './program.ts';
import { userFunction } from './user-function.ts';

export type { Completion, CompletionKind } from './complete/complete.ts';
export type { FunctionDoc } from './describe/describe.ts';
export type { CostEstimate } from './estimate/estimate-cost.ts';
export type { SizeHints } from './estimate/shape.ts';
export { type FormatOptions, format, unparse } from './format/format.ts';
export { explainText, formatError } from './texts.ts';

export interface LintOptions {
  /** Paths that are always there and need no guard, as text: `object.metadata.name`. */
  readonly alwaysPresent?: readonly string[];
  /** A Kubernetes version that has to take the expression too: what it does not have is a warning. */
  readonly kubernetes?: `1.${number}`;
}

/** What would fail in the field though it compiles; errors of an expression that does not compile. */
export function lint(environment: Environment, source: string, options: LintOptions = {}): readonly Issue[] {
  const own = opened(environment);
  const { ast, checked, issues } = own.analyse(source, {});
  // In an environment of Kubernetes an unknown function may be one of a later version.
  if (!checked) return own.options.version?.startsWith('1.') ? withVersionHints(issues) : issues;
  const { declarations, freePresence, limits } = own;
  const plan = own.plan(ast, checked, []);
  const estimate = estimatePlan(plan, { variables: declarations.variables, freePresence, sizes: {} });
  const found = lintAst(ast, checked, declarations, {
    costLimit: limits.cost,
    greatestCost: estimate.max,
    ...(options.kubernetes === undefined ? {} : { kubernetesMinor: Number(options.kubernetes.slice(2)) }),
    ...(options.alwaysPresent ? { alwaysPresent: options.alwaysPresent } : {}),
  });
  return [...issues, ...found];
}

/** What can stand at an offset of a source, which need not parse: the best first. */
export function complete(environment: Environment, source: string, offset: number): readonly Completion[] {
  return completionsAt(source, offset, { declarations: opened(environment).declarations, docs: describe(environment) });
}

const DOCS = new WeakMap<Environment, readonly FunctionDoc[]>();

/** Every overload of every function, and every form of every macro, with examples and costs. */
export function describe(environment: Environment): readonly FunctionDoc[] {
  const known = DOCS.get(environment);
  if (known) return known;
  const { options, declarations, set } = opened(environment);
  const own = (options.functions ?? []).map((each) => userFunction(each, declarations.types));
  const docs = describeLibraries(set.libraries, own);
  DOCS.set(environment, docs);
  return docs;
}

/**
 * Bounds of the cost of an evaluation that gives a value. `sizes` tell how large the data are where the environment's
 * schemas do not; without a bound `max` is Infinity.
 */
export function estimateCost(program: Program, sizes: SizeHints = {}): CostEstimate {
  if (!(program instanceof CompiledProgram)) throw foreign('program');
  const { variables, freePresence } = program.host;
  return estimatePlan(program.replan(), { variables, freePresence, sizes });
}

function opened(environment: Environment): CompiledEnvironment {
  if (environment instanceof CompiledEnvironment) return environment;
  throw foreign('environment');
}

/** Two copies of the package in one application, or an object of the caller's that only looks like one. */
function foreign(what: string): TypeError {
  return new TypeError(`the ${what} is none that this copy of convoy/cel made`);
}
