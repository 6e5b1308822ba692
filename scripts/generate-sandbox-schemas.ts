/**
 * Makes src/sandbox/resources/built-in-schemas.gen.ts: the fields of the kinds that the sandbox serves, how they stand in JSON and how
 * they are merged. Needs Go, whose module cache is where the document comes from:
 *
 *   go mod download k8s.io/kubernetes@VERSION
 *   node scripts/generate-sandbox-schemas.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_KINDS } from '../src/sandbox/resources/built-in-kinds.ts';
import { KUBERNETES, moduleFolder } from './generate-schemas.ts';

export const SANDBOX_OUTPUT = join(import.meta.dirname, '../src/sandbox/resources/built-in-schemas.gen.ts');

/** What is read of a schema in swagger.json. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

type Definitions = Readonly<Record<string, Schema>>;

/** Types with a form of their own in JSON. */
const SCALARS: Readonly<Record<string, string>> = {
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'microtime',
  'intstr.IntOrString': 'int|string',
  'resource.Quantity': 'quantity',
};

/** `apps.v1.Deployment` of `io.k8s.api.apps.v1.Deployment`, whatever module it is in. */
function shortName(ref: string): string {
  return ref
    .replace(/^#\/definitions\//, '')
    .replace(
      /^io\.k8s\.(?:api|(?:apimachinery|apiextensions-apiserver|kube-aggregator)\.pkg\.(?:apis|util|api))\./,
      '',
    );
}

/** The items of a list that are told apart by keys, with what a key is when an item leaves it out. */
function listKeys(schema: Schema, definitions: Definitions): string {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const item = definitions[schema.items?.$ref?.replace(/^#\/definitions\//, '') ?? ''];
  const listed = keys.map((key) => {
    const preset = item?.properties?.[key]?.default;
    return typeof preset === 'string' && preset !== '' ? `${key}=${preset}` : key;
  });
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  // Some lists are merged by strategic patches and replaced by server-side apply, or merged by another key.
  return listed.join(',') + (mergeKey === undefined || mergeKey === keys[0] ? '' : `^${mergeKey}`);
}

function written(schema: Schema, definitions: Definitions): string {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic' ? '~' : '';
  if (schema.$ref !== undefined) {
    const name = shortName(schema.$ref);
    const referred = definitions[schema.$ref.replace(/^#\/definitions\//, '')];
    return SCALARS[name] ?? (referred?.properties === undefined ? 'any' : `${name}${atomic}`);
  }
  switch (schema.type) {
    case 'array': {
      const item = written(schema.items ?? {}, definitions);
      return `[${item}]${schema['x-kubernetes-list-type'] === 'set' ? '*' : listKeys(schema, definitions)}`;
    }
    case 'object':
      return schema.additionalProperties === undefined
        ? 'any'
        : `{${written(schema.additionalProperties, definitions)}}${atomic}`;
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'string':
      return schema.format === 'byte' ? 'bytes' : 'string';
    default:
      return schema.type ?? 'any';
  }
}

/** The content of the generated file from the folder of k8s.io/kubernetes. */
export function generateSandboxSchemas(kubernetes: string): string {
  const swagger: { definitions: Definitions } = JSON.parse(
    readFileSync(join(kubernetes, 'api/openapi-spec/swagger.json'), 'utf8'),
  );
  const { definitions } = swagger;
  const kinds: Record<string, string> = {};
  const types: Record<string, unknown> = {};
  const visit = (full: string): void => {
    const name = shortName(full);
    const { properties, 'x-kubernetes-map-type': mapType } = definitions[full] ?? {};
    if (properties === undefined || types[name] !== undefined) return;
    const fields = Object.entries(properties).map(([field, schema]) => [field, written(schema, definitions)]);
    types[name] = { ...Object.fromEntries(fields), ...(mapType === 'atomic' ? { '~': '' } : {}) };
    for (const each of Object.values(properties)) {
      const ref =
        each.$ref ?? each.items?.$ref ?? each.additionalProperties?.$ref ?? each.additionalProperties?.items?.$ref;
      if (ref !== undefined) visit(ref.replace(/^#\/definitions\//, ''));
    }
  };
  for (const [full, schema] of Object.entries(definitions)) {
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      const isServed = BUILT_IN_KINDS.some(
        (row) => row.group === group && row.version === version && row.kind === kind,
      );
      if (!isServed) continue;
      kinds[`${group}/${version} ${kind}`] = shortName(full);
      visit(full);
    }
  }
  const lines = (record: Readonly<Record<string, unknown>>): string =>
    Object.keys(record)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`)
      .join(',\n');
  return [
    `// Made by scripts/generate-sandbox-schemas.ts from ${KUBERNETES}. Do not edit.`,
    '',
    '/** BuiltInSchemas as JSON: parsing a string is cheaper than evaluating so large a literal. */',
    `export const BUILT_IN_SCHEMAS_JSON = \`{"kinds":{\n${lines(kinds)}\n},"types":{\n${lines(types)}\n}}\`;`,
    '',
  ].join('\n');
}

if (import.meta.main) {
  const kubernetes = moduleFolder(KUBERNETES);
  if (kubernetes === undefined) {
    console.error(`not in Go's module cache; run: go mod download ${KUBERNETES}`);
    process.exitCode = 2;
  } else {
    writeFileSync(SANDBOX_OUTPUT, generateSandboxSchemas(kubernetes));
    console.log(`wrote ${SANDBOX_OUTPUT}`);
  }
}
