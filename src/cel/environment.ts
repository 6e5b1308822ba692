import { check } from './check/checker.ts';
import { type JsonSchema, typeOfSchema } from './check/schema.ts';
import { resolveUnchecked } from './check/unchecked.ts';
import type { CheckedAst, Declarations, FunctionDeclaration, Overload } from './declarations.ts';
import { CelError } from './error.ts';
import { compileClosures } from './evaluate/closures.ts';
import { Frame, type FrameHost } from './evaluate/frame.ts';
import type { Issue } from './issue.ts';
import { merged } from './libraries/declare.ts';
import { type LibrarySet, librariesOf } from './libraries/version-sets.ts';
import { type Limits, resolveLimits } from './limits.ts';
import { operatorDeclarations } from './operators.ts';
import type { ProgramPlan } from './plan/plan.ts';
import { type ConstantEvaluator, planProgram } from './plan/planner.ts';
import { type Codegen, CompiledProgram, type Program, type ProgramHost } from './program.ts';
import { RegexCache } from './regex/regex-cache.ts';
import { issueAt } from './source-position.ts';
import type { Ast } from './syntax/ast.ts';
import { parse } from './syntax/parser.ts';
import { parseTypeSpec, STANDARD_TYPES, type TypeSpec } from './type-spec.ts';
import { type FunctionDecl, userFunction } from './user-function.ts';
import type { CelType } from './value/cel-type.ts';
import type { CelResult } from './value/cel-value.ts';

/** Which libraries and which answers: see the language reference. */
export type EnvironmentVersion = 'convoy' | 'cel-go' | 'spec' | `1.${number}`;

export interface EnvironmentOptions {
  /** Default `convoy`: everything. `1.26` … `1.36`: exactly that Kubernetes. `cel-go`: standard, optional, strings. */
  readonly version?: EnvironmentVersion;
  /** Types of the variables; one that is not named here does not compile. */
  readonly variables?: Readonly<Record<string, TypeSpec | { readonly openapi: JsonSchema }>>;
  /** Adjustments of the version's set: `+math`, `-regex`, `strings@2`. */
  readonly libraries?: readonly string[];
  readonly functions?: readonly FunctionDecl[];
  /** Prefix for the resolution of names, `a.b`. */
  readonly container?: string;
  readonly limits?: Partial<Limits>;
  readonly quotedFields?: boolean;
  readonly homogeneousLiterals?: boolean;
  /** Kubernetes: the newest version's set, as the API server takes for expressions that are stored already. */
  readonly lenient?: boolean;
  /** The reference's cost of 1 for `regex.*` and `base64.*` instead of our own. */
  readonly referenceCosts?: boolean;
  /**
   * Try generated code: faster by several times where the host allows it, the same results. `true`: for programs that have
   * proved hot; `eager`: for each, when it is compiled, which takes ten times as long. Default false.
   */
  readonly codegen?: Codegen;
}

export interface CompileOptions {
  /** The type the result must have; an expression of another type does not compile. `dyn` passes. */
  readonly resultType?: TypeSpec;
  /** False: no types are checked, every call is dynamic. Default true. */
  readonly check?: boolean;
}

export type CompileResult =
  | { readonly ok: true; readonly program: Program; readonly issues: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A checked set of variables, libraries and limits. Immutable; make one and keep it. */
export interface Environment {
  /** A program, or at least one error issue. Never throws. The 1,000 programs used last are kept. */
  compile(source: string, options?: CompileOptions): CompileResult;
  /** Syntax only. */
  parse(source: string): { readonly ast?: Ast; readonly issues: readonly Issue[] };
  /** This environment with more variables, functions or other limits. */
  extend(options: EnvironmentOptions): Environment;
}

const CACHED_PROGRAMS = 1_000;
/** Steps of work that a compilation spends on constants; what is left over is evaluated when the program runs. */
const MOST_FOLDING_WORK = 1_000_000;
const NEWEST_KUBERNETES = '1.36';
/** Throws an `Error` on an unknown version or library, a type that is none, or functions that clash; on nothing else. */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  return new CompiledEnvironment(options);
}

/** The environment with what the tools of `tools.ts` need of it; callers see `Environment`. */
export class CompiledEnvironment implements Environment {
  readonly options: EnvironmentOptions;
  readonly set: LibrarySet;
  readonly limits: Limits;
  readonly freePresence: boolean;
  private readonly frames: FrameHost;
  private declared: Declarations | undefined;
  private host: ProgramHost | undefined;
  private readonly programs = new Map<string, CompileResult>();

