import { isMap, type JsonMap } from '../object/fields.ts';
import type { Schema } from './schema.ts';

/** What does not fit, in the words of a person who looks at the object: `spec.source.git.url: a text is missing`. */
export interface ReadProblem {
  readonly problem: string;
}

export type Read<Type> = { readonly value: Type } | ReadProblem;

/**
 * The value with its defaults, if it is what the schema describes; fields that the schema does not know are left out. Formats, bounds
 * and CEL rules are the API server's part: what it stored has passed them, and a reader that is stricter than the writer was stops a
 * whole controller for one old object.
 */
export function read<Type>(schema: Schema<Type>, value: unknown, path = ''): Read<Type> {
  try {
    // The walk below builds exactly what the schema describes.
    return { value: readValue(schema.openApi, value, path) as Type };
  } catch (error) {
    if (error instanceof Misfit) return { problem: error.message };
    throw error;
  }
}

class Misfit extends Error {}

function misfit(path: string, what: string): never {
  throw new Misfit(`${path === '' ? 'the object' : path}: ${what}`);
}

function readValue(schema: JsonMap, value: unknown, path: string): unknown {
  const known = value ?? schema['default'];
  switch (schema['type']) {
    case 'object':
      return isMap(known) ? readMap(schema, known, path) : misfit(path, 'a map is missing');
    case 'array':
      if (!Array.isArray(known)) misfit(path, 'a list is missing');
      return known.map((item, index) => readValue(schema['items'] as JsonMap, item, `${path}[${index}]`));
    case 'integer':
      if (typeof known === 'bigint') return Number(known);
      return Number.isInteger(known) ? known : misfit(path, 'a whole number is missing');
    case 'boolean':
      return typeof known === 'boolean' ? known : misfit(path, 'true or false is missing');
    default:
      return typeof known === 'string' ? known : misfit(path, 'a text is missing');
  }
}

function readMap(schema: JsonMap, value: JsonMap, path: string): JsonMap {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return value;
  const each = schema['additionalProperties'];
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (isMap(each)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, readValue(each, item, at(name))]));
  }
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonMap>)) {
    const given = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    if (given === undefined && !required.has(name) && property['default'] === undefined) continue;
    result[name] = readValue(property, given, at(name));
  }
  return result;
}
