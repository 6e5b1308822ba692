import { asMap, isMap } from '../../core/object/fields.ts';
import { sameJson } from '../objects/api-object.ts';
import type { ListShape, MergeShape } from '../resources/resource.ts';

/**
 * A set of fields. Each is a path of FieldsV1 elements joined by line feeds: `f:NAME` a field, `k:{…}` an item by its keys,
 * `v:VALUE` an item of a set. An item stands in the set itself, beside the fields in it.
 */
export type FieldSet = Set<string>;

const JOIN = '\n';

export function joinPath(prefix: string, element: string): string {
  return prefix === '' ? element : `${prefix}${JOIN}${element}`;
}

/** Whether the set holds the field or one inside it. */
export function touches(set: FieldSet, path: string): boolean {
  if (set.has(path)) return true;
  for (const one of set) if (one.startsWith(`${path}${JOIN}`)) return true;
  return false;
}

/** The element that names an item of a list; undefined when it has no key of its own. */
export function itemElement(shape: ListShape, item: unknown): string | undefined {
  switch (shape.kind) {
    case 'set':
      return `v:${JSON.stringify(item)}`;
    case 'map': {
      if (!isMap(item)) return undefined;
      const [only = '', ...others] = shape.keys;
      if (others.length === 0 && typeof item[only] === 'string') return `k:{"${only}":${JSON.stringify(item[only])}}`;
      const keys = [...shape.keys].sort().map((key) => [key, item[key] ?? shape.defaults[key]] as const);
      return keys.some(([, value]) => value === undefined)
        ? undefined
        : `k:${JSON.stringify(Object.fromEntries(keys))}`;
    }
    case 'atomic':
      return undefined;
  }
}

/** Where a walk is: as a path of the set, and what is known of what stands there. */
export interface Place {
  readonly path: string;
  readonly shape: MergeShape;
}

export function rootPlace(shape: MergeShape): Place {
  return { path: '', shape };
}

export function child({ path, shape }: Place, name: string): Place {
  return { path: joinPath(path, `f:${name}`), shape: shape.child(name) };
}

/** Items of a list by their element, in order; undefined when the list is atomic or an item has no key. */
export function itemsOf({ shape }: Place, list: readonly unknown[]): Map<string, unknown> | undefined {
  const listShape = shape.list;
  if (listShape.kind === 'atomic') return undefined;
  const items = new Map<string, unknown>();
  for (const item of list) {
    const element = itemElement(listShape, item);
    if (element === undefined) return undefined;
    items.set(element, item);
  }
  return items;
}

/** Every field that a value sets. */
export function fieldsOf(value: unknown, place: Place, into: FieldSet = new Set()): FieldSet {
  if (isMap(value) && !place.shape.atomicMap && Object.keys(value).length > 0) {
    for (const [name, inner] of Object.entries(value)) {
      if (inner !== undefined) fieldsOf(inner, child(place, name), into);
    }
    return into;
  }
  const items = Array.isArray(value) ? itemsOf(place, value) : undefined;
  if (items === undefined || items.size === 0) {
    if (place.path !== '') into.add(place.path);
    return into;
  }
  for (const [element, item] of items) {
    const path = joinPath(place.path, element);
    into.add(path);
    if (isMap(item)) fieldsOf(item, { path, shape: place.shape }, into);
  }
  return into;
}

/** How one value differs from another. */
export interface Difference {
  /** Fields that are new or different. */
  readonly changed: FieldSet;
  /** Fields that are there no more, in no other way either. */
  readonly gone: FieldSet;
}

function replaced(before: unknown, after: unknown, place: Place, { changed, gone }: Difference): void {
  if (sameJson(before, after)) return;
  const now = fieldsOf(after, place);
  for (const path of now) changed.add(path);
  for (const path of fieldsOf(before, place)) if (!touches(now, path)) gone.add(path);
}

