import { asMap, asString, field, isMap, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { guessResource } from '../object/resource-name.ts';
import type { RelatedReference, Rule, RuleProblem, RuleSet, RuleVariable } from './rule.ts';

/** API group of convoy's own rule sets. */
const RULE_SET_GROUP = 'convoy.kumodo.io/';

/** ConfigMaps with this label hold k0rdent health rules under `data.rules`. */
const K0RDENT_LABEL = 'k0rdent.mirantis.com/health-rule-target';

export interface ReadRuleSetOptions {
  /** Turns YAML text into plain data; throws an Error whose message names the place. Needed for k0rdent ConfigMaps only. */
  readonly parseYaml?: (text: string) => unknown;
}

export interface ReadRuleSetResult {
  /** Absent when the document is no rule set or nothing of it could be used. */
  readonly set?: RuleSet;
  readonly problems: readonly RuleProblem[];
}

/** Is this document meant to hold rules: a rule set, a labelled ConfigMap, or the rule.yaml of a rule folder? */
export function isRuleDocument(document: unknown): boolean {
  return isRuleSetKind(document) || isK0rdentConfigMap(document) || isRuleFolderFile(document);
}

/**
 * Reads a GlobalHealthRuleSet, a HealthRuleSet, a k0rdent rule ConfigMap or a rule folder's rule.yaml.
 * Rules that are usable stand in `set`, whatever is wrong with their neighbours is in `problems`; never throws.
 * @param source where the document comes from, for messages
 */
export function readRuleSet(
  document: KubernetesObject,
  source: string,
  options: ReadRuleSetOptions = {},
): ReadRuleSetResult {
  const reader = new Reader(source);
  const set = readAny(document, reader, options);
  return { ...(set === undefined ? {} : { set }), problems: reader.problems };
}

function readAny(document: KubernetesObject, reader: Reader, options: ReadRuleSetOptions): RuleSet | undefined {
  if (isRuleSetKind(document)) return readRuleSetKind(document, reader);
  if (isK0rdentConfigMap(document)) return readConfigMap(document, reader, options);
  if (isRuleFolderFile(document)) return readFolderFile(document, reader);
  reader.problem(
    '',
    'is no rule set: expected kind GlobalHealthRuleSet or HealthRuleSet, a ConfigMap labelled ' +
      `${K0RDENT_LABEL}, or a rule.yaml with kind, resource and healthy`,
  );
  return undefined;
}

function isRuleSetKind(document: unknown): boolean {
  const kind = field(document, 'kind');
  return (
    (kind === 'GlobalHealthRuleSet' || kind === 'HealthRuleSet') &&
    asString(field(document, 'apiVersion')).startsWith(RULE_SET_GROUP)
  );
}

function isK0rdentConfigMap(document: unknown): boolean {
  return (
    field(document, 'kind') === 'ConfigMap' &&
    field(document, 'apiVersion') === 'v1' &&
    field(field(field(document, 'metadata'), 'labels'), K0RDENT_LABEL) !== undefined
  );
}

function isRuleFolderFile(document: unknown): boolean {
  return isMap(document) && document['apiVersion'] === undefined && 'kind' in document && 'healthy' in document;
}

/** Typed access that notes what is wrong instead of failing at the first mistake. */
class Reader {
  readonly source: string;
  readonly problems: RuleProblem[] = [];

  constructor(source: string) {
    this.source = source;
  }

  problem(path: string, message: string): void {
    this.problems.push({ source: this.source, path, message });
  }

  /** A string that has to be there and hold something. */
  required(map: JsonMap, name: string, path: string): string {
    const value = map[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    const found =
      value === undefined || value === null
        ? 'is missing'
        : typeof value === 'string'
          ? 'is empty'
          : 'has to be a string';
    this.problem(join(path, name), found);
    return '';
  }

  optional(map: JsonMap, name: string, path: string): string | undefined {
    const value = map[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.problem(join(path, name), typeof value === 'string' ? 'is empty: leave it out' : 'has to be a string');
    return undefined;
  }

  strings(map: JsonMap, name: string, path: string): readonly string[] {
    const value = map[name];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
    this.problem(join(path, name), 'has to be a list of strings');
    return [];
  }

  maps(map: JsonMap, name: string, path: string): readonly JsonMap[] {
    const value = map[name];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every(isMap)) return value;
    this.problem(join(path, name), 'has to be a list of maps');
    return [];
  }

  flag(map: JsonMap, name: string, path: string): boolean {
    const value = map[name];
    if (typeof value === 'boolean') return value;
    if (value !== undefined && value !== null) this.problem(join(path, name), 'has to be true or false');
    return false;
  }

  preamble(map: JsonMap, path: string, otherwise: RuleSet['preamble']): RuleSet['preamble'] {
    const value = map['preamble'];
    if (value === 'None' || value === 'Standard') return value;
    if (value !== undefined && value !== null) this.problem(join(path, 'preamble'), 'has to be None or Standard');
    return otherwise;
  }

  /** Keys that nobody reads are misspellings. */
  known(map: JsonMap, names: readonly string[], path: string): void {
    for (const name of Object.keys(map)) {
      if (!names.includes(name)) this.problem(join(path, name), `is no field here; known are ${names.join(', ')}`);
    }
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

const EXPRESSION_FIELDS = [
  'variables',
  'related',
  'healthy',
  'message',
  'failed',
  'suspended',
  'reason',
  'links',
] as const;

function readRuleSetKind(document: KubernetesObject, reader: Reader): RuleSet | undefined {
  const metadata = asMap(document['metadata']);
  const name = reader.required(metadata, 'name', 'metadata');
  const spec = document['spec'];
  if (!isMap(spec)) {
    reader.problem('spec', 'is missing');
    return undefined;
  }
  reader.known(spec, ['preamble', 'generic', 'rules'], 'spec');
  const generic = reader.flag(spec, 'generic', 'spec');
  const list = reader.maps(spec, 'rules', 'spec');
  if (list.length === 0) reader.problem('spec.rules', 'is empty: a set needs at least one rule');
  const rules = list
    .map((entry, index) => readSetRule(entry, index, generic, reader))
    .filter((rule) => rule !== undefined);
  refuseDuplicates(rules, reader);
  if (name === '' || rules.length === 0) return undefined;
  const local = document['kind'] === 'HealthRuleSet';
  return {
    name,
    namespace: local ? asString(metadata['namespace']) || 'default' : '',
    source: reader.source,
    contract: 'convoy',
    preamble: reader.preamble(spec, 'spec', 'None'),
    generic,
    rules,
  };
}

function readSetRule(entry: JsonMap, index: number, generic: boolean, reader: Reader): Rule | undefined {
  const path = `spec.rules[${index}]`;
  reader.known(entry, ['name', 'apiVersion', 'resources', 'ignore', ...EXPRESSION_FIELDS], path);
  const apiVersion = reader.required(entry, 'apiVersion', path);
  const resources = reader.strings(entry, 'resources', path);
  if (resources.length === 0)
    reader.problem(`${path}.resources`, 'is empty: name plural resources, like [deployments]');
  const wildcard = [apiVersion, ...resources].find((name) => name.includes('*'));
  if (wildcard !== undefined && !generic) {
    reader.problem(path, `"${wildcard}" is a wildcard, which only a set with generic: true may use`);
    return undefined;
  }
  return assemble(entry, path, reader, {
    name: reader.optional(entry, 'name', path) ?? String(index),
    apiVersions: [apiVersion],
    resources,
  });
}

/** The shared part of every form: variables, related objects and expressions. Undefined when `healthy` is missing. */
function assemble(
  entry: JsonMap,
  path: string,
  reader: Reader,
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

function readVariables(entry: JsonMap, path: string, reader: Reader): readonly RuleVariable[] {
  const variables = reader.maps(entry, 'variables', path).map((variable, index) => {
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

function readRelated(entry: JsonMap, path: string, reader: Reader): readonly RelatedReference[] {
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

function refuseDuplicates(rules: readonly Rule[], reader: Reader): void {
  const seen = new Set<string>();
  for (const { name } of rules) {
    if (seen.has(name)) reader.problem('spec.rules', `two rules are named "${name}"`);
    seen.add(name);
  }
}

/** The set a folder's rule belongs to: one per API group, `kubernetes-core` for the group without a name. */
export function setNameOf(group: string): string {
  if (group === '_') return 'generic';
  return group === '' ? 'kubernetes-core' : group;
}

function readFolderFile(document: JsonMap, reader: Reader): RuleSet | undefined {
  reader.known(document, ['group', 'kind', 'resource', 'versions', 'name', 'preamble', ...EXPRESSION_FIELDS], '');
  const kind = reader.required(document, 'kind', '');
  const group = asString(document['group']);
  if (typeof document['group'] !== 'string')
    reader.problem('group', 'is missing: "" is the core group, _ stands for any');
  const versions = reader.strings(document, 'versions', '');
  const generic = group === '_';
  if (versions.length === 0 && !generic) reader.problem('versions', 'is empty: name the API versions, like [v1]');
  const resource = generic ? '*' : (reader.optional(document, 'resource', '') ?? guessResource(kind));
  const rule = assemble(document, '', reader, {
    name: reader.optional(document, 'name', '') ?? kind.toLowerCase(),
    apiVersions: generic ? ['*'] : versions.map((version) => (group === '' ? version : `${group}/${version}`)),
    resources: [resource],
    ...(generic ? {} : { kinds: [kind] }),
  });
  if (rule === undefined || kind === '' || rule.apiVersions.length === 0) return undefined;
  return {
    name: setNameOf(group),
    namespace: '',
    source: reader.source,
    contract: 'convoy',
    preamble: reader.preamble(document, '', 'None'),
    generic,
    rules: [rule],
  };
}

function readConfigMap(document: KubernetesObject, reader: Reader, options: ReadRuleSetOptions): RuleSet | undefined {
  const metadata = asMap(document['metadata']);
  const name = reader.required(metadata, 'name', 'metadata');
  const namespace = asString(metadata['namespace']) || 'default';
  const entries = parseEntries(asMap(document['data'])['rules'], reader, options);
  const rules = entries
    .map((entry, index) => readK0rdentRule(entry, index, reader))
    .filter((rule) => rule !== undefined);
  if (name === '' || rules.length === 0) return undefined;
  return {
    name: `${namespace}/${name}`,
    namespace: '',
    source: reader.source,
    contract: 'k0rdent',
    preamble: 'None',
    generic: false,
    rules,
  };
}

function parseEntries(text: unknown, reader: Reader, options: ReadRuleSetOptions): readonly unknown[] {
  if (typeof text !== 'string') {
    reader.problem('data.rules', text === undefined ? 'is missing' : 'has to be YAML text');
    return [];
  }
  if (options.parseYaml === undefined) throw new TypeError('readRuleSet needs parseYaml to read a ConfigMap');
  try {
    const entries = options.parseYaml(text);
    if (Array.isArray(entries)) return entries;
    reader.problem('data.rules', 'has to be a list of rules');
  } catch (error) {
    reader.problem('data.rules', `is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [];
}

function readK0rdentRule(entry: unknown, index: number, reader: Reader): Rule | undefined {
  const path = `data.rules[${index}]`;
  if (!isMap(entry)) {
    reader.problem(path, 'has to be a map with group, version, kind, scope, healthy and message');
    return undefined;
  }
  const group = asString(entry['group']);
  const version = reader.required(entry, 'version', path);
  const kind = reader.required(entry, 'kind', path);
  const message = reader.required(entry, 'message', path);
  const scope = entry['scope'];
  if (scope !== 'Namespaced' && scope !== 'Cluster') reader.problem(`${path}.scope`, 'has to be Namespaced or Cluster');
  const healthy = reader.required(entry, 'healthy', path);
  if (version === '' || kind === '' || healthy === '' || message === '') return undefined;
  return {
    name: String(index),
    apiVersions: [group === '' ? version : `${group}/${version}`],
    resources: [guessResource(kind)],
    kinds: [kind],
    variables: [],
    related: [],
    healthy,
    message,
    links: [],
  };
}
