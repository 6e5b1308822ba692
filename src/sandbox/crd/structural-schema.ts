import { isMap } from '../../core/object/fields.ts';
import { clone } from '../objects/api-object.ts';

/** What the sandbox reads of an OpenAPI v3 schema of a CRD. */
export interface StructuralSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
}

/** Fields that every object and every embedded one has, whatever the schema says. */
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata'];

export function propertyOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const own = schema.properties?.[name];
  if (own !== undefined) return own;
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function keepsUnknown(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
}

/** Drops what the schema does not know from a value that may be changed. Returns the paths of what was dropped. */
export function prune(value: unknown, schema: StructuralSchema, isObject: boolean, path = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, place) => prune(item, items, false, `${path}[${place}]`));
  }
  if (!isMap(value)) return [];
  const dropped: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const below = path === '' ? name : `${path}.${name}`;
    if ((isObject || schema['x-kubernetes-embedded-resource'] === true) && OBJECT_FIELDS.includes(name)) continue;
    const property = propertyOf(schema, name);
    if (property !== undefined) dropped.push(...prune(inner, property, false, below));
    else if (!keepsUnknown(schema)) {
      delete (value as Record<string, unknown>)[name];
      dropped.push(below);
    }
  }
  return dropped;
}

/** Fills in defaults below a value that may be changed. */
export function fillDefaults(value: unknown, schema: StructuralSchema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) fillDefaults(item, schema.items);
    return;
  }
  if (!isMap(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const missing = value[name] === undefined || (value[name] === null && property.nullable !== true);
    if (missing && property.default !== undefined) (value as Record<string, unknown>)[name] = clone(property.default);
  }
  for (const [name, inner] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (property !== undefined) fillDefaults(inner, property);
  }
}
