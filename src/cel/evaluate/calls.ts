import type { CallContext, Overload } from '../declarations.ts';
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

/** A call of evaluated arguments: the first error among them, or the first overload that takes them; charged either way. */
export type UnaryRun = (frame: Frame, a: CelResult) => CelResult;
export type BinaryCallRun = (frame: Frame, a: CelResult, b: CelResult) => CelResult;

/** One or two arguments are both evaluated before the first error among them is the result. */
export function callStep(plan: CallPlan, compile: (plan: Plan) => Step): Step {
  const args = plan.args.map(compile);
  const [one, two] = args;
  if (one && args.length === 1) {
    const run = unaryCallRun(plan);
    return (frame) => run(frame, one(frame));
  }
  if (one && two && args.length === 2) {
    const run = binaryCallRun(plan);
    if (!plan.stopsAtError) return (frame) => run(frame, one(frame), two(frame));
    return (frame) => {
      const first = one(frame);
      return first instanceof CelError ? first : run(frame, first, two(frame));
    };
  }
  return listCallStep(plan, args);
}

function listCallStep(plan: CallPlan, args: readonly Step[]): Step {
  const candidates = candidatesOf(plan);
  const called = calledOf(plan);
  return (frame) => {
    const values: CelResult[] = [];
    let failed: CelError | undefined;
    for (const arg of args) {
      const value = arg(frame);
      values.push(value);
      if (!(value instanceof CelError)) continue;
      // An error of the last argument is charged: by then the reference has them all.
      if (values.length < args.length) return value;
      failed = value;
    }
    const result = failed ?? dispatch(frame, candidates, values as readonly CelValue[], called);
    return finish(frame, called, result, values[0] ?? null, values[1] ?? null, values[2] ?? null);
  };
}

export function unaryCallRun(plan: CallPlan): UnaryRun {
  const candidates = candidatesOf(plan);
  const called = calledOf(plan);
  return (frame, a) => {
    if (a instanceof CelError) return finish(frame, called, a, a, null, null);
    for (const { tests, run } of candidates) {
      if (tests[0]!(a)) return finish(frame, called, run(frame, a), a, null, null);
    }
    return finish(frame, called, refusal(called, [a]), a, null, null);
  };
}

export function binaryCallRun(plan: CallPlan): BinaryCallRun {
  const candidates = candidatesOf(plan);
  const called = calledOf(plan);
  return (frame, a, b) => {
    if (a instanceof CelError) return finish(frame, called, a, a, b, null);
    if (b instanceof CelError) return finish(frame, called, b, a, b, null);
    for (const { tests, run } of candidates) {
      if (tests[0]!(a) && tests[1]!(b)) return finish(frame, called, run(frame, a, b), a, b, null);
    }
    return finish(frame, called, refusal(called, [a, b]), a, b, null);
  };
}

/** What running a call needs of its plan: not the plans of its arguments. */
type Called = Pick<CallPlan, 'fn' | 'cost' | 'start' | 'end'>;

function calledOf({ fn, cost, start, end }: CallPlan): Called {
  return { fn, cost, start, end };
}

function candidatesOf(plan: CallPlan): readonly Candidate[] {
  return plan.overloads.filter(({ params }) => params.length === plan.args.length).map(candidate);
}

function refusal(plan: Called, values: readonly CelValue[]): CelError {
  const types = values.map((value) => typeOf(value).toString()).join(', ');
  return new CelError('no_such_overload', `no such overload: ${plan.fn.name}(${types})`, plan.start, plan.end);
}

/** Charges the call and places its error. */
function finish(frame: Frame, plan: Called, result: CelResult, a: CelResult, b: CelResult, c: CelResult): CelResult {
  if (plan.cost === undefined) frame.cost += 1;
  else {
    frame.cost += plan.cost(result, a, b, c);
    frame.checkCost();
  }
  return result instanceof CelError ? result.at(plan.start, plan.end) : result;
}

function dispatch(
  frame: Frame,
  candidates: readonly Candidate[],
  values: readonly CelValue[],
  plan: Called,
): CelResult {
  for (const { tests, run } of candidates) {
    if (tests.every((test, index) => test(values[index]!))) return run(frame, ...values);
  }
  return refusal(plan, values);
}
