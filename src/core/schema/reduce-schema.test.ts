import { describe, expect, it } from 'vitest';
import { fieldSchemaOf, kindsOfResource, requiredPaths, unionOf } from './field-schema.ts';
import { mergeKindSchemas } from './kind-schemas.ts';
import { reduceSchemaDocument } from './reduce-schema.ts';

const GVK = 'x-kubernetes-group-version-kind';

describe('an OpenAPI document', () => {
  const reduced = reduceSchemaDocument({
    definitions: {
      'io.k8s.api.apps.v1.Web': {
        type: 'object',
        required: ['spec'],
        properties: {
          spec: { $ref: '#/definitions/io.k8s.api.apps.v1.WebSpec' },
          metadata: { allOf: [{ $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        },
        [GVK]: [{ group: 'apps', version: 'v1', kind: 'Web' }],
      },
      'io.k8s.api.apps.v1.WebList': {
        properties: { items: { type: 'array', items: {} }, kind: { type: 'string' } },
        [GVK]: [{ group: 'apps', version: 'v1', kind: 'WebList' }],
      },
      'io.k8s.api.apps.v1.WebSpec': {
        type: 'object',
        properties: {
          replicas: { type: 'integer', format: 'int32' },
          port: { 'x-kubernetes-int-or-string': true },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          parts: { type: 'array', items: { $ref: '#/definitions/io.k8s.api.apps.v1.WebSpec' } },
          ratio: { type: ['null', 'number'] },
          on: { type: 'boolean' },
        },
      },
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', properties: { name: { type: 'string' } } },
      Status: { type: 'object', properties: {}, [GVK]: [{ kind: 'Status' }, { kind: 'Status', group: 'apps' }] },
    },
  });

  it('becomes names of fields and types; lists and what belongs to every group are no kinds', () => {
    expect(reduced).toEqual({
      kinds: { 'apps/v1 Web': 'apps.v1.Web' },
      types: {
        'apps.v1.Web': { spec: 'apps.v1.WebSpec!', metadata: 'meta.v1.ObjectMeta' },
        'apps.v1.WebSpec': {
          replicas: 'int',
          port: 'any',
          labels: '{string}',
          parts: '[apps.v1.WebSpec]',
          ratio: 'number',
          on: 'bool',
        },
        'meta.v1.ObjectMeta': { name: 'string' },
      },
    });
  });

  it('opens up to a schema of fields; a type within itself ends there', () => {
    const schema = reduced && fieldSchemaOf(reduced, 'apps/v1', 'Web');
    expect(schema?.properties?.['spec']?.properties).toEqual({
      replicas: {},
      port: {},
      labels: { type: 'object', additionalProperties: {} },
      parts: { type: 'array', items: {} },
      ratio: {},
      on: {},
    });
    expect(reduced && kindsOfResource(reduced, 'apps/v1', 'webs')).toEqual(['Web']);
    expect(reduced && fieldSchemaOf(reduced, 'apps/v2', 'Web')).toBeUndefined();
  });
});

describe('a CustomResourceDefinition', () => {
  const definition = (version: object) => ({
    kind: 'CustomResourceDefinition',
    spec: { group: 'example.com', names: { kind: 'Db' }, versions: [{ name: 'v1', ...version }] },
  });

  it('has the fields of its schema and those of every object', () => {
    const openAPIV3Schema = {
      type: 'object',
      properties: {
        metadata: { type: 'object' },
        status: { type: 'object', properties: { a: {}, free: { type: 'object', additionalProperties: true } } },
        open: { type: 'object', properties: { x: {} }, 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    expect(reduceSchemaDocument(definition({ schema: { openAPIV3Schema } }))).toEqual({
      kinds: { 'example.com/v1 Db': 'example.com.v1.Db' },
      types: {
        'example.com.v1.Db': {
          metadata: 'meta.v1.ObjectMeta',
          status: 'example.com.v1.Db.status',
          open: 'any',
          apiVersion: 'string',
          kind: 'string',
        },
        'example.com.v1.Db.status': { a: 'any', free: 'any' },
      },
    });
  });

  it('without a schema is a kind of which nothing is known', () => {
    expect(reduceSchemaDocument(definition({}))).toEqual({ kinds: { 'example.com/v1 Db': 'any' }, types: {} });
  });
});

describe('anything else', () => {
  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ kind: 'Pod', apiVersion: 'v1' }],
    [{ properties: { kind: { const: 'X' } } }],
  ])('describes no kind: %j', (document) => expect(reduceSchemaDocument(document)).toBeUndefined());
});

describe('schemas together', () => {
  it('later sources replace earlier ones', () => {
    const merged = mergeKindSchemas([
      { kinds: { 'v1 A': 'A', 'v1 B': 'B' }, types: { A: { a: 'int' } } },
      { kinds: { 'v1 A': 'A' }, types: { A: { b: 'int' } } },
    ]);
    expect(merged).toEqual({ kinds: { 'v1 A': 'A', 'v1 B': 'B' }, types: { A: { b: 'int' } } });
  });

  it('two versions have the fields of both, and require what both require', () => {
    const a = { type: 'object', properties: { x: {}, y: { type: 'array', items: {} } }, required: ['x', 'y'] } as const;
    const b = { type: 'object', properties: { y: { type: 'array', items: {} }, z: {} }, required: ['y'] } as const;
    expect(unionOf(a, b)).toEqual({
      type: 'object',
      properties: { x: {}, y: { type: 'array', items: {} }, z: {} },
      required: ['y'],
    });
    expect(unionOf(a, {})).toEqual({});
  });

  it('what is required is always there, but for what is below the status', () => {
    const part = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: {} }, required: ['b'] } },
      required: ['a'],
    } as const;
    expect(requiredPaths({ type: 'object', properties: { spec: part, status: part }, required: ['status'] })).toEqual([
      'spec.a',
      'spec.a.b',
      'status',
    ]);
  });
});
