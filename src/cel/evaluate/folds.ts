import { costSize } from '../cost-sizes.ts';
import { CelError } from '../error.ts';
import { stableSortBy } from '../libraries/lists.ts';
import type { FoldPlan, OptionalMapPlan, OptionalValuePlan, Plan } from '../plan/plan.ts';
import { CelOptional, type CelResult, type CelValue } from '../value/cel-value.ts';
import { CelConcatList } from '../value/list.ts';
import { CelMap, isMap, mapEntries } from '../value/map.ts';
import { typeOf } from '../value/type-of.ts';
import { admit } from './admit.ts';
import type { Frame, Step } from './frame.ts';
import { insertEntry } from './literals.ts';

type Compile = (plan: Plan) => Step;

/** What a fold walks: elements of a list, or keys (one variable) or keys and values (two) of a map. */
interface Elements {
  readonly items: readonly unknown[];
  /** Keys of a map in two-variable form; a list counts instead. */
  readonly keys: readonly CelValue[] | undefined;
}

/** One loop over the elements; the range has been evaluated and charged. */
type Loop = (frame: Frame, elements: Elements) => CelResult;

/**
 * The native loop of a comprehension macro. Costs are those of the reference's generic fold, counted per iteration and once
 * (docs/spec and the tests have the table); none of the generic fold is run.
 */
export function foldStep(plan: FoldPlan, compile: Compile): Step {
  const range = compile(plan.range);
  const run = foldRun(plan, compile);
  return (frame) => run(frame, range(frame));
}

/** The fold over an evaluated range. */
export function foldRun(plan: FoldPlan, compile: Compile): (frame: Frame, over: CelResult) => CelResult {
  const loop = loopOf(plan, compile);
  return (frame, over) => {
    if (over instanceof CelError) return over;
    if (plan.operation === 'sortBy' && isMap(over)) {
      return new CelError('no_such_overload', 'sortBy() sorts lists', plan.start, plan.end);
    }
    const elements = elementsOf(over, plan.indexSlot !== undefined);
    if (elements instanceof CelError) return elements.at(plan.range.start, plan.range.end);
    return loop(frame, elements);
  };
}

function elementsOf(range: CelValue, twoVariables: boolean): Elements | CelError {
  if (Array.isArray(range)) return { items: range as readonly unknown[], keys: undefined };
  if (range instanceof CelConcatList) return { items: range.items(), keys: undefined };
  if (!isMap(range)) return new CelError('not_iterable', `a ${typeOf(range)} is neither a list nor a map`);
  const entries = mapEntries(range);
  const keys = entries.map(({ key }) => key);
  return twoVariables ? { items: entries.map(({ value }) => value), keys } : { items: keys, keys: undefined };
}

function loopOf(plan: FoldPlan, compile: Compile): Loop {
  const enter = entry(plan);
  const body = compile(plan.body);
  const filter = plan.filter && compile(plan.filter);
  switch (plan.operation) {
    case 'all':
      return searchLoop(plan, enter, body, false, { iteration: 3, once: 1, early: 2 });
    case 'exists':
      return searchLoop(plan, enter, body, true, { iteration: 4, once: 1, early: 3 });
    case 'exists_one':
      return existsOneLoop(plan, enter, body);
    case 'filter':
      return filterLoop(plan, enter, body);
    case 'map':
    case 'transformList':
      return mapLoop(plan, enter, filter, body);
    case 'transformMap':
    case 'transformMapEntry':
      return transformMapLoop(plan, enter, filter, body);
    case 'sortBy':
      return sortByLoop(plan, enter, body);
  }
}

type Enter = (frame: Frame, elements: Elements, index: number) => void;

/** Puts an element into its slots. An element that is no CEL value is an error at its first use. */
function entry(plan: FoldPlan): Enter {
  const { slot, indexSlot } = plan;
  return (frame, elements, index) => {
    frame.iterate();
    // A slot holds errors as well: reading the variable then gives the error.
    const item = admit(elements.items[index]) as CelValue;
    const key = elements.keys?.[index] ?? index;
    frame.slots[slot] = item;
    if (indexSlot !== undefined) frame.slots[indexSlot] = key;
    if (frame.tracer !== undefined) frame.tracer.element(typeof key === 'number' ? key : String(key), item);
  };
}

