import type { Rule, RuleSet } from '../../../core/health/index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { printYaml } from '../../printers/yaml.ts';
import { type ListedRule, rulesOf } from './known-kinds.ts';
import { builtInSets, loadRuleSets } from './load-rule-sets.ts';
import { chosenRules } from './run-list.ts';

/** A rule as it stands in a rule set: one entry for each API version, whose names differ. */
function entriesOf(rule: Rule): readonly object[] {
  const { apiVersions, resources, variables, related, links } = rule;
  return apiVersions.map((apiVersion, index) => ({
    name: index === 0 ? rule.name : `${rule.name}-${apiVersion.replace(/.*\//, '')}`,
    apiVersion,
    resources,
    ...(links.length > 0 ? { links } : {}),
    ...(related.length > 0 ? { related } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    healthy: rule.healthy,
    ...(rule.message === undefined ? {} : { message: rule.message }),
    ...(rule.failed === undefined ? {} : { failed: rule.failed }),
    ...(rule.suspended === undefined ? {} : { suspended: rule.suspended }),
    ...(rule.reason === undefined ? {} : { reason: rule.reason }),
  }));
}

function documentOf(set: RuleSet, rules: readonly Rule[]): object {
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: set.namespace === '' ? 'GlobalHealthRuleSet' : 'HealthRuleSet',
    metadata: {
      // A ConfigMap's set is named NAMESPACE/NAME.
      name: set.name.replaceAll('/', '-'),
      ...(set.namespace === '' ? {} : { namespace: set.namespace }),
    },
    spec: {
      preamble: set.preamble,
      ...(set.generic ? { generic: true } : {}),
      rules: rules.flatMap(entriesOf),
    },
  };
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
  const documents = [...chosen].map(([set, rules]) => printYaml(documentOf(set, rules)));
  await io.out(documents.join('---\n'));
  return EXIT.healthy;
}
