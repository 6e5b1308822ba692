import { costSize, traversalCost } from '../cost-sizes.ts';
import type { CelType } from '../value/cel-type.ts';
import { CelOptional, type CelValue } from '../value/cel-value.ts';
import { isList, listItems } from '../value/list.ts';
import { isMap, mapEntries } from '../value/map.ts';
import { ANY, exactly, ONE, product, type Range, union, upTo } from './range.ts';

/** What is known of a value before it is there: how large it is, and the same of what it holds. */
export interface Shape {
  /** Size for the cost rules. */
  readonly size: Range;
  /** Cost of walking it. */
  readonly walk: Range;
  /** Whether it may be an optional, which selections go through. */
  readonly maybeOptional: boolean;
  /** The value of a field or key. */
  field(name: string): Shape;
  /** Elements of a list, values of a map. */
  items(): Shape;
  /** What a loop with one variable runs over: elements of a list, keys of a map. */
  members(): Shape;
  /** Keys of a map, positions of a list. */
  keys(): Shape;
  /** The value of an optional; asked for only where there may be one. */
  inner(): Shape;
}

/** Sizes that the caller knows of the data. */
export interface SizeHints {
  /**
   * Largest size of the value at a path: code points of text, bytes, elements, entries. A path is written with dots, `*` for
   * elements and values: `obj.spec.containers.*.image`.
   */
  readonly paths?: Readonly<Record<string, number>>;
  /** Largest size of all data that neither a path nor a schema bounds; default Infinity. */
  readonly others?: number;
}

/** What selections read from: the value of an optional, anything else itself. */
export function contentOf(shape: Shape): Shape {
  return shape.maybeOptional ? shape.inner() : shape;
}

/** Bytes of the UTF-8 form of a code point, at most. */
const BYTES_PER_CODE_POINT = 4;

/** Of a computed value nothing is known, not even that it is no optional. */
export const UNKNOWN: Shape = {
  size: ANY,
  walk: ANY,
  maybeOptional: true,
  field: () => UNKNOWN,
  items: () => UNKNOWN,
  members: () => UNKNOWN,
  keys: () => UNKNOWN,
  inner: () => UNKNOWN,
};

/** A shape that holds nothing: a leaf. */
function leaf(size: Range, walk: Range): Shape {
  return { ...UNKNOWN, size, walk, maybeOptional: false };
}

/** A number, a bool, a time, null. */
export const SCALAR: Shape = leaf(ONE, ONE);
/** A library value: an IP address or network has up to 16 bytes, all others count 1. */
export const OPAQUE: Shape = leaf(upTo(16), ONE);

export function text(size: Range): Shape {
  return leaf(size, upTo(Math.floor((BYTES_PER_CODE_POINT * size.max) / 10)));
}

export function listOf(item: Shape, size: Range): Shape {
  return {
    ...leaf(size, upTo(product(size.max, item.walk.max))),
    items: () => item,
    members: () => item,
    keys: () => SCALAR,
  };
}

export function mapOf(key: Shape, value: Shape, size: Range): Shape {
  return {
    ...leaf(size, upTo(product(size.max, key.walk.max + value.walk.max))),
    field: () => value,
    items: () => value,
    members: () => key,
    keys: () => key,
  };
}

/** An optional: none counts 1. */
export function optionalOf(held: Shape): Shape {
  const content = contentOf(held);
  return { ...UNKNOWN, size: union(content.size, ONE), walk: ONE, inner: () => content };
}

/**
 * What holds of both. What they hold is looked at once: names bound to names bound to names, each twice, would make a tree
 * of a million branches of twenty.
 */
export function either(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
  const fields = new Map<string, Shape>();
  return {
    size: union(a.size, b.size),
    walk: union(a.walk, b.walk),
    maybeOptional: a.maybeOptional || b.maybeOptional,
    field: (name) => {
      const known = fields.get(name) ?? either(a.field(name), b.field(name));
      fields.set(name, known);
      return known;
    },
    items: once(() => either(a.items(), b.items())),
    members: once(() => either(a.members(), b.members())),
    keys: once(() => either(a.keys(), b.keys())),
    inner: once(() => either(contentOf(a), contentOf(b))),
  };
}

