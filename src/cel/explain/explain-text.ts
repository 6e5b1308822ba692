import { CelError } from '../error.ts';
import { shortValue } from '../value/short-value.ts';
import type { Explanation, Step } from './step-recorder.ts';

/** The blame in words: `obj.status.readyReplicas is 1, obj.spec.replicas is 3`. '' when nothing but the result is to say. */
export function explainText(explanation: Explanation): string {
  const sentences = explanation.blame.flatMap(describe);
  return [...new Set(sentences)].join(', ');
}

function describe(step: Step): readonly string[] {
  const { value } = step;
  if (value instanceof CelError) return [value.path === undefined ? value.message : `${value.path}: ${value.message}`];
  if (step.kind === 'element') return [describeElement(step)];
  switch (step.plan.kind) {
    case 'equality':
    case 'order':
    case 'membership':
    case 'arithmetic':
    case 'call':
    case 'orElse': {
      const known = step.children.filter(({ plan, skipped }) => plan.kind !== 'constant' && skipped === undefined);
      const told = known.flatMap((child) =>
        child.value === undefined ? [] : [`${child.text} is ${shortValue(child.value)}`],
      );
      return told.length > 0 ? told : [`${step.text} is ${shortValue(value)}`];
    }
    default:
      return step.value === undefined ? [] : [`${step.text} is ${shortValue(value)}`];
  }
}

function describeElement(round: Step): string {
  const body = round.children[round.children.length - 1];
  const parts = body ? leafFacts(body) : [];
  const said = parts.length > 0 ? parts.join(', ') : shortValue(round.element?.value);
  return `at [${round.element?.index}]: ${said}`;
}

/** What the parts of an element's predicate saw. */
function leafFacts(step: Step): readonly string[] {
  if (step.skipped !== undefined) return [];
  if (step.plan.kind === 'and' || step.plan.kind === 'or' || step.plan.kind === 'not')
    return step.children.flatMap(leafFacts);
  return describe(step);
}
