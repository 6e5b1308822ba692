import { RESERVED_WORDS } from '../syntax/lexer.ts';
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  list,
  map,
  type ObjectField,
  STRING,
  TIMESTAMP,
} from '../value/cel-type.ts';
import { codePointLength } from '../value/size.ts';

/** The part of a structural OpenAPI v3 schema that decides types. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

/**
 * Schemas nested deeper than this are dyn, and what lies behind this many schemas. A structural schema is a tree, but its
 * author may be a program: a document whose references were resolved holds itself, or one part many times.
 */
const MAX_DEPTH = 64;
const MOST_SCHEMAS = 100_000;

/**
 * The CEL type of values that a schema describes. Fields of objects have their CEL names (`escapeFieldName`), with the
 * property's name as `wireName` where it differs. `name` names the type in messages: `object.spec`.
 */
export function typeOfSchema(schema: JsonSchema, name = 'object'): CelType {
  return typeAt(schema, name, 0, { left: MOST_SCHEMAS, within: new Set() });
}

interface Allowance {
  /** How many schemas may still be read. */
  left: number;
  /** Those that are being read: one of them again is dyn. */
  readonly within: Set<JsonSchema>;
}

function typeAt(schema: JsonSchema, name: string, depth: number, allowance: Allowance): CelType {
  allowance.left -= 1;
  if (depth > MAX_DEPTH || allowance.left < 0 || allowance.within.has(schema)) return DYN;
  allowance.within.add(schema);
  const type = typeOf(schema, name, depth, allowance);
  allowance.within.delete(schema);
  return type;
}

function typeOf(schema: JsonSchema, name: string, depth: number, allowance: Allowance): CelType {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN;
  switch (schema.type) {
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return stringType(schema);
    case 'array':
      return bounded(
        list(schema.items ? typeAt(schema.items, `${name}.@idx`, depth + 1, allowance) : DYN),
        schema.maxItems,
      );
    case 'object':
      return objectType(schema, name, depth, allowance);
    default:
      return schema.properties ? objectType(schema, name, depth, allowance) : DYN;
  }
}

/** A type with the largest size its schema allows. */
function bounded(type: CelType, maxSize: number | undefined): CelType {
  return maxSize === undefined ? type : new CelType(type.kind, type.name, type.params, type.fields, maxSize);
}

/** Code points of the longest text that `enum` and `maxLength` allow. */
function longestText({ enum: values, maxLength }: JsonSchema): number | undefined {
  if (!values || values.length === 0) return maxLength;
  const longest = Math.max(...values.map((value) => (typeof value === 'string' ? codePointLength(value) : 0)));
  return Math.min(longest, maxLength ?? longest);
}

function stringType(schema: JsonSchema): CelType {
  switch (schema.format) {
    case 'byte':
      return bounded(BYTES, schema.maxLength);
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    case 'duration':
      return DURATION;
    default:
      return bounded(STRING, longestText(schema));
  }
}

function objectType(schema: JsonSchema, name: string, depth: number, allowance: Allowance): CelType {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (schema.properties || embedded) {
    const fields = new Map<string, ObjectField>();
    const required = new Set(schema.required);
    for (const [property, each] of Object.entries(schema.properties ?? {})) {
      const type = typeAt(each, `${name}.${property}`, depth + 1, allowance);
      const { description } = each;
      const field = { type, required: required.has(property), ...(description === undefined ? {} : { description }) };
      addField(fields, property, field);
    }
    if (embedded) addResourceFields(fields, name);
    return new CelType('object', name, [], fields, mostProperties(schema));
  }
  const more = schema.additionalProperties;
  if (typeof more === 'object') {
    return bounded(map(STRING, typeAt(more, `${name}.@elem`, depth + 1, allowance)), schema.maxProperties);
  }
  // Nothing said about the fields (`metadata: {type: object}` of a CRD) means nothing is known, not that there are none.
  return DYN;
}

/** An object has the properties of its schema and no others, unless it says that it keeps unknown ones. */
function mostProperties(schema: JsonSchema): number | undefined {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-embedded-resource'];
  if (open) return schema.maxProperties;
  const known = Object.keys(schema.properties ?? {}).length;
  return Math.min(known, schema.maxProperties ?? known);
}

function addField(fields: Map<string, ObjectField>, property: string, field: ObjectField): void {
  const celName = escapeFieldName(property);
  if (celName === property) fields.set(property, field);
  else {
    const escaped = { ...field, wireName: property };
    fields.set(celName, escaped);
    // The raw name serves quoted fields and, for reserved words, plain selection: `obj.namespace` is always allowed.
    if (!fields.has(property)) fields.set(property, field);
  }
}

/** Every embedded resource has apiVersion, kind and metadata with a name, whatever its schema says. */
function addResourceFields(fields: Map<string, ObjectField>, name: string): void {
  const text = { type: STRING, required: true };
  if (!fields.has('apiVersion')) fields.set('apiVersion', text);
  if (!fields.has('kind')) fields.set('kind', text);
  const known = fields.get('metadata');
  const metadata = new Map(known?.type.fields ?? []);
  if (!metadata.has('name')) metadata.set('name', { type: STRING, required: false });
  if (!metadata.has('generateName')) metadata.set('generateName', { type: STRING, required: false });
  fields.set('metadata', { type: new CelType('object', `${name}.metadata`, [], metadata), required: true });
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/**
 * The CEL name of a property (the API server's escapes): `a-b` → `a__dash__b`, `x__y` → `x__underscores__y`, a reserved
 * word `for` → `__for__`. A name that no escape makes an identifier comes back as it is and is reached by index.
 */
export function escapeFieldName(property: string): string {
  if (RESERVED_WORDS.has(property) || ['true', 'false', 'null', 'in'].includes(property)) return `__${property}__`;
  const escaped = property.replace(/__|[./-]/g, (found) => ESCAPES.get(found) ?? found);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : property;
}
