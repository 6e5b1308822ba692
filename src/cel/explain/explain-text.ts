import { CelError } from '../error.ts';
import { CelType } from '../value/cel-type.ts';
import {
  CelDouble,
  CelDuration,
  CelOpaque,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelUint,
} from '../value/cel-value.ts';
import { isList, listItems } from '../value/list.ts';
import { isMap, mapEntries } from '../value/map.ts';
import type { Explanation, Step } from './step-recorder.ts';

/** Longest value that is written out. */
const WIDTH = 60;

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
    case 'path':
      return [step.plan.presence ? `${step.text} is ${shortValue(value)}` : `${step.text} is ${shortValue(value)}`];
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
    case 'fold':
      return [`${step.text} is ${shortValue(value)}`];
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

/** A value on one line, at most about 60 characters. */
export function shortValue(value: CelResult | undefined): string {
  const text = render(value, 0);
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}

function render(value: CelResult | undefined, depth: number): string {
  if (value === undefined) return 'not evaluated';
  if (value instanceof CelError) return `error: ${value.message}`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 3) return '…';
  if (value instanceof CelDouble) return value.value.toFixed(1);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelOptional) return value.present ? `optional(${render(value.value, depth + 1)})` : 'none';
  if (value instanceof CelType) return value.toString();
  if (value instanceof CelTimestamp)
    return new Date(value.seconds * 1000 + Math.trunc(value.nanos / 1e6)).toISOString();
  if (value instanceof CelDuration) return `${value.seconds + value.nanos / 1e9}s`;
  if (value instanceof CelOpaque) return value.text() ?? value.type.toString();
  if (value instanceof Uint8Array) return `bytes(${value.length})`;
  if (isList(value)) {
    const items = listItems(value);
    return `[${items
      .slice(0, 5)
      .map((item) => render(item, depth + 1))
      .join(', ')}${items.length > 5 ? ', …' : ''}]`;
  }
  if (!isMap(value)) return '?';
  const entries = mapEntries(value);
  const shown = entries
    .slice(0, 5)
    .map(({ key, value: each }) => `${render(key, depth + 1)}: ${render(each, depth + 1)}`);
  return `{${shown.join(', ')}${entries.length > 5 ? ', …' : ''}}`;
}
