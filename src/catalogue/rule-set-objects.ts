import { API_VERSION } from '../core/api/index.ts';
import type { Rule, RuleSet } from '../core/health/index.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

/** Rules that one GlobalHealthRuleSet holds at most: `maxItems` of its definition. */
const RULES_PER_SET = 200;

/** The shipped rule sets as objects of a cluster, with the label by which a Release selects them all. */
export function ruleSetObjects(sets: readonly RuleSet[]): readonly KubernetesObject[] {
  return sets.map((set) => {
    const rules = set.rules.flatMap(entriesOf);
    if (rules.length > RULES_PER_SET) throw new Error(`the set ${set.name} has more than ${RULES_PER_SET} rules`);
    return {
      apiVersion: API_VERSION,
      kind: 'GlobalHealthRuleSet',
      metadata: { name: set.name, labels: { 'convoy.kumodo.io/default': 'true' } },
      spec: { preamble: set.preamble, ...(set.generic ? { generic: true } : {}), rules },
    };
  });
}

/** One entry for each API version: an entry names one. */
function entriesOf(rule: Rule): readonly Readonly<Record<string, unknown>>[] {
  const { apiVersions, name, resources, variables, related, healthy, message, failed, suspended, reason, links } = rule;
  return apiVersions.map((apiVersion, index) => ({
    name: index === 0 ? name : `${name}-${apiVersion.replace(/.*\//, '')}`,
    apiVersion,
    resources,
    ...(links.length > 0 ? { links } : {}),
    ...(related.length > 0 ? { related } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    healthy,
    ...(message === undefined ? {} : { message }),
    ...(failed === undefined ? {} : { failed }),
    ...(suspended === undefined ? {} : { suspended }),
    ...(reason === undefined ? {} : { reason }),
  }));
}
