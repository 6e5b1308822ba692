import { guessResource } from '../object/resource-name.ts';
import { type KindSchemas, kindKey } from './kind-schemas.ts';

/**
 * Which fields there are, in the form in which the engine takes a schema. Scalars have no type: a rule meets objects that
 * nothing has validated, so only the names are a promise.
 */
export interface FieldSchema {
  readonly type?: 'object' | 'array';
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema;
}

const ANYTHING: FieldSchema = Object.freeze({});

/** The schema of a kind; undefined when it is not known. */
export function fieldSchemaOf(schemas: KindSchemas, apiVersion: string, kind: string): FieldSchema | undefined {
  const type = schemas.kinds[kindKey(apiVersion, kind)];
  return type === undefined ? undefined : expand(type, schemas, []);
}

/** Kinds of an API version whose plural, guessed as kubectl guesses it, is the given one. */
export function kindsOfResource(schemas: KindSchemas, apiVersion: string, resource: string): readonly string[] {
  return Object.keys(schemas.kinds)
    .filter((key) => key.startsWith(`${apiVersion} `))
    .map((key) => key.slice(apiVersion.length + 1))
    .filter((kind) => guessResource(kind) === resource);
}

/** A type that holds itself (the schema of a schema) ends where it would come again. */
function expand(written: string, schemas: KindSchemas, within: readonly string[]): FieldSchema {
  const type = written.replace(/!$/, '');
  if (type.startsWith('[')) return { type: 'array', items: expand(type.slice(1, -1), schemas, within) };
  if (type.startsWith('{')) return { type: 'object', additionalProperties: expand(type.slice(1, -1), schemas, within) };
  const fields = schemas.types[type];
  if (fields === undefined || within.includes(type)) return ANYTHING;
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, each]) => [name, expand(each, schemas, [...within, type])] as const),
    ),
    required: entries.filter(([, each]) => each.endsWith('!')).map(([name]) => name),
  };
}

/** What several versions of a kind have together: every field of each, required only where all require it. */
export function unionOf(a: FieldSchema, b: FieldSchema): FieldSchema {
  if (a.properties && b.properties) {
    const names = new Set([...Object.keys(a.properties), ...Object.keys(b.properties)]);
    const properties: Record<string, FieldSchema> = {};
    for (const name of names) {
      const [one, other] = [a.properties[name], b.properties[name]];
      properties[name] = one && other ? unionOf(one, other) : (one ?? other ?? ANYTHING);
    }
    return { type: 'object', properties, required: (a.required ?? []).filter((name) => b.required?.includes(name)) };
  }
  if (a.items && b.items) return { type: 'array', items: unionOf(a.items, b.items) };
  if (a.additionalProperties && b.additionalProperties) {
    return { type: 'object', additionalProperties: unionOf(a.additionalProperties, b.additionalProperties) };
  }
  return ANYTHING;
}

/**
 * Paths below the root that an object from an API server always has: what its kind requires, but for what is below `status`,
 * which is empty on a new object. A part that is optional itself counts when it requires something: the API server refuses
 * the object without it.
 */
export function requiredPaths(root: FieldSchema): readonly string[] {
  const paths: string[] = [];
  const walk = (schema: FieldSchema, path: string): void => {
    for (const name of schema.required ?? []) {
      const child = `${path}.${name}`;
      paths.push(child.slice(1));
      const below = schema.properties?.[name];
      if (below) walk(below, child);
    }
  };
  for (const [name, schema] of Object.entries(root.properties ?? {})) {
    if (root.required?.includes(name)) paths.push(name);
    if (name !== 'status' && name !== 'metadata') walk(schema, `.${name}`);
  }
  return paths;
}
