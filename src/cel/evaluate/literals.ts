import { CelError } from '../error.ts';
import type { ListPlan, MapPlan, Plan } from '../plan/plan.ts';
import { CelOptional, CelUint, type CelValue } from '../value/cel-value.ts';
import { CelMap, mapKey } from '../value/map.ts';
import { isInt } from '../value/number.ts';
import { typeOf } from '../value/type-of.ts';
import type { Step } from './frame.ts';

type Compile = (plan: Plan) => Step;

/** Units of making a list or a map, the reference's; the first error among the parts ends both. */
const LIST_COST = 10;
const MAP_COST = 30;

export function listStep(plan: ListPlan, compile: Compile): Step {
  const elements = plan.elements.map(({ value, optional }) => ({ step: compile(value), optional, plan: value }));
  return (frame) => {
    const items: CelValue[] = [];
    frame.cost += LIST_COST;
    for (const { step, optional, plan: at } of elements) {
      const value = step(frame);
      if (value instanceof CelError) return value;
      if (!optional) items.push(value);
      else if (!(value instanceof CelOptional)) return notOptional(value, at);
      else if (value.present) items.push(value.value);
    }
    return items;
  };
}

function notOptional(value: CelValue, at: Plan): CelError {
  return new CelError(
    'no_such_overload',
    `an optional entry needs an optional, not ${typeOf(value)}`,
    at.start,
    at.end,
  );
}

export function mapStep(plan: MapPlan, compile: Compile): Step {
  const entries = plan.entries.map(({ key, value, optional }) => ({
    key: compile(key),
    value: compile(value),
    optional,
    plan: key,
    at: value,
  }));
  return (frame) => {
    const result = new CelMap();
    frame.cost += MAP_COST;
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      const value = entry.value(frame);
      if (value instanceof CelError) return value;
      if (entry.optional && !(value instanceof CelOptional)) return notOptional(value, entry.at);
      if (entry.optional && value instanceof CelOptional && !value.present) continue;
      const failure = insertEntry(result, key, entry.optional ? (value as CelOptional).value : value);
      if (failure) return failure.at(entry.plan.start, entry.plan.end);
    }
    return result;
  };
}

/** Adds an entry; the error when the key's type is none of bool, int, uint, string, or the key is there already. */
export function insertEntry(target: CelMap, key: CelValue, value: CelValue): CelError | undefined {
  const lookup = isKey(key) ? mapKey(key) : undefined;
  if (lookup === undefined) {
    return new CelError('bad_argument', `a key of a map is a bool, int, uint or string, not ${typeOf(key)}`);
  }
  if (target.insert(key, lookup, value)) return undefined;
  return new CelError('duplicate_key', `the map has the key ${String(lookup)} twice`);
}

function isKey(key: CelValue): boolean {
  return typeof key === 'string' || typeof key === 'boolean' || isInt(key) || key instanceof CelUint;
}