function once(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Elements of a constant that are looked at one by one. */
const MOST_ELEMENTS = 100;

/** The shape of a value that is there. */
export function shapeOfValue(value: CelValue): Shape {
  if (value instanceof CelOptional) return value.present ? optionalOf(shapeOfValue(value.value)) : optionalOf(SCALAR);
  const size = exactly(costSize(value));
  const walk = exactly(traversalCost(value));
  if (isList(value)) {
    const items = listItems(value);
    return { ...listOf(all(items), size), walk };
  }
  if (!isMap(value)) return leaf(size, walk);
  const entries = mapEntries(value);
  const keys = all(entries.map(({ key }) => key));
  const values = all(entries.map((entry) => entry.value));
  const fields = new Map(entries.map((entry) => [entry.key, entry.value]));
  const field = (name: string): Shape => {
    const found = fields.get(name);
    return found === undefined ? values : shapeOfValue(found);
  };
  return { ...mapOf(keys, values, size), walk, field };
}

function all(values: readonly CelValue[]): Shape {
  if (values.length > MOST_ELEMENTS) return UNKNOWN;
  return values.map(shapeOfValue).reduce<Shape>((shape, each) => either(shape, each), SCALAR);
}

/** The shape of data that a schema or a declared type describes. Null may stand for anything, so that 1 is a size of all. */
export function shapeOfData(type: CelType, path: string, hints: SizeHints): Shape {
  const bound = hints.paths?.[path] ?? type.maxSize ?? hints.others ?? Number.POSITIVE_INFINITY;
  const size = upTo(Math.max(bound, 1));
  const item = (of: CelType | undefined): Shape => (of ? shapeOfData(of, `${path}.*`, hints) : UNKNOWN);
  switch (type.kind) {
    case 'primitive':
      return primitive(type, size);
    case 'list':
      return lazily(size, () => listOf(item(type.params[0]), size));
    case 'map': {
      const [key, value] = type.params;
      const keys = key ? shapeOfData(key, `${path}.@key`, hints) : UNKNOWN;
      return lazily(
        size,
        () => mapOf(keys, item(value), size),
        (name) => (value ? shapeOfData(value, pathBelow(path, name, hints), hints) : UNKNOWN),
      );
    }
    case 'object':
      return objectShape(type, path, size, hints);
    case 'optional':
      return type.params[0] ? optionalOf(shapeOfData(type.params[0], path, hints)) : UNKNOWN;
    case 'opaque':
      return OPAQUE;
    case 'type':
      return SCALAR;
    default:
      return {
        ...leaf(size, ANY),
        field: (name) => shapeOfData(type, `${path}.${name}`, hints),
        items: () => item(type),
        members: () => item(type),
        keys: () => text(upTo(Math.max(hints.others ?? Number.POSITIVE_INFINITY, 1))),
      };
  }
}

/** `map.name` where a hint speaks of that key, else `map.*`. */
function pathBelow(path: string, name: string, hints: SizeHints): string {
  return hints.paths && Object.hasOwn(hints.paths, `${path}.${name}`) ? `${path}.${name}` : `${path}.*`;
}

/** Walking a deep schema is put off until someone asks for what is inside. */
function lazily(size: Range, make: () => Shape, field?: (name: string) => Shape): Shape {
  const get = once(make);
  return {
    size,
    get walk() {
      return get().walk;
    },
    maybeOptional: false,
    field: field ?? ((name) => get().field(name)),
    items: () => get().items(),
    members: () => get().members(),
    keys: () => get().keys(),
    inner: () => get(),
  };
}

function primitive(type: CelType, size: Range): Shape {
  switch (type.name) {
    case 'string':
    case 'bytes':
      return text(size);
    case 'google.protobuf.Timestamp':
    case 'google.protobuf.Duration':
      // Data hold them as text.
      return leaf({ min: 1, max: 64 }, upTo(64));
    default:
      return SCALAR;
  }
}

function objectShape(type: CelType, path: string, size: Range, hints: SizeHints): Shape {
  const field = (name: string): Shape => {
    const found = type.fields?.get(name);
    return found ? shapeOfData(found.type, `${path}.${name}`, hints) : UNKNOWN;
  };
  const names = [...(type.fields?.keys() ?? [])];
  const inside = (): Shape => {
    const keys = text(upTo(Math.max(1, ...names.map((name) => name.length))));
    const values = names.map(field).reduce<Shape>((known, each) => either(known, each), SCALAR);
    return mapOf(keys, values, size);
  };
  return lazily(size, inside, field);
}
