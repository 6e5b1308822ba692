/** Writes the tables of fields into docs/spec from the schemas of src/core/api, between markers. A test fails when they differ. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_KINDS, type OwnKind } from '../src/core/api/index.ts';
import { asList, asMap, isMap, type JsonMap } from '../src/core/object/fields.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'spec');
const MARKED = /(<!-- fields of (\w+) -->\n)[\s\S]*?(<!-- \/fields -->)/g;

/** What a schema allows, in words. */
function typeOf(schema: JsonMap): string {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'any object';
  const words = asList(schema['enum']);
  if (words.length > 0) return words.map((word) => `\`${String(word)}\``).join(', ');
  switch (schema['type']) {
    case 'array': {
      const items = asMap(schema['items']);
      return isMap(items['properties']) ? 'list' : `list of ${plural(typeOf(items))}`;
    }
    case 'object':
      return isMap(schema['additionalProperties']) ? 'texts by name' : 'map';
    case 'integer':
      return ['number', bound(schema, 'minimum', '≥'), bound(schema, 'maximum', '≤')].filter(Boolean).join(' ');
    case 'boolean':
      return 'true or false';
    default:
      return schema['format'] === 'date-time' ? 'time' : isDuration(schema) ? 'duration' : 'text';
  }
}

function bound(schema: JsonMap, name: string, sign: string): string {
  return schema[name] === undefined ? '' : `${sign} ${String(schema[name])}`;
}

/** Only durations have a unit of nanoseconds in their pattern. */
function isDuration({ pattern }: JsonMap): boolean {
  return typeof pattern === 'string' && pattern.includes('(ns|us|ms|s|m|h)');
}

function plural(type: string): string {
  return type === 'any object' ? 'any objects' : `${type}s`;
}

function defaultOf(schema: JsonMap): string {
  const value = schema['default'];
  return value === undefined || isMap(value) || value === '' ? '' : `, default \`${String(value)}\``;
}

function rulesOf(schema: JsonMap): string {
  const rules = asList(schema['x-kubernetes-validations']).map((rule) => String(asMap(rule)['message']));
  return rules.length === 0 ? '' : ` (${rules.join('; ')})`;
}

/** Rows of a schema's fields, and of those below them. */
function* rows(schema: JsonMap, path: string): Generator<string> {
  const inner = isMap(schema['items']) ? schema['items'] : schema;
  const required = new Set(asList(inner['required']));
  for (const [name, property] of Object.entries(asMap(inner['properties']))) {
    if (!isMap(property)) continue;
    const where = `${path}${schema === inner ? '' : '[]'}.${name}`;
    const must = required.has(name) ? ', required' : '';
    const text = `${String(property['description'] ?? '')}${rulesOf(property)}`;
    yield `| \`${where}\` | ${typeOf(property)}${defaultOf(property)}${must} | ${text.replaceAll('|', '\\|').trim()} |`;
    yield* rows(property, where);
  }
}

/** The table of a kind. */
export function fieldTable({ spec, status }: OwnKind): string {
  const lines = [...rows(spec.openApi, 'spec'), ...(status === undefined ? [] : rows(status.openApi, 'status'))];
  return ['| field | type | |', '|---|---|---|', ...lines, ''].join('\n');
}

/** The page with its tables made anew. Throws for a kind that is none of convoy's. */
export function withTables(page: string): string {
  return page.replace(MARKED, (_, open: string, kind: string, close: string) => {
    const own = OWN_KINDS.find((one) => one.kind === kind);
    if (own === undefined) throw new Error(`there is no kind ${kind}`);
    return `${open}${fieldTable(own)}${close}`;
  });
}

/** Pages of docs/spec by their paths. */
export function pages(): ReadonlyMap<string, string> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));
  return new Map(names.map((name) => [join(FOLDER, name), readFileSync(join(FOLDER, name), 'utf8')]));
}

if (import.meta.main) {
  for (const [path, text] of pages()) {
    const made = withTables(text);
    if (made !== text) writeFileSync(path, made);
  }
}
