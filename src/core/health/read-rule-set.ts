import { asMap, asString, field, isMap, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { guessResource } from '../object/resource-name.ts';
import { type ParseYaml, readK0rdentConfigMap } from './read-k0rdent-rules.ts';
import { EXPRESSION_FIELDS, readRule } from './read-rule.ts';
import type { Rule, RuleProblem, RuleSet } from './rule.ts';
import { RuleReader } from './rule-reader.ts';

/** API group of convoy's own rule sets. */
const RULE_SET_GROUP = 'convoy.kumodo.io/';

/** ConfigMaps with this label hold k0rdent health rules under `data.rules`. */
const K0RDENT_LABEL = 'k0rdent.mirantis.com/health-rule-target';

export interface ReadRuleSetOptions {
  /** Turns YAML text into plain data; throws an Error whose message names the place. Needed for k0rdent ConfigMaps only. */
  readonly parseYaml?: ParseYaml;
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
  const reader = new RuleReader(source);
  const set = readAny(document, reader, options);
  return { ...(set === undefined ? {} : { set }), problems: reader.problems };
}

function readAny(document: KubernetesObject, reader: RuleReader, options: ReadRuleSetOptions): RuleSet | undefined {
  if (isRuleSetKind(document)) return readRuleSetKind(document, reader);
  if (isK0rdentConfigMap(document)) return readK0rdentConfigMap(document, reader, options.parseYaml);
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
  if (!isMap(document) || document['apiVersion'] !== undefined || !('kind' in document)) return false;
  // One that has no `healthy` yet is told so, where "no rule" would leave its author to guess.
  return 'healthy' in document || ('resource' in document && 'versions' in document);
}

function readRuleSetKind(document: KubernetesObject, reader: RuleReader): RuleSet | undefined {
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

function readSetRule(entry: JsonMap, index: number, generic: boolean, reader: RuleReader): Rule | undefined {
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
  return readRule(entry, path, reader, {
    name: reader.optional(entry, 'name', path) ?? String(index),
    apiVersions: [apiVersion],
    resources,
  });
}

function refuseDuplicates(rules: readonly Rule[], reader: RuleReader): void {
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

function readFolderFile(document: JsonMap, reader: RuleReader): RuleSet | undefined {
  reader.known(document, ['group', 'kind', 'resource', 'versions', 'name', 'preamble', ...EXPRESSION_FIELDS], '');
  const kind = reader.required(document, 'kind', '');
  const group = asString(document['group']);
  if (typeof document['group'] !== 'string')
    reader.problem('group', 'is missing: "" is the core group, _ stands for any');
  const versions = reader.strings(document, 'versions', '');
  const generic = group === '_';
  if (versions.length === 0 && !generic) reader.problem('versions', 'is empty: name the API versions, like [v1]');
  const resource = generic ? '*' : (reader.optional(document, 'resource', '') ?? guessResource(kind));
  const rule = readRule(document, '', reader, {
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
