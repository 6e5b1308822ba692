import type { ObjectRef } from './kubernetes-object.ts';

/** A JSON object. Lists, null and scalars are not. */
export type JsonMap = Readonly<Record<string, unknown>>;

const EMPTY: JsonMap = Object.freeze({});

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a map, else an empty map: objects come from files that nothing has validated. */
export function asMap(value: unknown): JsonMap {
  return isMap(value) ? value : EMPTY;
}

/** The value if it is a list, else an empty list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string, else ''. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An own field of a map; undefined for everything that is not a map. */
export function field(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A whole number, also when it is written as a string of digits (some controllers do); else undefined. */
export function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value);
  return undefined;
}

/** Milliseconds since 1970 of an RFC 3339 time; undefined when the value is not one. */
export function asTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** `apps/v1` → group `apps`, version `v1`; `v1` → group ''. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** What names the object; a part that is missing or no string is ''. */
export function refOf(object: unknown): ObjectRef {
  const metadata = asMap(field(object, 'metadata'));
  return {
    ...splitApiVersion(asString(field(object, 'apiVersion'))),
    kind: asString(field(object, 'kind')),
    namespace: asString(metadata['namespace']),
    name: asString(metadata['name']),
  };
}
