import { describe, expect, it } from 'vitest';
import { compileRuleSets } from '../../health/index.ts';
import { ruleSet, widgetRule } from '../../health/widget-rules.fixture.ts';
import { releaseRules } from './release-rules.ts';
import { selectSets } from './select-rules.ts';

const sets = [
  { name: 'core', namespace: '', labels: { default: 'true' } },
  { name: 'extra', namespace: '', labels: {} },
  { name: 'mine', namespace: 'apps', labels: { team: 'a' } },
  { name: 'theirs', namespace: 'other', labels: { team: 'a' } },
];

function selected(assessment: object): string[] | string {
  const found = selectSets({ failFast: false, ...assessment }, 'apps', sets);
  return 'reason' in found ? `${found.reason}: ${found.message}` : found.map(({ name }) => name);
}

describe('the rule sets of a Release', () => {
  it('without a selector are none', () => {
    expect(selected({})).toEqual([]);
  });

  it('with an empty selector are all: global ones, or those of its own namespace', () => {
    expect(selected({ globalRuleSetSelector: {} })).toEqual(['core', 'extra']);
    expect(selected({ localRuleSetSelector: {} })).toEqual(['mine']);
  });

  it('are those whose labels fit, global and local together', () => {
    const globalRuleSetSelector = { matchLabels: { default: 'true' } };
    const localRuleSetSelector = { matchLabels: { team: 'a' } };
    expect(selected({ globalRuleSetSelector, localRuleSetSelector })).toEqual(['core', 'mine']);
  });

  it('with a selector that is none cannot be known', () => {
    const localRuleSetSelector = { matchExpressions: [{ key: 'team', operator: 'Is' }] };
    expect(selected({ localRuleSetSelector })).toBe(
      'InvalidSelector: spec.healthAssessment.localRuleSetSelector: operator "Is" of label "team" is none of In, NotIn, Exists, DoesNotExist',
    );
  });
});

describe('a generic set in a Release', () => {
  const any = widgetRule({ apiVersions: ['*'], resources: ['*'], healthy: 'true' });
  const rules = releaseRules(compileRuleSets([ruleSet([any], { generic: true })]));

  it.each(['v1', 'apps/v1', 'batch/v1', 'networking.k8s.io/v1', 'rbac.authorization.k8s.io/v1'])(
    'says nothing about the built-in %s',
    (apiVersion) => {
      expect(rules.select(apiVersion, 'Any', 'anys')).toEqual([]);
    },
  );

  it.each(['example.test/v1', 'gateway.networking.k8s.io/v1', 'cert-manager.io/v1'])(
    'speaks about %s',
    (apiVersion) => {
      expect(rules.select(apiVersion, 'Any', 'anys')).toHaveLength(1);
    },
  );

  it('a specific rule for a built-in kind counts', () => {
    const specific = widgetRule({ apiVersions: ['v1'], resources: ['services'], healthy: 'true' });
    expect(releaseRules(compileRuleSets([ruleSet([specific])])).select('v1', 'Service', 'services')).toHaveLength(1);
  });
});