function compareItems(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  place: Place,
  into: Difference,
): void {
  for (const [element, item] of after) {
    const path = joinPath(place.path, element);
    const known = before.get(element);
    if (known === undefined) into.changed.add(path);
    if (isMap(item)) compare(known ?? {}, item, { path, shape: place.shape }, into);
  }
  for (const [element, item] of before) {
    if (after.has(element)) continue;
    const path = joinPath(place.path, element);
    into.gone.add(path);
    if (isMap(item)) fieldsOf(item, { path, shape: place.shape }, into.gone);
  }
}

function compare(before: unknown, after: unknown, place: Place, into: Difference): void {
  if (before === after) return;
  if (after === undefined) fieldsOf(before, place, into.gone);
  else if (before === undefined) fieldsOf(after, place, into.changed);
  else if (isMap(before) && isMap(after) && !place.shape.atomicMap) {
    for (const name of Object.keys(after)) {
      if (before[name] !== after[name]) compare(before[name], after[name], child(place, name), into);
    }
    for (const name of Object.keys(before)) {
      if (after[name] === undefined) compare(before[name], undefined, child(place, name), into);
    }
  } else {
    const old = Array.isArray(before) ? itemsOf(place, before) : undefined;
    const items = Array.isArray(after) ? itemsOf(place, after) : undefined;
    if (old === undefined || items === undefined) replaced(before, after, place, into);
    else compareItems(old, items, place, into);
  }
}

/** What differs between two values that stand at a place. Parts that both share are passed over. */
export function difference(before: unknown, after: unknown, place: Place): Difference {
  const into: Difference = { changed: new Set(), gone: new Set() };
  compare(before, after, place, into);
  return into;
}

/** Sets that many objects have in common, such as those of pods of one template: they share one form. */
const written = new Map<string, Record<string, unknown>>();
/** Forms that are kept; with this many the map is emptied and filled anew. */
const MOST_WRITTEN = 5_000;

/** Owners are told apart by their uid: the one part that no two objects of a controller's have in common. */
const OWNERS = 'f:metadata\nf:ownerReferences';

/** A set as `fieldsV1`. What is returned is shared and must not be changed. */
export function toFieldsV1(set: FieldSet): Record<string, unknown> {
  const common: string[] = [];
  const owners: string[] = [];
  for (const path of set) (path.startsWith(OWNERS) ? owners : common).push(path);
  const form = commonForm(common);
  if (owners.length === 0) return form;
  const own = writeFieldsV1(owners);
  const metadata = { ...asMap(form['f:metadata']), ...asMap(own['f:metadata']) };
  return { ...form, 'f:metadata': metadata };
}

function commonForm(set: readonly string[]): Record<string, unknown> {
  const key = set.join('\0');
  let form = written.get(key);
  if (form === undefined) {
    form = writeFieldsV1(set);
    if (written.size >= MOST_WRITTEN) written.clear();
    written.set(key, form);
  }
  return form;
}

/** A field with others inside it is marked by a dot. */
function writeFieldsV1(set: readonly string[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const marked: Record<string, unknown>[] = [];
  for (const path of [...set].sort()) {
    let node = root;
    for (const element of path.split(JOIN)) {
      const next = (node[element] ?? {}) as Record<string, unknown>;
      node[element] = next;
      node = next;
    }
    marked.push(node);
  }
  for (const node of marked) if (Object.keys(node).length > 0) node['.'] = {};
  return root;
}

/** The set that `fieldsV1` says. */
export function fromFieldsV1(node: unknown, path = '', into: FieldSet = new Set()): FieldSet {
  const entries = isMap(node) ? Object.entries(node) : [];
  if (entries.length === 0 && path !== '') into.add(path);
  for (const [element, inner] of entries) {
    if (element === '.') into.add(path);
    else fromFieldsV1(inner, joinPath(path, element), into);
  }
  return into;
}

/** A path as people write it: `.spec.template.spec.containers[name="app"].image`. */
export function fieldText(path: string): string {
  return path
    .split(JOIN)
    .map((element) => {
      const text = element.slice(2);
      if (element.startsWith('f:')) return `.${text}`;
      if (element.startsWith('v:')) return `[=${text}]`;
      const keys = JSON.parse(text) as Record<string, unknown>;
      return `[${Object.entries(keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');
}
