import { CelError } from '../error.ts';
import type { ConditionalPlan, LogicPlan, NotPlan, OrElsePlan, PathPlan, Plan } from '../plan/plan.ts';
import { CelOptional, type CelResult } from '../value/cel-value.ts';
import { typeOf } from '../value/type-of.ts';
import type { Step } from './frame.ts';
import { fusedChoice, fusedOrValue } from './fused-paths.ts';
import { held, type Late } from './late-parts.ts';

type Compile = (plan: Plan) => Step;

export function notBool(what: string, value: CelResult, at: Plan): CelError {
  if (value instanceof CelError) return value;
  return new CelError(
    'no_such_overload',
    `no such overload: ${what} needs a bool, not ${typeOf(value)}`,
    at.start,
    at.end,
  );
}

/** The error of an operand, by its place among `operands`, that is no bool. */
function refusalOf(what: string, operands: readonly Plan[]): () => (value: CelResult, index: number) => CelError {
  return () => (value, index) => notBool(what, value, operands[index]!);
}

/** `&&` and `||`: the deciding value wins over any error, whatever the order; else the first error; else the other value. */
export function logicStep(plan: LogicPlan, compile: Compile, late: Late): Step {
  const decisive = plan.kind === 'or';
  const sign = decisive ? '||' : '&&';
  const operands = plan.operands.map(compile);
  const refusal = late(refusalOf(sign, plan.operands));
  const settle = (index: number, value: CelResult): CelError =>
    value instanceof CelError ? value : refusal()(value, index);
  if (operands.length === 2) {
    const [left, right] = operands as [Step, Step];
    return (frame) => {
      const a = left(frame);
      if (a === decisive) return decisive;
      const b = right(frame);
      if (b === decisive) return decisive;
      if (a !== !decisive) return settle(0, a);
      return b === !decisive ? !decisive : settle(1, b);
    };
  }
  return (frame) => {
    let failure: CelError | undefined;
    for (let index = 0; index < operands.length; index += 1) {
      const value = operands[index]!(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive) failure ??= settle(index, value);
    }
    return failure ?? !decisive;
  };
}

/** `rootCostOf` is given where parts may be fused. */
export function conditionalStep(
  plan: ConditionalPlan,
  compile: Compile,
  late: Late,
  rootCostOf: ((path: PathPlan) => number) | undefined,
): Step {
  const no = compile(plan.no);
  const fused = rootCostOf && fusedChoice(plan, rootCostOf, no, late(generalChoice(plan, compile, no)));
  return fused ?? choiceStep(plan, compile, no, late);
}

function generalChoice(plan: ConditionalPlan, compile: Compile, no: Step): () => Step {
  return () => choiceStep(plan, compile, no, held);
}

function choiceStep(plan: ConditionalPlan, compile: Compile, no: Step, late: Late): Step {
  const refusal = late(refusalOf('?:', [plan.condition]));
  const condition = compile(plan.condition);
  const yes = compile(plan.yes);
  return (frame) => {
    const test = condition(frame);
    if (test === true) return yes(frame);
    return test === false ? no(frame) : refusal()(test, 0);
  };
}

export function notStep(plan: NotPlan, compile: Compile, late: Late): Step {
  const refusal = late(refusalOf('!', [plan.operand]));
  const operand = compile(plan.operand);
  return (frame) => {
    const value = operand(frame);
    frame.cost += 1;
    return typeof value === 'boolean' ? !value : refusal()(value, 0);
  };
}

/**
 * `or` and `orValue`: the right side runs only when the left is none. What is no optional passes through, as in cel-go: it is
 * there, which is all these two ask.
 */
export function orElseStep(plan: OrElsePlan, compile: Compile, late: Late, fused: boolean): Step {
  const otherwise = compile(plan.otherwise);
  const step = fused ? fusedOrValue(plan, otherwise, late(generalOrElse(plan, compile, otherwise))) : undefined;
  return step ?? orElse(plan, compile, otherwise);
}

function generalOrElse(plan: OrElsePlan, compile: Compile, otherwise: Step): () => Step {
  return () => orElse(plan, compile, otherwise);
}

function orElse(plan: OrElsePlan, compile: Compile, otherwise: Step): Step {
  const operand = compile(plan.operand);
  const { unwrap } = plan;
  return (frame) => {
    const value = operand(frame);
    if (!(value instanceof CelOptional)) return value;
    if (!value.present) return otherwise(frame);
    return unwrap ? value.value : value;
  };
}
