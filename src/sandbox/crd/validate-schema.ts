import { RE2JS } from 're2js';
import { isMap } from '../../core/object/fields.ts';
import { sameJson } from '../objects/api-object.ts';
import type { Fault } from '../resources/validation.ts';
import { propertyOf, type StructuralSchema } from './structural-schema.ts';

const patterns = new Map<string, RE2JS>();

/** Patterns are RE2, as the API server reads them; one that does not compile matches nothing. */
function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    compiled = RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
  }
  return compiled.matcher(text).find();
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isMap(value) ? 'object' : typeof value;
}

function fitsType(value: unknown, schema: StructuralSchema): boolean {
  const type = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) return type === 'integer' || type === 'string';
  return schema.type === undefined || schema.type === type || (schema.type === 'number' && type === 'integer');
}

function shown(value: unknown): string {
  return isMap(value) ? '"object"' : Array.isArray(value) ? '"array"' : JSON.stringify(value);
}

/** What is wrong with a value, in the words of the API server. */
export function schemaFaults(value: unknown, schema: StructuralSchema, path: string): Fault[] {
  if (value === null && schema.nullable === true) return [];
  const wrong = (why: string, given: unknown = value): Fault => ({
    field: path,
    message: `Invalid value: ${shown(given)}: ${path} in body ${why}`,
  });
  if (!fitsType(value, schema)) {
    const wanted = schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : schema.type;
    return [
      { ...wrong(`must be of type ${wanted}: "${typeOf(value)}"`, typeOf(value)), reason: 'FieldValueTypeInvalid' },
    ];
  }
  const faults: Fault[] = [];
  if (schema.enum !== undefined && !schema.enum.some((one) => sameJson(one, value))) {
    const values = schema.enum.map((one) => JSON.stringify(one)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`;
    faults.push({ field: path, message, reason: 'FieldValueNotSupported' });
  }
  if (typeof value === 'string') {
    faults.push(...textFaults(value, schema).map((why) => wrong(why)));
    if (schema.maxLength !== undefined && [...value].length > schema.maxLength) {
      const message = `Too long: may not be more than ${schema.maxLength} bytes`;
      faults.push({ field: path, message, reason: 'FieldValueTooLong' });
    }
  }
  if (typeof value === 'number') faults.push(...numberFaults(value, schema).map((why) => wrong(why)));
  if (Array.isArray(value)) faults.push(...listFaults(value, schema, path, wrong));
  else if (isMap(value)) faults.push(...mapFaults(value, schema, path, wrong));
  return [...faults, ...combinedFaults(value, schema, path, wrong)];
}

function textFaults(value: string, { minLength, pattern }: StructuralSchema): string[] {
  const length = [...value].length;
  const faults: string[] = [];
  if (minLength !== undefined && length < minLength) faults.push(`should be at least ${minLength} chars long`);
  if (pattern !== undefined && !matches(pattern, value)) faults.push(`should match '${pattern}'`);
  return faults;
}

function numberFaults(value: number, schema: StructuralSchema): string[] {
  const { minimum, maximum, multipleOf } = schema;
  const faults: string[] = [];
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    faults.push(`should be greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`);
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    faults.push(`should be less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`);
  }
  if (multipleOf !== undefined && value % multipleOf !== 0) faults.push(`should be a multiple of ${multipleOf}`);
  return faults;
}

type Wrong = (why: string) => Fault;

function listFaults(list: readonly unknown[], schema: StructuralSchema, path: string, wrong: Wrong): Fault[] {
  const { items, minItems, maxItems } = schema;
  const faults: Fault[] = [];
  if (minItems !== undefined && list.length < minItems) faults.push(wrong(`should have at least ${minItems} items`));
  if (maxItems !== undefined && list.length > maxItems) faults.push(wrong(`should have at most ${maxItems} items`));
  const keys = list.map((item) => itemKey(item, schema));
  keys.forEach((key, place) => {
    if (key !== undefined && keys.indexOf(key) < place) {
      faults.push({ field: `${path}[${place}]`, message: `Duplicate value: ${key}`, reason: 'FieldValueDuplicate' });
    }
  });
  if (items !== undefined)
    faults.push(...list.flatMap((item, place) => schemaFaults(item, items, `${path}[${place}]`)));
  return faults;
}

function itemKey(item: unknown, schema: StructuralSchema): string | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return JSON.stringify(item);
  if (schema['x-kubernetes-list-type'] !== 'map' || !isMap(item)) return undefined;
  return JSON.stringify(
    Object.fromEntries((schema['x-kubernetes-list-map-keys'] ?? []).map((key) => [key, item[key]])),
  );
}

function mapFaults(
  map: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
  path: string,
  wrong: Wrong,
): Fault[] {
  const { required = [], minProperties, maxProperties } = schema;
  const size = Object.keys(map).length;
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const faults: Fault[] = required
    .filter((name) => map[name] === undefined)
    .map((name) => ({ field: below(name), message: 'Required value', reason: 'FieldValueRequired' }));
  if (minProperties !== undefined && size < minProperties)
    faults.push(wrong(`should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && size > maxProperties)
    faults.push(wrong(`should have at most ${maxProperties} properties`));
  for (const [name, value] of Object.entries(map)) {
    const property = propertyOf(schema, name);
    if (property !== undefined) faults.push(...schemaFaults(value, property, below(name)));
  }
  return faults;
}

function combinedFaults(value: unknown, schema: StructuralSchema, path: string, wrong: Wrong): Fault[] {
  const fits = (one: StructuralSchema): boolean => schemaFaults(value, one, path).length === 0;
  const faults = (schema.allOf ?? []).flatMap((one) => schemaFaults(value, one, path));
  if (schema.anyOf !== undefined && !schema.anyOf.some(fits))
    faults.push(wrong('must validate at least one schema (anyOf)'));
  if (schema.oneOf !== undefined && schema.oneOf.filter(fits).length !== 1) {
    faults.push(wrong('must validate one and only one schema (oneOf)'));
  }
  if (schema.not !== undefined && fits(schema.not)) faults.push(wrong('must not validate the schema (not)'));
  return faults;
}
