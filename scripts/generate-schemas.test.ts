import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../src/catalogue/index.ts';
import { builtInSchemas } from '../src/catalogue/schemas.ts';
import { schemaOfRule } from '../src/core/health/rule-schema.ts';
import { GATEWAY_API, generateSchemas, KUBERNETES, moduleFolder, OUTPUT } from './generate-schemas.ts';

describe('the schemas that are checked in', () => {
  it('have every kind that a shipped rule speaks about', () => {
    const schemas = builtInSchemas();
    const rules = catalogue().flatMap((set) => (set.generic ? [] : set.rules));
    const unknown = rules.filter((rule) => schemaOfRule(rule, schemas)?.fields.properties?.['status'] === undefined);
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  it('name only types that are there or plain', () => {
    const { kinds, types } = builtInSchemas();
    const plain = new Set(['any', 'string', 'int', 'number', 'bool']);
    const written = [...Object.values(kinds), ...Object.values(types).flatMap((fields) => Object.values(fields))];
    const names = written.map((type) => type.replace(/^[[{]+|[\]}!]+$/g, ''));
    expect(names.filter((name) => !plain.has(name) && types[name] === undefined)).toEqual([]);
  });

  it('are what the generator makes', (context) => {
    const [kubernetes, gatewayApi] = [moduleFolder(KUBERNETES), moduleFolder(GATEWAY_API)];
    if (kubernetes === undefined || gatewayApi === undefined) {
      context.skip(`needs Go's module cache to hold ${KUBERNETES} and ${GATEWAY_API}`);
      return;
    }
    // Compared as booleans: a diff of two files of 150 kB says nothing that running the generator does not.
    expect(generateSchemas(kubernetes, gatewayApi) === readFileSync(OUTPUT, 'utf8')).toBe(true);
  });
});