  constructor(options: EnvironmentOptions) {
    this.options = options;
    const version = options.version ?? 'convoy';
    const set = options.lenient === true && version.startsWith('1.') ? NEWEST_KUBERNETES : version;
    this.set = librariesOf(set, options.libraries ?? [], { referenceCosts: options.referenceCosts ?? false });
    this.limits = resolveLimits({ comprehensionNesting: this.set.flags.comprehensionNesting, ...options.limits });
    this.freePresence = version !== 'cel-go' && version !== 'spec';
    const regexes = new RegexCache(this.limits.regexLength);
    this.frames = { strict: version === 'spec', regex: (pattern) => regexes.get(pattern) };
    // Whatever can be wrong with them has to be told here; else they wait until an expression needs them.
    const { variables = {}, functions = [] } = options;
    if (functions.length > 0 || Object.values(variables).some((spec) => spec !== 'dyn')) this.declareAll();
  }

  get declarations(): Declarations {
    return this.declared ?? this.declareAll();
  }

  private declareAll(): Declarations {
    this.declared = declare(this.options, this.set, this.limits, this.frames.strict);
    return this.declared;
  }

  compile(source: string, options: CompileOptions = {}): CompileResult {
    const key = `${options.resultType ?? ''}\n${options.check === false ? '-' : '+'}\n${source}`;
    const known = this.programs.get(key);
    if (known) {
      this.programs.delete(key);
      this.programs.set(key, known);
      return known;
    }
    const result = this.compileAnew(source, options);
    if (this.programs.size >= CACHED_PROGRAMS) {
      const oldest = this.programs.keys().next();
      if (!oldest.done) this.programs.delete(oldest.value);
    }
    this.programs.set(key, result);
    return result;
  }

  parse(source: string): { readonly ast?: Ast; readonly issues: readonly Issue[] } {
    return parse(source, this.declarations);
  }

  extend(options: EnvironmentOptions): Environment {
    const base = this.options;
    return new CompiledEnvironment({
      ...base,
      ...options,
      variables: { ...base.variables, ...options.variables },
      functions: [...(base.functions ?? []), ...(options.functions ?? [])],
      libraries: [...(base.libraries ?? []), ...(options.libraries ?? [])],
      limits: { ...base.limits, ...options.limits },
    });
  }

  private compileAnew(source: string, options: CompileOptions): CompileResult {
    const front = this.analyse(source, options);
    if (!front.checked) return { ok: false, issues: front.issues };
    const { ast, checked } = front;
    const conversions: Issue[] = [];
    const plan = this.plan(ast, checked, conversions);
    const issues = [...front.issues, ...conversions];
    if (conversions.length > 0) return { ok: false, issues };
    const program = new CompiledProgram({
      source,
      resultType: checked.resultType,
      plan,
      replan: this.replanner(source, options),
      host: this.programHost,
    });
    return { ok: true, program, issues };
  }

  /** Apart from `compileAnew`, whose plan its closure would keep. */
  private replanner(source: string, options: CompileOptions): () => ProgramPlan {
    return () => {
      const { ast, checked } = this.analyse(source, options);
      if (!ast || !checked) throw new Error('an expression that compiled does not compile again');
      return this.plan(ast, checked, []);
    };
  }

  private get programHost(): ProgramHost {
    this.host ??= {
      limits: this.limits,
      frames: this.frames,
      freePresence: this.freePresence,
      variables: this.declarations.variables,
      codegen: this.options.codegen ?? false,
    };
    return this.host;
  }

  /** Parsed and checked; `checked` is missing where the source does not compile. */
  analyse(
    source: string,
    options: CompileOptions,
  ): { ast: Ast; checked?: CheckedAst; issues: Issue[] } | { ast?: undefined; checked?: undefined; issues: Issue[] } {
    const { ast, issues } = parse(source, this.declarations);
    if (!ast) return { issues };
    const resultType =
      options.resultType === undefined ? undefined : parseTypeSpec(options.resultType, this.declarations.types);
    const result =
      options.check === false
        ? resolveUnchecked(ast, this.declarations)
        : check(ast, this.declarations, { context: new Frame(0, this.frames), ...(resultType ? { resultType } : {}) });
    const all = [...issues, ...result.issues];
    if (!result.checked || all.some(({ severity }) => severity === 'error')) return { issues: all };
    return { ast, checked: result.checked, issues: all };
  }

