import { type CompiledRules, compileRuleSets } from './compile.ts';
import type { Rule, RuleSet } from './rule.ts';

/** A rule for Widgets with what a test does not care about filled in. */
export function widgetRule(rule: Partial<Rule> & Pick<Rule, 'healthy'>): Rule {
  return {
    name: 'works',
    apiVersions: ['example.test/v1'],
    resources: ['widgets'],
    variables: [],
    related: [],
    links: [],
    ...rule,
  };
}

export function ruleSet(rules: readonly Rule[], set: Partial<RuleSet> = {}): RuleSet {
  return {
    name: 'tested',
    namespace: '',
    source: 'test',
    contract: 'convoy',
    preamble: 'None',
    generic: false,
    rules,
    ...set,
  };
}

/** One rule for Widgets, compiled. */
export function widgetRules(rule: Partial<Rule> & Pick<Rule, 'healthy'>, set: Partial<RuleSet> = {}): CompiledRules {
  return compileRuleSets([ruleSet([widgetRule(rule)], set)]);
}

export function widget(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name: 'one', namespace: 'shop' }, ...fields };
}
