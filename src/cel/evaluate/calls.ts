import type { CallContext, CostRule, Overload } from '../declarations.ts';
import { CelError } from '../error.ts';
import type { CallPlan, Plan } from '../plan/plan.ts';
import type { CelResult, CelValue } from '../value/cel-value.ts';
import { typeOf } from '../value/type-of.ts';
import { acceptsType } from './accepts.ts';
import type { Frame, Step } from './frame.ts';

/** An overload with the tests of its parameters; `run` has lost the parameter types that the tests have checked. */
interface Candidate {
  readonly tests: readonly ((value: CelValue) => boolean)[];
  readonly run: (context: CallContext, ...args: readonly CelValue[]) => CelResult;
}

function candidate(overload: Overload): Candidate {
  return {
    tests: overload.params.map(acceptsType),
    // `never[]` in the declaration stands for any parameters; dispatch calls it only with values that passed `tests`.
    run: overload.impl as unknown as Candidate['run'],
  };
}

/** All arguments are evaluated, left to right, before the first error among them is the result. */
export function callStep(plan: CallPlan, compile: (plan: Plan) => Step): Step {
  const args = plan.args.map(compile);
  const candidates = plan.overloads.filter(({ params }) => params.length === args.length).map(candidate);
  const refuse = (values: readonly CelValue[]): CelError => {
    const types = values.map((value) => typeOf(value).toString()).join(', ');
    return new CelError('no_such_overload', `no such overload: ${plan.fn.name}(${types})`, plan.start, plan.end);
  };
  const finish = (frame: Frame, result: CelResult, a: CelResult, b: CelResult, c: CelResult): CelResult => {
    charge(frame, plan.cost, result, a, b, c);
    return result instanceof CelError ? result.at(plan.start, plan.end) : result;
  };
  if (args.length === 1) return unaryCall(args[0]!, candidates, refuse, finish);
  if (args.length === 2) return binaryCall(args[0]!, args[1]!, candidates, refuse, finish);
  return (frame) => {
    const values: CelResult[] = args.map((arg) => arg(frame));
    const failed = values.find((value) => value instanceof CelError);
    const result = failed ?? dispatch(frame, candidates, values as CelValue[], refuse);
    return finish(frame, result, values[0] ?? null, values[1] ?? null, values[2] ?? null);
  };
}

type Finish = (frame: Frame, result: CelResult, a: CelResult, b: CelResult, c: CelResult) => CelResult;
type Refuse = (values: readonly CelValue[]) => CelError;

function charge(
  frame: Frame,
  rule: CostRule | undefined,
  result: CelResult,
  a: CelResult,
  b: CelResult,
  c: CelResult,
): void {
  if (rule === undefined) {
    frame.cost += 1;
    return;
  }
  frame.cost += rule(result, a, b, c);
  frame.checkCost();
}

function unaryCall(arg: Step, candidates: readonly Candidate[], refuse: Refuse, finish: Finish): Step {
  return (frame) => {
    const value = arg(frame);
    if (value instanceof CelError) return finish(frame, value, value, null, null);
    for (const { tests, run } of candidates) {
      if (tests[0]!(value)) return finish(frame, run(frame, value), value, null, null);
    }
    return finish(frame, refuse([value]), value, null, null);
  };
}

function binaryCall(one: Step, two: Step, candidates: readonly Candidate[], refuse: Refuse, finish: Finish): Step {
  return (frame) => {
    const a = one(frame);
    const b = two(frame);
    if (a instanceof CelError) return finish(frame, a, a, b, null);
    if (b instanceof CelError) return finish(frame, b, a, b, null);
    for (const { tests, run } of candidates) {
      if (tests[0]!(a) && tests[1]!(b)) return finish(frame, run(frame, a, b), a, b, null);
    }
    return finish(frame, refuse([a, b]), a, b, null);
  };
}

function dispatch(
  frame: Frame,
  candidates: readonly Candidate[],
  values: readonly CelValue[],
  refuse: Refuse,
): CelResult {
  for (const { tests, run } of candidates) {
    if (tests.every((test, index) => test(values[index]!))) return run(frame, ...values);
  }
  return refuse(values);
}