  /** Conversions of constants that fail are added to `conversions`. */
  plan(ast: Ast, checked: CheckedAst, conversions: Issue[]): ProgramPlan {
    // One frame, so that the limits bound all constants of a source together: three thousand of them would fit into it.
    const frame = new Frame(0, this.frames);
    frame.reset(this.limits.cost, Math.min(this.limits.work, MOST_FOLDING_WORK), undefined);
    const foldConstant: ConstantEvaluator = (plan, literal) => {
      const before = frame.cost;
      const value = constantOf(() => compileClosures(plan, { freePresence: this.freePresence })(frame));
      if (value === undefined) return undefined;
      if (!(value instanceof CelError)) return { value, cost: frame.cost - before };
      if (literal && !this.frames.strict && plan.kind === 'call') {
        conversions.push(issueAt(ast.source, 'error', 'invalid_argument', value.message, plan.start, plan.end));
      }
      return undefined;
    };
    return planProgram(ast, {
      checked,
      crossTypeOrder: this.set.flags.crossTypeOrder,
      foldConstant,
    });
  }
}

/** Undefined where a limit ended the evaluation, or the host could not hold the value: it is met again when the program runs. */
function constantOf(evaluate: () => CelResult): CelResult | undefined {
  try {
    return evaluate();
  } catch {
    return undefined;
  }
}

/** What all environments of one set of libraries know. */
interface Shared {
  readonly types: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: ReadonlySet<string>;
}

const SHARED = new WeakMap<LibrarySet, Shared>();

function sharedOf(set: LibrarySet): Shared {
  const known = SHARED.get(set);
  if (known) return known;
  const { libraries, flags } = set;
  const types = new Map(STANDARD_TYPES.map((type) => [type.name, type]));
  for (const library of libraries) for (const type of library.types ?? []) types.set(type.name, type);
  const functions = new Map<string, FunctionDeclaration>();
  for (const fn of operatorDeclarations(flags.crossTypeOrder)) functions.set(fn.name, fn);
  for (const library of libraries) for (const fn of library.functions) merge(functions, fn);
  const shared = { types, functions, macros: new Set(libraries.flatMap(({ macros }) => macros ?? [])) };
  SHARED.set(set, shared);
  return shared;
}

function declare(options: EnvironmentOptions, set: LibrarySet, limits: Limits, strict: boolean): Declarations {
  const { flags } = set;
  const { types, functions, macros } = sharedOf(set);
  const variables = new Map<string, CelType>();
  for (const [name, spec] of Object.entries(options.variables ?? {})) {
    variables.set(name, typeof spec === 'string' ? parseTypeSpec(spec, types) : typeOfSchema(spec.openapi));
  }
  return {
    variables,
    functions: withOwn(functions, options.functions ?? [], types),
    types,
    macros,
    container: options.container ?? '',
    quotedFields: options.quotedFields ?? flags.quotedFields,
    homogeneousLiterals: options.homogeneousLiterals ?? flags.homogeneousLiterals,
    validateLiterals: flags.validateLiterals,
    validatePatterns: flags.validatePatterns,
    strict,
    limits,
  };
}

function withOwn(
  functions: ReadonlyMap<string, FunctionDeclaration>,
  own: readonly FunctionDecl[],
  types: ReadonlyMap<string, CelType>,
): ReadonlyMap<string, FunctionDeclaration> {
  if (own.length === 0) return functions;
  const all = new Map(functions);
  for (const fn of own.map((each) => userFunction(each, types))) mergeOwn(all, fn);
  return all;
}

function merge(functions: Map<string, FunctionDeclaration>, fn: FunctionDeclaration): void {
  const known = functions.get(fn.name);
  functions.set(fn.name, known ? merged(known, fn) : fn);
}

/** A caller's overload must not hide one that is there. */
function mergeOwn(functions: Map<string, FunctionDeclaration>, fn: FunctionDeclaration): void {
  const known = functions.get(fn.name)?.overloads ?? [];
  for (const overload of fn.overloads) {
    if (known.some((each) => overlaps(each, overload))) {
      throw new Error(`function ${fn.name}(${overload.params.join(', ')}) overlaps one that the environment has`);
    }
  }
  merge(functions, fn);
}

function overlaps(a: Overload, b: Overload): boolean {
  if (a.member !== b.member || a.params.length !== b.params.length) return false;
  return a.params.every((type, index) => {
    const other = b.params[index]!;
    const wide = (each: CelType): boolean => each.kind === 'dyn' || each.kind === 'parameter';
    return wide(type) || wide(other) || type.name === other.name;
  });
}
