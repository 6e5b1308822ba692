import { isMap } from '../../core/object/fields.ts';
import { child, type FieldSet, itemsOf, joinPath, type Place, touches } from './field-set.ts';

/** `live` with what `applied` says laid over it: maps by field, lists by the keys of their items, all else as a whole. */
export function mergeApplied(live: unknown, applied: unknown, place: Place): unknown {
  if (isMap(applied) && isMap(live) && !place.shape.atomicMap) {
    const merged: Record<string, unknown> = { ...live };
    for (const [name, value] of Object.entries(applied)) {
      merged[name] = mergeApplied(live[name], value, child(place, name));
    }
    return merged;
  }
  const old = Array.isArray(live) ? itemsOf(place, live) : undefined;
  const items = Array.isArray(applied) ? itemsOf(place, applied) : undefined;
  if (old === undefined || items === undefined) return applied;
  const merged = new Map(old);
  for (const [element, item] of items) {
    const inner = { path: joinPath(place.path, element), shape: place.shape };
    merged.set(element, isMap(item) ? mergeApplied(old.get(element) ?? {}, item, inner) : item);
  }
  return [...merged.values()];
}

/** The value without the given fields. A map or item that is left empty goes too; undefined when nothing is left. */
export function withoutFields(value: unknown, fields: FieldSet, place: Place): unknown {
  if (place.path !== '' && !touches(fields, place.path)) return value;
  if (isMap(value) && !place.shape.atomicMap && Object.keys(value).length > 0) {
    const kept: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      const rest = withoutFields(inner, fields, child(place, name));
      if (rest !== undefined) kept[name] = rest;
    }
    return Object.keys(kept).length === 0 ? undefined : kept;
  }
  const items = Array.isArray(value) ? itemsOf(place, value) : undefined;
  if (items === undefined) return fields.has(place.path) ? undefined : value;
  const kept: unknown[] = [];
  for (const [element, item] of items) {
    const path = joinPath(place.path, element);
    if (fields.has(path)) continue;
    const rest = isMap(item) ? withoutFields(item, fields, { path, shape: place.shape }) : item;
    if (rest !== undefined) kept.push(rest);
  }
  return kept.length === 0 ? undefined : kept;
}