function leave(frame: Frame): void {
  if (frame.tracer !== undefined) frame.tracer.elementEnd();
}

export function predicateError(value: CelResult, plan: FoldPlan): CelError {
  if (value instanceof CelError) return value;
  const { start, end } = plan.body;
  return new CelError(
    'no_such_overload',
    `the predicate of ${plan.operation}() gave a ${typeOf(value)}, not a bool`,
    start,
    end,
  );
}

interface SearchCost {
  readonly iteration: number;
  readonly once: number;
  /** When the deciding element was not the last: the reference tests its stop condition once more. */
  readonly early: number;
}

/** `exists` (stops at true) and `all` (stops at false): a decision after an error still wins. */
function searchLoop(plan: FoldPlan, enter: Enter, body: Step, decisive: boolean, cost: SearchCost): Loop {
  return (frame, elements) => {
    const { length } = elements.items;
    let failure: CelError | undefined;
    for (let index = 0; index < length; index += 1) {
      enter(frame, elements, index);
      const value = body(frame);
      leave(frame);
      frame.cost += cost.iteration;
      if (value === decisive) {
        frame.cost += index < length - 1 ? cost.once + cost.early : cost.once;
        return decisive;
      }
      if (value !== !decisive) failure ??= predicateError(value, plan);
    }
    frame.cost += cost.once;
    return failure ?? !decisive;
  };
}

function existsOneLoop(plan: FoldPlan, enter: Enter, body: Step): Loop {
  return (frame, elements) => {
    let hits = 0;
    let failure: CelError | undefined;
    for (let index = 0; index < elements.items.length; index += 1) {
      enter(frame, elements, index);
      const value = body(frame);
      leave(frame);
      if (value === true) {
        hits += 1;
        frame.cost += 2;
      } else if (value !== false) failure ??= predicateError(value, plan);
    }
    frame.cost += 2;
    return failure ?? hits === 1;
  };
}

function filterLoop(plan: FoldPlan, enter: Enter, body: Step): Loop {
  return (frame, elements) => {
    const kept: CelValue[] = [];
    for (let index = 0; index < elements.items.length; index += 1) {
      enter(frame, elements, index);
      const value = body(frame);
      leave(frame);
      if (value === true) {
        kept.push(frame.slots[plan.slot]!);
        frame.cost += 13;
      } else if (value !== false) return predicateError(value, plan);
    }
    frame.cost += 1;
    return kept;
  };
}

/** False: left out by the filter. An error or a non-bool of the filter is the result of the whole. */
function passes(plan: FoldPlan, frame: Frame, filter: Step | undefined): boolean | CelError {
  if (filter === undefined) return true;
  const value = filter(frame);
  return typeof value === 'boolean' ? value : predicateError(value, plan);
}

/** Charged for one element of a `map`: the sum 2 and the list `[t]` 10, which is free where `t` is a literal. */
export function mapElementCost(body: Plan): number {
  return body.kind === 'constant' && body.literal ? 2 : 12;
}

function mapLoop(plan: FoldPlan, enter: Enter, filter: Step | undefined, body: Step): Loop {
  const elementCost = mapElementCost(plan.body);
  return (frame, elements) => {
    const made: CelValue[] = [];
    for (let index = 0; index < elements.items.length; index += 1) {
      enter(frame, elements, index);
      const pass = passes(plan, frame, filter);
      if (pass instanceof CelError) return pass;
      if (pass) {
        const value = body(frame);
        if (value instanceof CelError) return value;
        made.push(value);
        frame.cost += elementCost;
      }
      leave(frame);
    }
    frame.cost += 1;
    return made;
  };
}

