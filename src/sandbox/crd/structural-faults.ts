import { asList, asMap, isMap } from '../../core/object/fields.ts';
import { clone } from '../objects/api-object.ts';
import type { Fault } from '../resources/validation.ts';
import { prune, type StructuralSchema } from './structural-schema.ts';
import { schemaFaults } from './validate-schema.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
/** What a schema inside allOf, anyOf, oneOf and not may not say: it only narrows what stands beside it. */
const STRUCTURE = ['type', 'default', 'additionalProperties', 'nullable', 'title', 'description'] as const;

const missing = (field: string, why: string): Fault => ({
  field,
  message: `Required value: ${why}`,
  reason: 'FieldValueRequired',
});
const forbidden = (field: string, why: string): Fault => ({
  field,
  message: `Forbidden: ${why}`,
  reason: 'FieldValueForbidden',
});
const wrong = (field: string, value: unknown, why: string): Fault => ({
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

function typeFaults(schema: StructuralSchema, path: string, what: string): Fault[] {
  const { type = '' } = schema;
  const anything =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '') return anything ? [] : [missing(`${path}.type`, `must not be empty ${what}`)];
  if (TYPES.includes(type)) return [];
  const supported = TYPES.map((one) => `"${one}"`).join(', ');
  const message = `Unsupported value: "${type}": supported values: ${supported}`;
  return [{ field: `${path}.type`, message, reason: 'FieldValueNotSupported' }];
}

function listFaults(schema: StructuralSchema, path: string): Fault[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema.type === 'array' && schema.items === undefined) return [missing(`${path}.items`, 'must be specified')];
  if (listType !== undefined && schema.type !== 'array') {
    return [wrong(`${path}.type`, schema.type ?? '', `must be array if x-kubernetes-list-type is ${listType}`)];
  }
  if (listType !== 'map') {
    return keys.length === 0
      ? []
      : [
          wrong(
            `${path}.x-kubernetes-list-type`,
            listType ?? '',
            'must be map if x-kubernetes-list-map-keys is non-empty',
          ),
        ];
  }
  if (keys.length === 0) {
    return [missing(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')];
  }
  const { properties = {}, required } = schema.items ?? {};
  return keys.flatMap((key, place) => {
    const field = `${path}.x-kubernetes-list-map-keys[${place}]`;
    const property = properties[key];
    if (property === undefined) return [wrong(field, key, 'must name an existing property of the items')];
    if (property.type === 'array' || property.type === 'object') {
      return [
        wrong(
          `${path}.items.properties[${key}].type`,
          property.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      ];
    }
    if (asList(required).includes(key) || property.default !== undefined) return [];
    return [
      missing(
        `${path}.items.properties[${key}].default`,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    ];
  });
}

function defaultFaults(schema: StructuralSchema, path: string): Fault[] {
  if (schema.default === undefined) return [];
  const field = `${path}.default`;
  const unknown = prune(clone(schema.default), schema, false);
  if (unknown.length > 0) return [wrong(field, schema.default, 'must not have unknown fields')];
  return schemaFaults(schema.default, schema, '').map(({ message }) => ({ field, message }));
}

/** Of a schema that only narrows: it may say nothing of structure, and only of fields that the structure has. */
function narrowingFaults(narrow: StructuralSchema, structure: StructuralSchema, path: string): Fault[] {
  const anyType = structure['x-kubernetes-int-or-string'] === true;
  const faults = STRUCTURE.filter((name) => asMap(narrow)[name] !== undefined && !(anyType && name === 'type')).map(
    (name) => forbidden(`${path}.${name}`, 'must be empty to be structural'),
  );
  for (const [name, inner] of Object.entries(narrow.properties ?? {})) {
    const below = `${path}.properties[${name}]`;
    const own = structure.properties?.[name];
    if (own === undefined)
      faults.push(missing(below.replace(/\.(?:all|any|one)Of\[\d+\]|\.not/g, ''), `because it is defined in ${below}`));
    else faults.push(...narrowingFaults(inner, own, below));
  }
  if (narrow.items !== undefined && structure.items !== undefined) {
    faults.push(...narrowingFaults(narrow.items, structure.items, `${path}.items`));
  }
  return [...faults, ...combinationFaults(narrow, structure, path)];
}

function combinationFaults(schema: StructuralSchema, structure: StructuralSchema, path: string): Fault[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((word) =>
    (schema[word] ?? []).flatMap((one, place) => narrowingFaults(one, structure, `${path}.${word}[${place}]`)),
  );
  return schema.not === undefined ? lists : [...lists, ...narrowingFaults(schema.not, structure, `${path}.not`)];
}

function faultsBelow(schema: StructuralSchema, path: string, what: string): Fault[] {
  const { properties = {}, additionalProperties, items } = schema;
  const faults = [
    ...typeFaults(schema, path, what),
    ...listFaults(schema, path),
    ...defaultFaults(schema, path),
    ...combinationFaults(schema, schema, path),
  ];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    faults.push(wrong(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (schema.properties !== undefined && isMap(additionalProperties)) {
    faults.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  for (const [name, property] of Object.entries(properties)) {
    faults.push(...faultsBelow(property, `${path}.properties[${name}]`, 'for specified object fields'));
  }
  if (typeof additionalProperties === 'object') {
    faults.push(...faultsBelow(additionalProperties, `${path}.additionalProperties`, 'for specified object fields'));
  }
  if (items !== undefined) faults.push(...faultsBelow(items, `${path}.items`, 'for specified array items'));
  return faults;
}

/** Why a schema is not structural, as apiextensions-apiserver says it. `metadata` and its like at the root are known without it. */
export function structuralFaults(schema: StructuralSchema, path: string): Fault[] {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
  const own = schema.properties === undefined ? schema : { ...schema, properties };
  const faults = faultsBelow(own, path, 'at the root');
  if (schema.type !== undefined && schema.type !== 'object' && TYPES.includes(schema.type)) {
    faults.push(wrong(`${path}.type`, schema.type, 'must be object at the root'));
  }
  return faults;
}
