import type { CallPlan } from '../plan/plan.ts';
import type { CelType } from '../value/cel-type.ts';
import { ANY, ONE, product, type Range, union, upTo } from './range.ts';
import { contentOf, either, listOf, OPAQUE, optionalOf, SCALAR, type Shape, text, UNKNOWN } from './shape.ts';

/** Longest text of a number, a time, an address or a network. */
const SCALAR_TEXT = 64;
/** Elements that lists.range() makes at most. */
const LONGEST_RANGE = 1_000_000;

type Rule = (args: readonly Shape[]) => Shape;

const sizeOf = (shape: Shape | undefined): Range => shape?.size ?? ANY;
const largest = (shape: Shape | undefined): number => sizeOf(shape).max;
/** Text or a list that is no longer than the receiver. */
const shorter = (shape: Shape | undefined): Shape => text(upTo(largest(shape)));
const held: Rule = ([holder]) => (holder ? contentOf(holder) : UNKNOWN);
const item: Rule = ([list]) => list?.items() ?? UNKNOWN;
const someItems: Rule = ([list]) => (list ? listOf(list.items(), upTo(list.size.max)) : UNKNOWN);
const pieces: Rule = ([whole]) => listOf(shorter(whole), upTo(largest(whole) + 1));

/** Text, or a list: what `reverse` makes of its receiver. */
const reversed: Rule = ([whole]) => {
  if (!whole) return UNKNOWN;
  const list = listOf(whole.items(), whole.size);
  return { ...list, walk: upTo(Math.max(list.walk.max, text(whole.size).walk.max)) };
};

/** How large the results of functions are, by name; those that make scalars need no rule. */
const RULES: Readonly<Record<string, Rule>> = {
  dyn: ([value]) => value ?? UNKNOWN,
  string: ([value]) => text(upTo(Math.max(largest(value), SCALAR_TEXT))),
  bytes: ([value]) => text(upTo(4 * largest(value))),
  charAt: () => text(upTo(1)),
  lowerAscii: ([value]) => text(sizeOf(value)),
  upperAscii: ([value]) => text(sizeOf(value)),
  trim: ([value]) => shorter(value),
  substring: ([value]) => shorter(value),
  find: ([value]) => shorter(value),
  replace: ([value, , by]) => text(upTo(largest(value) + product(largest(value) + 1, largest(by)))),
  split: pieces,
  findAll: pieces,
  'regex.extractAll': pieces,
  'regex.extract': ([value]) => optionalOf(shorter(value)),
  join: ([list, separator]) => {
    if (!list) return UNKNOWN;
    const each = list.items().size.max + (separator ? separator.size.max : 0);
    return text(upTo(product(list.size.max, each)));
  },
  'strings.quote': ([value]) => text(upTo(2 * largest(value) + 2)),
  'base64.encode': ([value]) => text(upTo(4 * (largest(value) / 3 + 1))),
  'base64.decode': ([value]) => shorter(value),
  'jsonpatch.escapeKey': ([value]) => text(upTo(2 * largest(value))),
  reverse: reversed,
  slice: someItems,
  sort: someItems,
  distinct: someItems,
  'lists.range': () => listOf(SCALAR, upTo(LONGEST_RANGE)),
  flatten: ([list, depth]) => {
    if (!list || depth) return UNKNOWN;
    const inner = list.items();
    return listOf(either(inner, inner.items()), upTo(product(list.size.max, Math.max(1, inner.size.max))));
  },
  min: item,
  max: item,
  first: (args) => optionalOf(item(args)),
  last: (args) => optionalOf(item(args)),
  'optional.of': ([value]) => (value?.maybeOptional ? UNKNOWN : optionalOf(value ?? UNKNOWN)),
  'optional.ofNonZeroValue': ([value]) => (value?.maybeOptional ? UNKNOWN : optionalOf(value ?? UNKNOWN)),
  'optional.none': () => optionalOf(SCALAR),
  value: held,
  'optional.unwrap': ([list]) => (list ? listOf(contentOf(list.items()), upTo(list.size.max)) : UNKNOWN),
  unwrapOpt: ([list]) => (list ? listOf(contentOf(list.items()), upTo(list.size.max)) : UNKNOWN),
};

/** The shape of what a call gives. */
export function resultShape(plan: CallPlan, args: readonly Shape[]): Shape {
  const own = plan.overloads.some(({ pure }) => pure === false);
  const rule = own ? undefined : RULES[plan.fn.name];
  if (rule) return rule(args);
  return (
    plan.overloads.map(({ result }) => shapeOfResult(result)).reduce<Shape | undefined>(join, undefined) ?? UNKNOWN
  );
}

function join(known: Shape | undefined, next: Shape): Shape {
  return known ? either(known, next) : next;
}

function shapeOfResult(type: CelType): Shape {
  if (type.kind === 'opaque') return OPAQUE;
  if (type.kind === 'type') return SCALAR;
  if (type.kind === 'optional') return optionalOf(type.params[0] ? shapeOfResult(type.params[0]) : UNKNOWN);
  if (type.kind !== 'primitive') return UNKNOWN;
  return type.name === 'string' || type.name === 'bytes' ? text(ANY) : SCALAR;
}

/** The shape of `a + b`: texts and lists add up, numbers and times stay what they are. */
export function sumShape(a: Shape, b: Shape): Shape {
  const size = union(ONE, { min: a.size.min + b.size.min, max: a.size.max + b.size.max });
  const items = either(a.items(), b.items());
  // Texts are charged in whole tenths, so that the whole may cost one more than its parts.
  const walk = { min: 0, max: a.walk.max + b.walk.max + 1 };
  return { ...listOf(items, size), walk, field: () => UNKNOWN, keys: () => SCALAR };
}
