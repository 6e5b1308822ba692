import { asList, isMap } from '../../core/object/fields.ts';
import { sameJson } from '../objects/api-object.ts';
import type { ListShape, MergeShape } from '../resources/resource.ts';

const ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';
const RETAIN = '$retainKeys';

/**
 * A strategic merge patch: as a merge patch, but lists whose items have a key are merged item by item. Of a list with several
 * keys the first is the merge key, unless k8s.io/api names another (`patchMergeKey`). Directives: `$patch`, `$retainKeys`, `$setElementOrder`,
 * `$deleteFromPrimitiveList`.
 */
export function strategicPatch(target: unknown, patch: unknown, shape: MergeShape): unknown {
  if (!isMap(patch)) return patch;
  const { $patch: directive, [RETAIN]: retained, ...changes } = patch;
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return changes;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  if (Array.isArray(retained))
    for (const name of Object.keys(result)) if (!retained.includes(name)) delete result[name];
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith(ORDER)) continue;
    if (name.startsWith(DELETE_VALUES)) {
      const list = name.slice(DELETE_VALUES.length);
      result[list] = asList(result[list]).filter((one) => !asList(value).includes(one));
      continue;
    }
    const next = Array.isArray(value)
      ? patchList(result[name], value, shape.child(name))
      : strategicPatch(result[name], value, shape.child(name));
    if (next === null || next === undefined) delete result[name];
    else result[name] = next;
  }
  for (const [name, order] of Object.entries(changes)) {
    if (!name.startsWith(ORDER)) continue;
    const list = name.slice(ORDER.length);
    if (Array.isArray(result[list])) result[list] = inOrder(result[list], asList(order), shape.child(list).list);
  }
  return result;
}

/** What tells the items of a list apart; undefined for one that is replaced as a whole. */
function mergeKey(list: ListShape): string | undefined {
  if (list.kind === 'set') return undefined;
  return list.patchKey ?? (list.kind === 'map' ? list.keys[0] : undefined);
}

function patchList(target: unknown, patch: readonly unknown[], shape: MergeShape): unknown {
  const { list } = shape;
  const key = mergeKey(list);
  const old = asList(target);
  if (list.kind === 'set') return [...old, ...patch.filter((one) => !old.includes(one))];
  if (key === undefined) return patch;
  if (patch.some((item) => isMap(item) && item['$patch'] === 'replace' && Object.keys(item).length === 1)) {
    return patch.filter((item) => !(isMap(item) && item['$patch'] === 'replace'));
  }
  const items = [...old];
  for (const change of patch) {
    const place = items.findIndex((item) => isMap(item) && isMap(change) && sameJson(item[key], change[key]));
    const next = strategicPatch(place < 0 ? {} : items[place], change, shape);
    if (next === undefined) {
      if (place >= 0) items.splice(place, 1);
    } else if (place < 0) items.push(next);
    else items[place] = next;
  }
  return items;
}

/** The items in the order that is asked for; the others keep their place behind them. */
function inOrder(items: readonly unknown[], order: readonly unknown[], list: ListShape): unknown[] {
  const key = mergeKey(list) ?? '';
  const rank = (item: unknown): number => {
    const place = order.findIndex((one) =>
      isMap(one) && isMap(item) ? sameJson(one[key], item[key]) : sameJson(one, item),
    );
    return place < 0 ? order.length : place;
  };
  return [...items].sort((a, b) => rank(a) - rank(b));
}
