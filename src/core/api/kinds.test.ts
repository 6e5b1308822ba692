import { describe, expect, it } from 'vitest';
import { asList, isMap, type JsonMap } from '../object/fields.ts';
import { definitionOf, OWN_KINDS } from './kinds.ts';
import { read } from './read.ts';

/** Every schema below a schema, with its path. */
function* below(schema: JsonMap, path: string): Generator<readonly [string, JsonMap]> {
  yield [path, schema];
  if (isMap(schema['items'])) yield* below(schema['items'], `${path}[]`);
  if (isMap(schema['additionalProperties'])) yield* below(schema['additionalProperties'], `${path}.*`);
  for (const [name, property] of Object.entries(isMap(schema['properties']) ? schema['properties'] : {})) {
    if (isMap(property)) yield* below(property, `${path}.${name}`);
  }
}

const schemas = OWN_KINDS.flatMap((own) =>
  [own.spec, own.status].flatMap((schema) => (schema === undefined ? [] : [...below(schema.openApi, own.kind)])),
);

/** A value that fits a schema, with every field that it may have. */
function sample(schema: JsonMap): unknown {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { anything: [1, 'two'] };
  if (isMap(schema['additionalProperties'])) return { one: sample(schema['additionalProperties']) };
  switch (schema['type']) {
    case 'object': {
      const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonMap>);
      return Object.fromEntries(properties.map(([name, property]) => [name, sample(property)]));
    }
    case 'array':
      return [sample(schema['items'] as JsonMap)];
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return asList(schema['enum'])[0] ?? (schema['format'] === 'date-time' ? '2026-03-02T10:00:00Z' : 'x');
  }
}

describe("the schemas of convoy's kinds", () => {
  it('have a type everywhere, and bounds on every text, list and open map, or their rules would cost too much', () => {
    const unbounded = schemas.filter(([, schema]) => {
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return false;
      if (schema['type'] === 'array') return schema['maxItems'] === undefined;
      if (isMap(schema['additionalProperties'])) return schema['maxProperties'] === undefined;
      const short = schema['enum'] !== undefined || schema['format'] === 'date-time';
      return (
        schema['type'] === undefined || (schema['type'] === 'string' && !short && schema['maxLength'] === undefined)
      );
    });
    expect(unbounded.map(([path]) => path)).toEqual([]);
  });

  it('have a default in no field that is optional for its type: the reader would always give it', () => {
    const wrong = schemas.flatMap(([path, schema]) => {
      const required = new Set(asList(schema['required']));
      return Object.entries((schema['properties'] ?? {}) as Record<string, JsonMap>)
        .filter(([name, property]) => required.has(name) && 'default' in property)
        .map(([name]) => `${path}.${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it.each(OWN_KINDS.map((own) => [own.kind, own] as const))('a %s with every field is read as it is', (_, own) => {
    for (const schema of [own.spec, own.status]) {
      if (schema === undefined) continue;
      const whole = sample(schema.openApi);
      expect(read(schema, whole)).toEqual({ value: whole });
    }
  });

  it.each(OWN_KINDS.map((own) => [own.kind, own] as const))('a %s is defined by its plural and group', (_, own) => {
    expect(definitionOf(own)).toMatchObject({
      metadata: { name: `${own.plural}.convoy.kumodo.io` },
      spec: { names: { kind: own.kind, listKind: `${own.kind}List` }, versions: [{ name: 'v1alpha1', storage: true }] },
    });
  });
});
