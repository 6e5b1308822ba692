import { CelObject } from '../../src/cel/value/cel-object.ts';
import { CelType } from '../../src/cel/value/cel-type.ts';
import { CelDouble, CelOptional, CelUint, type CelValue } from '../../src/cel/value/cel-value.ts';
import { isList, listItems } from '../../src/cel/value/list.ts';
import { isMap, mapEntries, mapKey } from '../../src/cel/value/map.ts';

/**
 * Equality of an expected and an actual value that tells types apart: 1, 1u and 1.0 are three values, NaN is itself. Map
 * entries may come in any order.
 */
export function sameValue(expected: CelValue, actual: CelValue): boolean {
  if (isList(expected)) return isList(actual) && sameItems(listItems(expected), listItems(actual));
  if (isMap(expected)) return isMap(actual) && sameEntries(mapEntries(expected), mapEntries(actual));
  if (expected instanceof Uint8Array) return actual instanceof Uint8Array && sameItems([...expected], [...actual]);
  if (expected instanceof CelUint) return actual instanceof CelUint && expected.value === actual.value;
  if (expected instanceof CelDouble) return actual instanceof CelDouble && expected.value === actual.value;
  if (expected instanceof CelType) return actual instanceof CelType && expected.name === actual.name;
  return Object.is(expected, actual);
}

function sameItems(expected: readonly CelValue[], actual: readonly CelValue[]): boolean {
  return expected.length === actual.length && expected.every((item, index) => sameValue(item, actual[index] ?? null));
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
}

function sameEntries(expected: readonly Entry[], actual: readonly Entry[]): boolean {
  if (expected.length !== actual.length) return false;
  const byKey = new Map(actual.map((entry) => [mapKey(entry.key), entry]));
  return expected.every(({ key, value }) => {
    const found = byKey.get(mapKey(key));
    return found !== undefined && sameValue(key, found.key) && sameValue(value, found.value);
  });
}

/** A value as a failure message shows it, with its type where JSON would hide it. */
export function describeValue(value: CelValue): string {
  if (isList(value)) return `[${listItems(value).map(describeValue).join(', ')}]`;
  if (isMap(value)) {
    return `{${mapEntries(value)
      .map(({ key, value: each }) => `${describeValue(key)}: ${describeValue(each)}`)
      .join(', ')}}`;
  }
  if (value instanceof Uint8Array) return `b[${value.join(' ')}]`;
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return `double ${value.value}`;
  if (value instanceof CelType) return `type ${value}`;
  if (value instanceof CelOptional)
    return value.present ? `optional(${describeValue(value.value)})` : 'optional.none()';
  if (value instanceof CelObject) return value.constructor.name;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
