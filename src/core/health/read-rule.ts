import type { JsonMap } from '../object/fields.ts';
import type { RelatedReference, Rule, RuleVariable } from './rule.ts';
import { join, type RuleReader } from './rule-reader.ts';

/** The fields that every written form of a rule has in common. */
export const EXPRESSION_FIELDS = [
  'variables',
  'related',
  'healthy',
  'message',
  'failed',
  'suspended',
  'reason',
  'links',
] as const;

/** The shared part of every form: variables, related objects and expressions. Undefined when `healthy` is missing. */
export function readRule(
  entry: JsonMap,
  path: string,
  reader: RuleReader,
  identity: Pick<Rule, 'name' | 'apiVersions' | 'resources' | 'kinds'>,
): Rule | undefined {
  const healthy = reader.required(entry, 'healthy', path);
  const texts: { message?: string; failed?: string; suspended?: string; reason?: string } = {};
  for (const name of ['message', 'failed', 'suspended', 'reason'] as const) {
    const text = reader.optional(entry, name, path);
    if (text !== undefined) texts[name] = text;
  }
  const rule: Rule = {
    ...identity,
    variables: readVariables(entry, path, reader),
    related: readRelated(entry, path, reader),
    healthy,
    ...texts,
    links: reader.strings(entry, 'links', path),
  };
  return healthy === '' || identity.apiVersions.includes('') || identity.resources.length === 0 ? undefined : rule;
}

/** A rule that a person can read has far fewer; each may read all before it, so that their number costs its square. */
const MOST_VARIABLES = 200;

function readVariables(entry: JsonMap, path: string, reader: RuleReader): readonly RuleVariable[] {
  const list = reader.maps(entry, 'variables', path);
  if (list.length > MOST_VARIABLES) {
    reader.problem(join(path, 'variables'), `declares more than ${MOST_VARIABLES}`);
    return [];
  }
  const variables = list.map((variable, index) => {
    const at = `${path}.variables[${index}]`.replace(/^\./, '');
    reader.known(variable, ['name', 'expression'], at);
    const written = reader.required(variable, 'name', at);
    const isName = /^[A-Za-z_]\w*$/.test(written);
    if (written !== '' && !isName) reader.problem(`${at}.name`, `"${written}" is no identifier`);
    return { name: isName ? written : '', expression: reader.required(variable, 'expression', at) };
  });
  const repeated = variables.find(
    (variable, index) => variables.findIndex(({ name }) => name === variable.name) < index,
  );
  variables.forEach(({ expression }, index) => {
    const later = variables.slice(index).find(({ name }) => name !== '' && mentions(expression, name));
    if (later === undefined) return;
    reader.problem(
      `${path}.variables[${index}]`.replace(/^\./, ''),
      `reads "${later.name}", which is not declared before it`,
    );
  });
  if (repeated !== undefined) reader.problem(join(path, 'variables'), `"${repeated.name}" is declared twice`);
  // What has no usable name cannot be read by anyone; of two of one name the first stands.
  return variables.filter(
    ({ name }, index) => name !== '' && variables.findIndex((variable) => variable.name === name) === index,
  );
}

function mentions(expression: string, variable: string): boolean {
  return new RegExp(`\\bvariables\\s*\\.\\??\\s*${variable}\\b`).test(expression);
}

/** At most this many related objects in one rule: each may be a read. */
const MOST_RELATED = 3;

function readRelated(entry: JsonMap, path: string, reader: RuleReader): readonly RelatedReference[] {
  const list = reader.maps(entry, 'related', path);
  if (list.length > MOST_RELATED) reader.problem(join(path, 'related'), `names more than ${MOST_RELATED} objects`);
  return list.map((item, index) => {
    const at = `${path}.related[${index}]`.replace(/^\./, '');
    reader.known(item, ['name', 'apiVersion', 'resource', 'object'], at);
    const related = {
      name: reader.required(item, 'name', at),
      apiVersion: reader.required(item, 'apiVersion', at),
      resource: reader.required(item, 'resource', at),
      object: reader.required(item, 'object', at),
    };
    if (related.resource === 'secrets') reader.problem(`${at}.resource`, 'may not be secrets');
    return related;
  });
}
