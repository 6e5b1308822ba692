import { asMap, asString, isMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { guessResource } from '../object/resource-name.ts';
import type { Rule, RuleSet } from './rule.ts';
import type { RuleReader } from './rule-reader.ts';

/** Turns YAML text into plain data; throws an Error whose message names the place. */
export type ParseYaml = (text: string) => unknown;

/** A ConfigMap of k0rdent health rules: its `data.rules` is YAML text, a list of rules by group, version and kind. */
export function readK0rdentConfigMap(
  document: KubernetesObject,
  reader: RuleReader,
  parseYaml: ParseYaml | undefined,
): RuleSet | undefined {
  const metadata = asMap(document['metadata']);
  const name = reader.required(metadata, 'name', 'metadata');
  const namespace = asString(metadata['namespace']) || 'default';
  const entries = parseEntries(asMap(document['data'])['rules'], reader, parseYaml);
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

function parseEntries(text: unknown, reader: RuleReader, parseYaml: ParseYaml | undefined): readonly unknown[] {
  if (typeof text !== 'string') {
    reader.problem('data.rules', text === undefined ? 'is missing' : 'has to be YAML text');
    return [];
  }
  if (parseYaml === undefined) throw new TypeError('readRuleSet needs parseYaml to read a ConfigMap');
  try {
    const entries = parseYaml(text);
    if (Array.isArray(entries)) return entries;
    reader.problem('data.rules', 'has to be a list of rules');
  } catch (error) {
    reader.problem('data.rules', `is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [];
}

function readK0rdentRule(entry: unknown, index: number, reader: RuleReader): Rule | undefined {
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
