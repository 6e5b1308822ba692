import { Abort, CelError, thrownText } from './error.ts';
import { admit } from './evaluate/admit.ts';
import { compileClosures } from './evaluate/closures.ts';
import { type Step as EvaluationStep, Frame, type FrameHost, type Run, type Tracer } from './evaluate/frame.ts';
import { forgotten } from './evaluate/late-parts.ts';
import { type Explanation, StepRecorder } from './explain/step-recorder.ts';
import { codeGenerationAllowed } from './generate/allowed.ts';
import { type Comparer, generateComparer } from './generate/comparer-code.ts';
import { generateRun } from './generate/generator.ts';
import type { Budget, Limits } from './limits.ts';
import { type Comparison, comparisonOf, differs } from './paths/affected.ts';
import { type PathSet, TriePathSet } from './paths/path-trie.ts';
import { referencedPlaces } from './paths/referenced-paths.ts';
import type { Plan, ProgramPlan } from './plan/plan.ts';
import type { CelType } from './value/cel-type.ts';
import type { CelResult, CelValue } from './value/cel-value.ts';

/** Values by variable name: JSON data or values of this engine. */
export type Bindings = Readonly<Record<string, unknown>>;

export interface RunOptions {
  /** Cost limit of this run instead of the environment's. */
  readonly cost?: number;
  /** Shared with other evaluations; what remains of it bounds this run as well. */
  readonly budget?: Budget;
  /** Asked every 100 iterations of a comprehension; true ends the run with `interrupted`. */
  readonly shouldStop?: () => boolean;
}

/** A compiled expression. Immutable but for `lastCost`; re-entrant; keep it for as long as you like. */
export interface Program {
  readonly source: string;
  readonly resultType: CelType;
  /** What the next evaluation runs; `code` once an environment with `codegen` found the program hot. */
  readonly backend: 'closures' | 'code';
  /** Cost units of the last `evaluate`. */
  readonly lastCost: number;
  /** The value or the error value; never throws, never changes its input. */
  evaluate(bindings: Bindings, run?: RunOptions): CelResult;
  /** `evaluate` with the value and cost of each sub-expression, and the smallest set of them that decided. */
  explain(bindings: Bindings, run?: RunOptions): Explanation;
  /** The places of the variables that can influence the value, the error code or the cost. */
  readonly referencedPaths: PathSet;
  /** Whether such a place of a variable differs between two versions of it; what a loop asks before it evaluates again. */
  affectedBy(variable: string, before: unknown, after: unknown): boolean;
}

/** What all programs of an environment share. */
export interface ProgramHost {
  readonly limits: Limits;
  readonly frames: FrameHost;
  readonly freePresence: boolean;
  /** Types of the root variables, whose sizes the cost estimate takes. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** When to try generated code; closures where the host forbids it or the program is too large. */
  readonly codegen: Codegen;
}

/** `false`: never. `true`: for programs that have proved hot. `eager`: for each, when it is compiled. */
export type Codegen = boolean | 'eager';

/**
 * Cost units after which a program is hot: 2,000 evaluations of a rule of 25 units. Making code and having the host optimise it
 * takes about as long as closures need for so many; a program that runs on gets that back, one that ends has lost nothing.
 */
const HOT = 50_000;
const HOT_COMPARISONS = 2_000;

/** The places of a variable that count, and the comparison of them as code. */
interface Compared {
  readonly name: string;
  readonly place: Comparison;
  readonly code: Comparer | undefined;
}

export interface ProgramParts {
  readonly source: string;
  readonly resultType: CelType;
  readonly plan: ProgramPlan;
  /** Makes the plan again for `explain`, so that a program that runs keeps neither its syntax tree nor its plan. */
  readonly replan: () => ProgramPlan;
  readonly host: ProgramHost;
}

/** A program with what the tools of `tools.ts` need of it; callers see `Program`. */
export class CompiledProgram implements Program {
  readonly source: string;
  readonly resultType: CelType;
  backend: 'closures' | 'code' = 'closures';
  lastCost = 0;
  readonly host: ProgramHost;
  readonly replan: () => ProgramPlan;
  private run: Run;
  private readonly frame: Frame;
  /** Cost units left until code is made; 0: it is not going to be. */
  private untilHot: number;
  private compared: readonly Compared[] | undefined = undefined;
  /** Comparisons left until code is made of them; 0: it has been, or is not going to be. */
  private untilCompared: number;

  constructor({ source, resultType, plan, replan, host }: ProgramParts) {
    this.source = source;
    this.resultType = resultType;
    this.host = host;
    this.replan = replan;
    this.untilHot = host.codegen === true && codeGenerationAllowed() ? HOT : 0;
    this.untilCompared = host.codegen === 'eager' ? 1 : host.codegen ? HOT_COMPARISONS : 0;
    const code = host.codegen === 'eager' ? this.generate(plan) : undefined;
    this.run = code ?? boundRun(closuresOf(plan, replan, host), plan.roots);
    this.frame = new Frame(plan.slots, host.frames);
  }

