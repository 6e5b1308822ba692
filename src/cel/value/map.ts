import { CelError } from '../error.ts';
import { CelObject } from './cel-object.ts';
import { CelDouble, CelUint, type CelValue } from './cel-value.ts';
import { canonicalNumber, intFromBigInt } from './number.ts';

/** How a key is looked up: int, uint and integral double of equal value are one key; string "1" is not int 1. */
export type MapKey = string | number | bigint | boolean;

/** A map with keys other than strings, or one built by an expression. Insertion order. */
export class CelMap extends CelObject {
  private readonly table = new Map<MapKey, { readonly key: CelValue; readonly value: CelValue }>();

  get size(): number {
    return this.table.size;
  }
  /** False, and nothing changed, when the key is there already. */
  insert(key: CelValue, canonical: MapKey, value: CelValue): boolean {
    if (this.table.has(canonical)) return false;
    this.table.set(canonical, { key, value });
    return true;
  }
  get(canonical: MapKey): CelValue | undefined {
    return this.table.get(canonical)?.value;
  }
  has(canonical: MapKey): boolean {
    return this.table.has(canonical);
  }
  entries(): Iterable<{ readonly key: CelValue; readonly value: CelValue }> {
    return this.table.values();
  }
}

/** The look-up form of a key, or undefined when a value of this type can never be a key of a map. */
export function mapKey(key: CelValue): MapKey | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint') return key;
  if (typeof key === 'number') return Number.isNaN(key) ? undefined : key;
  if (key instanceof CelUint) return intFromBigInt(key.value);
  if (key instanceof CelDouble) {
    const whole = canonicalNumber(key.value);
    return typeof whole === 'number' || typeof whole === 'bigint' ? whole : key.value;
  }
  return undefined;
}

/** True for both representations of a map. */
export function isMap(value: unknown): value is CelMap | { readonly [field: string]: CelValue } {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof CelObject) return value instanceof CelMap;
  return !Array.isArray(value) && !(value instanceof Uint8Array) && !(value instanceof CelError);
}

/** The value under a key, undefined when absent. Own properties only; a property that is `undefined` is absent. */
export function mapGet(target: CelMap | { readonly [field: string]: CelValue }, key: MapKey): CelValue | undefined {
  if (target instanceof CelMap) return target.get(key);
  if (typeof key !== 'string' || !Object.hasOwn(target, key)) return undefined;
  const value = target[key];
  return typeof value === 'number' ? canonicalNumber(value) : value;
}

export function mapSize(target: CelMap | { readonly [field: string]: CelValue }): number {
  if (target instanceof CelMap) return target.size;
  let size = 0;
  for (const key of Object.keys(target)) if (target[key] !== undefined) size += 1;
  return size;
}

/** Entries in insertion order, absent (`undefined`) properties left out, numbers canonical. */
export function mapEntries(
  target: CelMap | { readonly [field: string]: CelValue },
): readonly { readonly key: CelValue; readonly value: CelValue }[] {
  if (target instanceof CelMap) return [...target.entries()];
  const entries: { key: CelValue; value: CelValue }[] = [];
  for (const key of Object.keys(target)) {
    const value = target[key];
    if (value !== undefined) entries.push({ key, value: typeof value === 'number' ? canonicalNumber(value) : value });
  }
  return entries;
}
