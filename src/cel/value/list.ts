import { CelObject } from './cel-object.ts';
import type { CelValue } from './cel-value.ts';
import { canonicalNumber } from './number.ts';

/**
 * The view that `+` makes of two long lists. `+` costs one unit whatever the length, so it must not copy; the first index
 * or iteration flattens it once.
 */
export class CelConcatList extends CelObject {
  readonly length: number;
  private left: readonly CelValue[] | CelConcatList | undefined;
  private right: readonly CelValue[] | CelConcatList | undefined;
  private flat: readonly CelValue[] | undefined;

  constructor(left: readonly CelValue[] | CelConcatList, right: readonly CelValue[] | CelConcatList) {
    super();
    this.left = left;
    this.right = right;
    this.length = left.length + right.length;
  }

  items(): readonly CelValue[] {
    if (this.flat) return this.flat;
    const flat: CelValue[] = [];
    // An explicit stack: a list built by a thousand additions is a thousand levels deep.
    const pending: (readonly CelValue[] | CelConcatList)[] = [this.right!, this.left!];
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (!(next instanceof CelConcatList)) for (const item of next) flat.push(item);
      else if (next.flat) for (const item of next.flat) flat.push(item);
      else pending.push(next.right!, next.left!);
    }
    this.left = undefined;
    this.right = undefined;
    this.flat = flat;
    return flat;
  }
}

export type CelList = readonly CelValue[] | CelConcatList;

export function isList(value: unknown): value is CelList {
  return Array.isArray(value) || value instanceof CelConcatList;
}

/** The elements with every number canonical; copies only when the data hold an integer beyond 2⁵³−1. */
export function listItems(value: CelList): readonly CelValue[] {
  const items = value instanceof CelConcatList ? value.items() : value;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined || (typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item))) {
      return Array.from(items, (each) => (typeof each === 'number' ? canonicalNumber(each) : (each ?? null)));
    }
  }
  return items;
}
