import type { Rule, RuleSet } from '../../../core/health/index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { printYaml } from '../../printers/yaml.ts';
import { type ListedRule, rulesOf } from './known-kinds.ts';
import { builtInSets, loadRuleSets } from './load-rule-sets.ts';
import { chosenRules } from './run-list.ts';

/** A rule as it stands in a rule set, for its first API version. */
function entryOf(rule: Rule): object {
  const { name, apiVersions, resources, variables, related, links, healthy, message, failed, suspended, reason } = rule;
  return {
    name,
    apiVersion: apiVersions[0],
    resources,
    ...(links.length > 0 ? { links } : {}),
    ...(related.length > 0 ? { related } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    healthy,
    ...(message === undefined ? {} : { message }),
    ...(failed === undefined ? {} : { failed }),
    ...(suspended === undefined ? {} : { suspended }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** YAML as an element of a list that stands `width` columns in, behind an anchor where there is one. */
function asElement(yaml: string, width: number, anchor: string): string {
  const lines = yaml.trimEnd().split('\n');
  const blanks = ' '.repeat(width + 2);
  const indented = lines.map((line) => (line === '' ? line : blanks + line));
  const dash = `${' '.repeat(width)}- `;
  if (anchor !== '') return [`${dash}&${anchor}`, ...indented, ''].join('\n');
  return `${dash}${indented.join('\n').slice(blanks.length)}\n`;
}

/** An entry names one API version; the others of a rule repeat it by reference, as kubectl reads YAML too. */
function entriesText(rule: Rule, index: number): string {
  const [, ...others] = rule.apiVersions;
  const anchor = others.length === 0 ? '' : `rule${index}`;
  const again = others.map((apiVersion) => {
    const name = `${rule.name}-${apiVersion.replace(/.*\//, '')}`;
    return asElement(`<<: *${anchor}\n${printYaml({ name, apiVersion })}`, 4, '');
  });
  return asElement(printYaml(entryOf(rule)), 4, anchor) + again.join('');
}

function documentText(set: RuleSet, rules: readonly Rule[]): string {
  const head = printYaml({
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: set.namespace === '' ? 'GlobalHealthRuleSet' : 'HealthRuleSet',
    metadata: {
      // A ConfigMap's set is named NAMESPACE/NAME.
      name: set.name.replaceAll('/', '-'),
      ...(set.namespace === '' ? {} : { namespace: set.namespace }),
    },
    spec: { preamble: set.preamble, ...(set.generic ? { generic: true } : {}) },
  });
  return `${head}  rules:\n${rules.map(entriesText).join('')}`;
}

function groupedBySet(listed: readonly ListedRule[]): ReadonlyMap<RuleSet, readonly Rule[]> {
  const sets = new Map<RuleSet, Rule[]>();
  for (const { set, rule } of listed) sets.set(set, [...(sets.get(set) ?? []), rule]);
  return sets;
}

/** Prints the rules of a kind as rule sets, a document each. Returns the exit code; throws RuleKindUnknown. */
export async function runShow(kind: string, flags: { rules?: readonly string[] }, io: CliIo): Promise<number> {
  const sets = await loadRuleSets(flags.rules ?? [], await builtInSets(), io);
  if (typeof sets === 'number') return sets;
  const chosen = groupedBySet(chosenRules(rulesOf(sets), kind));
  const documents = [...chosen].map(([set, rules]) => documentText(set, rules));
  await io.out(documents.join('---\n'));
  return EXIT.healthy;
}