function transformMapLoop(plan: FoldPlan, enter: Enter, filter: Step | undefined, body: Step): Loop {
  const byEntry = plan.operation === 'transformMapEntry';
  return (frame, elements) => {
    const made = new CelMap();
    for (let index = 0; index < elements.items.length; index += 1) {
      enter(frame, elements, index);
      const pass = passes(plan, frame, filter);
      if (pass instanceof CelError) return pass;
      if (pass) {
        const value = body(frame);
        if (value instanceof CelError) return value;
        frame.cost += byEntry ? 2 : 3;
        const key = elements.keys?.[index] ?? index;
        const failure = byEntry ? insertAll(made, value) : insertEntry(made, key, value);
        if (failure) return failure.at(plan.body.start, plan.body.end);
      }
      leave(frame);
    }
    frame.cost += 1;
    return made;
  };
}

function insertAll(target: CelMap, entries: CelValue): CelError | undefined {
  if (!isMap(entries))
    return new CelError('no_such_overload', `transformMapEntry() needs a map, not ${typeOf(entries)}`);
  for (const { key, value } of mapEntries(entries)) {
    const failure = insertEntry(target, key, value);
    if (failure) return new CelError('duplicate_key', `insert failed: ${failure.message}`);
  }
  return undefined;
}

/**
 * `sortBy`: the reference binds the list, maps it to its keys and sorts by them; so two uses of the bound list are charged
 * beside a `map` and the sort.
 */
function sortByLoop(plan: FoldPlan, enter: Enter, body: Step): Loop {
  const keysOf = mapLoop(plan, enter, undefined, body);
  return (frame, elements) => {
    frame.cost += 2;
    const keys = keysOf(frame, elements) as readonly CelValue[] | CelError;
    if (keys instanceof CelError) return keys;
    const items = elements.items.map((item) => admit(item) as CelValue);
    frame.work(keys.reduce<number>((sum, key) => sum + costSize(key), 0) * Math.ceil(Math.log2(keys.length + 1)));
    const [first] = keys;
    const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
    frame.cost += plan.chargedBySize ? Math.floor(factor * items.length * items.length) + 11 : 1;
    frame.checkCost();
    const sorted = stableSortBy(items, keys);
    return sorted instanceof CelError ? sorted.at(plan.start, plan.end) : sorted;
  };
}

/** `optMap` and `optFlatMap`: the target is evaluated once; a second time it is charged, when the variable is used. */
export function optionalMapStep(plan: OptionalMapPlan, compile: Compile): Step {
  const target = compile(plan.target);
  const body = compile(plan.body);
  const name = plan.flat ? 'optFlatMap' : 'optMap';
  return (frame) => {
    const before = frame.cost;
    const value = target(frame);
    const targetCost = frame.cost - before;
    if (!(value instanceof CelOptional)) {
      // hasValue() has been called by then.
      frame.cost += 1;
      if (value instanceof CelError) return value;
      return new CelError('no_such_overload', `no such overload: ${name}() on ${typeOf(value)}`, plan.start, plan.end);
    }
    // hasValue(), and optional.none() or optional.of(); optFlatMap wraps nothing.
    frame.cost += value.present && plan.flat ? 1 : 2;
    if (!value.present) return CelOptional.none;
    frame.slots[plan.valueSlot] = value.value;
    frame.slots[plan.costSlot] = targetCost;
    frame.slots[plan.slot] = undefined;
    const result = body(frame);
    if (result instanceof CelError || (plan.flat && result instanceof CelOptional)) return result;
    if (!plan.flat) return CelOptional.of(result);
    return new CelError(
      'no_such_overload',
      `optFlatMap() needs an optional, not ${typeOf(result)}`,
      plan.start,
      plan.end,
    );
  };
}

/** Reads the target's value and charges what the reference pays for evaluating it again, with its `value()`. */
export function optionalValueStep(plan: OptionalValuePlan): Step {
  return (frame) => {
    frame.cost += (frame.slots[plan.costSlot] as number) + 1;
    return frame.slots[plan.valueSlot]!;
  };
}
