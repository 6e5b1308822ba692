import { describe, expect, it } from 'vitest';
import { judgeRuleSet } from './judge-rule-set.ts';

function ruleSet(...rules: readonly Readonly<Record<string, unknown>>[]) {
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'GlobalHealthRuleSet',
    metadata: { name: 'widgets' },
    spec: { rules: rules.map((rule) => ({ apiVersion: 'example.com/v1', resources: ['widgets'], ...rule })) },
  };
}

describe('a rule set', () => {
  it('of which every rule compiles is ready', () => {
    const set = ruleSet({ healthy: 'status.ready' }, { name: 'b', healthy: 'true', message: '"x"' });
    expect(judgeRuleSet(set)).toEqual({ status: 'True', reason: 'RulesCompile', message: '2 rules compile' });
  });

  it('with a rule that does not compile says which, where in it, and marks the place', () => {
    const set = ruleSet({ name: 'ready', healthy: 'has(status.ready) &&\n  statu.ready == true' }, { healthy: 'true' });
    const { status, reason, message } = judgeRuleSet(set);
    expect([status, reason]).toEqual(['False', 'RuleInvalid']);
    const [place = '', line, caret] = message.split('\n');
    expect(place).toMatch(/^widgets#ready healthy 2:3: /);
    expect([line, caret?.split('  did')[0]]).toEqual(['  statu.ready == true', '  ^^^^^']);
  });

  it('tells each rule once, and of more than ten the first ten', () => {
    const rules = Array.from({ length: 12 }, (_, index) => ({ name: `r${index}`, healthy: '1 +', failed: '2 +' }));
    const { message } = judgeRuleSet(ruleSet(...rules));
    expect(message.match(/widgets#r\d+/g)).toEqual(Array.from({ length: 10 }, (_, index) => `widgets#r${index}`));
    expect(message).toMatch(/and 2 more$/);
  });

  it('whose document cannot be used says where', () => {
    expect(judgeRuleSet(ruleSet({ name: 'a', healthy: 'true' }, { name: 'a', healthy: 'true' }))).toEqual({
      status: 'False',
      reason: 'RuleInvalid',
      message: 'spec.rules two rules are named "a"',
    });
    expect(judgeRuleSet(ruleSet({ apiVersion: '*', healthy: 'true' })).message).toContain(
      'spec.rules[0] "*" is a wildcard',
    );
  });

  it('is told in 4,096 characters at most', () => {
    const rules = Array.from({ length: 10 }, (_, index) => ({ name: `r${index}`, healthy: `${'x'.repeat(2000)} +` }));
    const { message } = judgeRuleSet(ruleSet(...rules));
    expect([...message].length).toBeLessThanOrEqual(4096);
  });
});
