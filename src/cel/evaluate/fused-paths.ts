import { CelError } from '../error.ts';
import type { ConditionalPlan, OrElsePlan, PathPlan, Plan, Segment } from '../plan/plan.ts';
import { CelObject } from '../value/cel-object.ts';
import type { CelResult } from '../value/cel-value.ts';
import { isPrototypeMember } from './access.ts';
import { admit } from './admit.ts';
import type { Frame, Step } from './frame.ts';

/**
 * Reads of plain fields from a slot, without a look at what cannot be there. Each has a general walk behind it that says
 * what is wrong with anything else; nothing has been charged when it takes over.
 */
type Fields = { readonly [field: string]: unknown };

/** A chain of plain fields from a slot: `obj.status.replicas`. */
export interface PlainPath {
  readonly slot: number;
  readonly keys: readonly string[];
}

/** How many fields one fused read takes; longer ones are rare, and walk. */
const MOST_KEYS = 4;

/** The field names when a plain read of each is safe: no optional segment, no index, no name of a built-in prototype. */
export function plainKeys(segments: readonly Segment[]): readonly string[] | undefined {
  if (segments.length === 0 || segments.length > MOST_KEYS) return undefined;
  return segments.every((segment) => isPlain(segment) && !segment.optional) ? keysOf(segments) : undefined;
}

function isPlain(segment: Segment): boolean {
  return segment.kind === 'field' && !isPrototypeMember(segment.key);
}

/** Not grown by `push`, which leaves room for 16 more: there are thousands of these. */
function keysOf(segments: readonly Segment[]): readonly string[] {
  return segments.map((segment) => (segment.kind === 'field' ? segment.key : ''));
}

export function plainPath(plan: PathPlan): PlainPath | undefined {
  const keys = plan.base.kind === 'variable' ? plainKeys(plan.segments) : undefined;
  return keys && plan.base.kind === 'variable' ? { slot: plan.base.slot, keys } : undefined;
}

/** What stands at the first `count` keys; undefined where it is absent, or where something on the way has no fields. */
function valueAt(root: unknown, keys: readonly string[], count: number): unknown {
  let value = root;
  for (let index = 0; index < count; index += 1) {
    if (typeof value !== 'object' || value === null || value instanceof CelObject) return undefined;
    value = (value as Fields)[keys[index]!];
  }
  return value;
}

/** Whether a field that is not found in it is absent, rather than sought in something that has none. */
function lacksOnly(parent: unknown): boolean {
  return (
    typeof parent === 'object' &&
    parent !== null &&
    !(parent instanceof CelObject) &&
    !Array.isArray(parent) &&
    !ArrayBuffer.isView(parent)
  );
}

/** What a fused read leaves to others. */
export interface Fallback {
  /** The general walk, for everything that is not plain. */
  walk(frame: Frame): CelResult;
  /** Charges, and gives the error of the segment at `index`, which a plain object lacks. */
  absent(frame: Frame, index: number): CelError;
}

export function fusedRead({ slot, keys }: PlainPath, rootCost: number, fallback: () => Fallback): Step {
  const { length } = keys;
  const cost = rootCost + length;
  return (frame) => {
    let value: unknown = frame.slots[slot];
    for (let index = 0; index < length; index += 1) {
      if (typeof value !== 'object' || value === null || value instanceof CelObject) return fallback().walk(frame);
      const next: unknown = (value as Fields)[keys[index]!];
      if (next === undefined) return lacksOnly(value) ? fallback().absent(frame, index) : fallback().walk(frame);
      value = next;
    }
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isSafeInteger(value)) {
      // What is no CEL value is an error, and the walk says where.
      const result = admit(value);
      if (result instanceof CelError) return fallback().walk(frame);
      value = result;
    }
    frame.cost += cost;
    return value as CelResult;
  };
}

/** `has(v.a.b)`: true or a plain absence is told at once. */
export function fusedPresence({ slot, keys }: PlainPath, rootCost: number, fallback: () => Fallback): Step {
  const last = keys.length - 1;
  const cost = rootCost + keys.length;
  return (frame) => {
    let value: unknown = frame.slots[slot];
    for (let index = 0; index <= last; index += 1) {
      if (typeof value !== 'object' || value === null || value instanceof CelObject) return fallback().walk(frame);
      const next: unknown = (value as Fields)[keys[index]!];
      if (next === undefined) {
        if (!lacksOnly(value)) return fallback().walk(frame);
        if (index < last) return fallback().absent(frame, index);
        frame.cost += cost;
        return false;
      }
      value = next;
    }
    frame.cost += cost;
    return true;
  };
}

/** `has(v.a.b) ? v.a.b : d` walks once; undefined when the condition is not the presence of what the first branch reads. */
export function fusedChoice(
  plan: ConditionalPlan,
  rootCostOf: (path: PathPlan) => number,
  no: Step,
  general: () => Step,
): Step | undefined {
  const { condition, yes } = plan;
  if (condition.kind !== 'path' || !condition.presence || yes.kind !== 'path' || yes.presence) return undefined;
  const path = plainPath(condition);
  const same = plainPath(yes);
  if (!path || !same || path.slot !== same.slot || path.keys.join('.') !== same.keys.join('.')) return undefined;
  const { slot, keys } = path;
  const parents = keys.length - 1;
  const last = keys[parents]!;
  const askCost = rootCostOf(condition) + keys.length;
  const cost = askCost + rootCostOf(yes) + keys.length;
  return (frame) => {
    const parent = valueAt(frame.slots[slot], keys, parents);
    if (typeof parent !== 'object' || parent === null || parent instanceof CelObject) return general()(frame);
    const value = (parent as Fields)[last];
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) {
      frame.cost += cost;
      return value as CelResult;
    }
    if (value !== undefined || !lacksOnly(parent)) return general()(frame);
    frame.cost += askCost;
    return no(frame);
  };
}

/** An optional path whose fields can be read plainly: those before the first optional one, and those from it on. */
export interface OptionalPath extends PlainPath {
  /** How many of the keys stand before the first optional one. */
  readonly strict: number;
}

export function optionalPath(plan: Plan): OptionalPath | undefined {
  if (plan.kind !== 'path' || plan.presence || plan.base.kind !== 'variable') return undefined;
  const strict = plan.segments.findIndex(({ optional }) => optional);
  if (strict < 0 || !plan.segments.every(isPlain)) return undefined;
  return { slot: plan.base.slot, keys: keysOf(plan.segments), strict };
}

/** `v.a.?b.?c.orValue(d)` without an optional; undefined when it is another form. */
export function fusedOrValue(plan: OrElsePlan, otherwise: Step, general: () => Step): Step | undefined {
  const path = plan.unwrap ? optionalPath(plan.operand) : undefined;
  if (!path || plan.operand.kind !== 'path') return undefined;
  const { slot, keys, strict } = path;
  const { length } = keys;
  const { rootCost } = plan.operand;
  return (frame) => {
    let value: unknown = valueAt(frame.slots[slot], keys, strict);
    for (let index = strict; index < length; index += 1) {
      if (!lacksOnly(value)) return general()(frame);
      value = (value as Fields)[keys[index]!];
      if (value !== undefined) continue;
      // An optional segment is charged only when it is there.
      frame.cost += rootCost + index;
      return otherwise(frame);
    }
    const result = admit(value);
    if (result instanceof CelError) return general()(frame);
    frame.cost += rootCost + length;
    return result;
  };
}
