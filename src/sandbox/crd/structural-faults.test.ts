import { describe, expect, it } from 'vitest';
import { structuralFaults } from './structural-faults.ts';
import type { StructuralSchema } from './structural-schema.ts';

const told = (spec: StructuralSchema): string[] =>
  structuralFaults({ type: 'object', properties: { spec } }, 's').map(({ field, message }) => `${field}: ${message}`);

describe('the schema of a definition', () => {
  it('may say all that structural schemas say', () => {
    expect(
      told({
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', default: 'x' },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          free: { 'x-kubernetes-preserve-unknown-fields': true },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          parts: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['id', 'side'],
            items: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string' }, side: { type: 'string', default: 'left' } },
            },
          },
        },
        oneOf: [{ required: ['name'] }, { properties: { name: { enum: ['y'] } } }],
      }),
    ).toEqual([]);
  });

  it.each<[StructuralSchema, string]>([
    [{ properties: {} }, 's.properties[spec].type: Required value: must not be empty for specified object fields'],
    [{ type: 'text' }, 's.properties[spec].type: Unsupported value: "text": supported values: "array", "boolean"'],
    [{ type: 'array' }, 's.properties[spec].items: Required value: must be specified'],
    [
      { type: 'array', items: {} },
      's.properties[spec].items.type: Required value: must not be empty for specified array items',
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      's.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [{ type: 'object', additionalProperties: {} }, 's.properties[spec].additionalProperties.type: Required value'],
    [
      { type: 'string', anyOf: [{ type: 'string' }] },
      's.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      { type: 'object', properties: {}, allOf: [{ properties: { a: { minLength: 1 } } }] },
      's.properties[spec].properties[a]: Required value: because it is defined in s.properties[spec].allOf[0].properties[a]',
    ],
    [{ type: 'string', not: { default: 'x' } }, 's.properties[spec].not.default: Forbidden'],
    [{ type: 'integer', default: 'x' }, 's.properties[spec].default: Invalid value'],
    [{ type: 'object', properties: {}, default: { a: 1 } }, 's.properties[spec].default: Invalid value'],
    [
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      's.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
    [
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
      's.properties[spec].x-kubernetes-list-map-keys: Required value',
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      },
      's.properties[spec].items.properties[id].default: Required value: this property is in x-kubernetes-list-map-keys',
    ],
  ])('is not structural: case %#', (schema, fault) => {
    expect(told(schema)).toEqual([expect.stringContaining(fault)]);
  });

  it('is one of an object at the root', () => {
    expect(structuralFaults({ type: 'string' }, 's').map(({ field }) => field)).toEqual(['s.type']);
    expect(structuralFaults({}, 's').map(({ message }) => message)).toEqual([
      'Required value: must not be empty at the root',
    ]);
  });
});
