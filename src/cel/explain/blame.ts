import { CelError } from '../error.ts';
import type { Step } from './step-recorder.ts';

/** How many elements that came nearest to satisfying an `exists` are named. */
const NEAREST_MISSES = 3;

/**
 * The smallest set of steps that forces the result: the first false operand of a false `&&`, all of a false `||`, the
 * condition and the taken branch of `?:`, the element that failed an `all`, the nearest misses of an `exists`, the missing
 * path of a `has`, the node of an error.
 */
export function blameOf(step: Step): readonly Step[] {
  if (step.value instanceof CelError) return [errorStep(step)];
  switch (step.plan.kind) {
    case 'and':
    case 'or':
      return logicBlame(step, step.plan.kind === 'or');
    case 'not':
      return step.children.flatMap(blameOf);
    case 'conditional':
      return step.children.filter(({ skipped }) => skipped === undefined).flatMap(blameOf);
    case 'bind': {
      const body = step.children[step.children.length - 1];
      return body ? blameOf(body) : [step];
    }
    case 'fold':
      // A round of a fold is blamed as a whole, so that its element is told with what its parts saw.
      return foldBlame(step, step.plan.operation);
    default:
      return [step];
  }
}

function logicBlame(step: Step, decisive: boolean): readonly Step[] {
  const asked = step.children.filter(({ skipped }) => skipped === undefined);
  const deciding = asked.find(({ value }) => value === decisive);
  return step.value === decisive && deciding ? blameOf(deciding) : asked.flatMap(blameOf);
}

function foldBlame(step: Step, operation: string): readonly Step[] {
  const rounds = step.children.filter(({ kind }) => kind === 'element');
  if (operation === 'all' && step.value === false) return rounds.filter(({ value }) => value === false).slice(0, 1);
  if (operation === 'exists' && step.value === true) return rounds.filter(({ value }) => value === true).slice(0, 1);
  if (operation === 'exists' && step.value === false) {
    const nearest = [...rounds].sort((a, b) => conjunctsHeld(b) - conjunctsHeld(a)).slice(0, NEAREST_MISSES);
    return [step, ...nearest];
  }
  return [step];
}

/** How much of a predicate an element satisfied. */
function conjunctsHeld(round: Step): number {
  const body = round.children[round.children.length - 1];
  if (!body) return 0;
  return body.plan.kind === 'and' ? body.children.filter(({ value }) => value === true).length : 0;
}

/** The innermost step that gave the error. */
function errorStep(step: Step): Step {
  const culprit =
    step.children.find(({ value }) => value === step.value) ??
    step.children.find(({ value }) => sameError(value, step.value));
  return culprit ? errorStep(culprit) : step;
}

function sameError(a: unknown, b: unknown): boolean {
  return a instanceof CelError && b instanceof CelError && a.code === b.code && a.start === b.start;
}
