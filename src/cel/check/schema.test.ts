import { describe, expect, it } from 'vitest';
import { declare, verdict } from './check.fixture.ts';
import { escapeFieldName, type JsonSchema, typeOfSchema } from './schema.ts';

const WIDGET: JsonSchema = {
  type: 'object',
  required: ['spec'],
  'x-kubernetes-embedded-resource': true,
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        ratio: { type: 'number' },
        port: { 'x-kubernetes-int-or-string': true },
        data: { type: 'string', format: 'byte' },
        since: { type: 'string', format: 'date-time' },
        grace: { type: 'string', format: 'duration' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        items: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        'max-surge': { type: 'integer' },
        namespace: { type: 'string' },
      },
    },
  },
};

describe('types of a schema', () => {
  const env = declare({ obj: typeOfSchema(WIDGET) });
  it.each([
    ['obj.spec.replicas', 'int'],
    ['obj.spec.ratio', 'double'],
    ['obj.spec.port', 'dyn'],
    ['obj.spec.data', 'bytes'],
    ['obj.spec.since', 'google.protobuf.Timestamp'],
    ['obj.spec.grace', 'google.protobuf.Duration'],
    ['obj.spec.labels', 'map(string, string)'],
    ['obj.spec.free.anything', 'dyn'],
    ['obj.spec.items[0].name', 'string'],
    ['obj.spec.items', 'list(object.spec.items.@idx)'],
    ['obj.spec.max__dash__surge', 'int'],
    ['obj.spec.`max-surge`', 'int'],
    ['obj.spec.namespace', 'string'],
    ['obj.spec.__namespace__', 'string'],
    ['obj.metadata.name', 'string'],
    ['obj.apiVersion', 'string'],
  ])('%s is %s', (source, type) => {
    expect(verdict(source, env)).toBe(type);
  });

  it('keep the name of the data beside the escaped one', () => {
    const spec = typeOfSchema(WIDGET).fields?.get('spec')?.type;
    expect(spec?.fields?.get('max__dash__surge')?.wireName).toBe('max-surge');
    expect(spec?.fields?.get('replicas')?.wireName).toBeUndefined();
  });

  it('are dyn where the schema says nothing of the fields', () => {
    expect(String(typeOfSchema({ type: 'object' }))).toBe('dyn');
    expect(String(typeOfSchema({}))).toBe('dyn');
  });
});

describe('names of fields', () => {
  it.each([
    ['replicas', 'replicas'],
    ['a-b.c/d', 'a__dash__b__dot__c__slash__d'],
    ['a__b', 'a__underscores__b'],
    ['for', '__for__'],
    ['in', '__in__'],
    ['1a', '1a'],
    ['a b', 'a b'],
  ])('%s is reached as %s', (property, expected) => {
    expect(escapeFieldName(property)).toBe(expected);
  });
});

describe('a schema that holds itself', () => {
  it('is read to an end, dyn behind it', () => {
    const schema: { type: string; properties: Record<string, JsonSchema> } = { type: 'object', properties: {} };
    Object.assign(schema.properties, { left: schema, right: schema, name: { type: 'string' } });
    const own = typeOfSchema(schema);
    expect(own.fields?.get('name')?.type.toString()).toBe('string');
    expect(own.fields?.get('left')?.type.toString()).toBe('dyn');
  });
});