  evaluate(bindings: Bindings, run?: RunOptions): CelResult {
    const frame = this.frame.busy ? new Frame(this.frame.slots.length, this.host.frames) : this.frame;
    const result = runFrame(frame, this.run, this.host.limits, bindings, run);
    this.lastCost = frame.cost;
    if (this.untilHot > 0) this.warm(frame.cost);
    return result;
  }

  private warm(cost: number): void {
    this.untilHot = Math.max(0, this.untilHot - cost - 1);
    if (this.untilHot > 0) return;
    try {
      this.run = this.generate(this.replan()) ?? this.run;
    } catch (thrown) {
      // The caller's stack may be nearly spent; the closures run on.
      if (!(thrown instanceof RangeError)) throw thrown;
    }
  }

  private generate(plan: ProgramPlan): Run | undefined {
    if (!codeGenerationAllowed()) return undefined;
    const code = generateRun(plan, { freePresence: this.host.freePresence });
    if (code) this.backend = 'code';
    return code;
  }

  get referencedPaths(): PathSet {
    return new TriePathSet(referencedPlaces(this.replan()));
  }

  affectedBy(variable: string, before: unknown, after: unknown): boolean {
    this.compared ??= this.comparisons(false);
    if (this.untilCompared > 0) {
      this.untilCompared -= 1;
      if (this.untilCompared === 0) this.compared = this.comparisons(codeGenerationAllowed());
    }
    // A program has hardly more than one variable: a look at each name is quicker than a table.
    for (let index = 0; index < this.compared.length; index += 1) {
      const { name, place, code } = this.compared[index]!;
      if (name === variable) return code === undefined ? differs(place, before, after) : code(before, after);
    }
    return false;
  }

  private comparisons(asCode: boolean): readonly Compared[] {
    return Array.from(referencedPlaces(this.replan()), ([name, node]) => {
      const place = comparisonOf(node);
      return { name, place, code: asCode ? generateComparer(place) : undefined };
    });
  }

  explain(bindings: Bindings, run?: RunOptions): Explanation {
    const plan = this.replan();
    const { frames, freePresence, limits } = this.host;
    const recorder = new StepRecorder(this.source);
    const frame = new Frame(plan.slots, frames);
    const tracer: Tracer = recorder;
    frame.tracer = tracer;
    const observe = (node: Plan, step: EvaluationStep): EvaluationStep => recorder.observe(node, step);
    const step = compileClosures(plan.root, { freePresence, observe });
    const result = runFrame(frame, boundRun(step, plan.roots), limits, bindings, run);
    return recorder.explanation(plan.root, result, frame.cost);
  }
}

function runFrame(
  frame: Frame,
  program: Run,
  limits: Limits,
  bindings: Bindings,
  run: RunOptions | undefined,
): CelResult {
  let limit = limits.cost;
  if (run === undefined) frame.reset(limit, limits.work, undefined);
  else {
    limit = Math.min(run.cost ?? limit, run.budget?.remaining ?? Infinity);
    frame.reset(limit, limits.work, run.shouldStop);
  }
  frame.busy = true;
  const result = limit > 0 ? runProgram(frame, program, bindings, limit) : overLimit(limit);
  frame.busy = false;
  // The frame outlives the run: it must not keep the caller's objects.
  const { slots } = frame;
  for (let slot = 0; slot < slots.length; slot += 1) slots[slot] = undefined;
  run?.budget?.spend(frame.cost);
  return result;
}

function runProgram(frame: Frame, program: Run, bindings: Bindings, limit: number): CelResult {
  try {
    const result = program(frame, bindings);
    return frame.cost > limit ? overLimit(limit) : result;
  } catch (thrown) {
    return errorOf(thrown);
  }
}

/** Apart from the constructor, whose plan they must not keep. */
function closuresOf(plan: ProgramPlan, replan: () => ProgramPlan, { freePresence }: ProgramHost): EvaluationStep {
  const late = forgotten((collect) => compileClosures(replan().root, { freePresence, late: collect }));
  return compileClosures(plan.root, { freePresence, late });
}

/** Closures behind what binds the variables. */
function boundRun(step: EvaluationStep, roots: ProgramPlan['roots']): Run {
  return (frame, bindings) => {
    for (let index = 0; index < roots.length; index += 1) {
      const { name, slot } = roots[index]!;
      const value = bindings[name];
      // A slot may hold an error (a class instance, say): reading the variable gives it.
      frame.slots[slot] = value === undefined ? undefined : (admit(value) as CelValue);
    }
    return step(frame);
  };
}

function overLimit(limit: number): CelError {
  return new CelError('cost_limit', `cost limit of ${limit} exceeded`);
}

/** What crossed the evaluator by `throw`: an abort, a stack that was too small, a getter of the input, or a bug. */
function errorOf(thrown: unknown): CelError {
  if (thrown instanceof Abort) return thrown.error;
  if (thrown instanceof RangeError) return new CelError('nesting_too_deep', 'values or expressions nest too deep');
  return new CelError('internal', `evaluation failed: ${thrownText(thrown)}`);
}
