import type { BuiltInType } from './built-in-type.ts';

type Schema = Readonly<Record<string, unknown>>;

const SCALARS: Readonly<Record<string, Schema>> = {
  any: { type: 'object' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  int: { type: 'integer' },
  'int|string': { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  microtime: { type: 'string', format: 'date-time' },
  number: { type: 'number' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  string: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
};

function nameOf(type: BuiltInType): string {
  return type.written.replace(/~$/, '');
}

function schemaOf(type: BuiltInType, into: Map<string, Schema>): Schema {
  const { element, of } = type;
  if (of !== undefined) {
    const inner = schemaOf(of, into);
    return element === 'list' ? { type: 'array', items: inner } : { type: 'object', additionalProperties: inner };
  }
  if (type.fields === undefined) return SCALARS[type.written] ?? { type: 'object' };
  collect(type, into);
  return { allOf: [{ $ref: `#/components/schemas/${nameOf(type)}` }] };
}

function collect(type: BuiltInType, into: Map<string, Schema>): void {
  const name = nameOf(type);
  if (into.has(name)) return;
  // Known before its fields are: some types hold themselves.
  into.set(name, {});
  into.set(name, { type: 'object', properties: propertiesOf(type, into) });
}

function propertiesOf(type: BuiltInType, into: Map<string, Schema>): Schema {
  const properties: Record<string, unknown> = {};
  for (const name of Object.keys(type.fields ?? {}).sort()) {
    const field = type.field(name);
    if (field !== undefined) properties[name] = schemaOf(field, into);
  }
  return properties;
}

/** The OpenAPI v3 schema of a built-in kind, without descriptions; the types that it refers to go into the map. */
export function openApiOf(type: BuiltInType, into: Map<string, Schema>): Schema {
  return { type: 'object', properties: propertiesOf(type, into) };
}
