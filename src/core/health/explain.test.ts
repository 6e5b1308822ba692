import { describe, expect, it } from 'vitest';
import { explainRule } from './explain.ts';
import { widget, widgetRules } from './widget-rules.fixture.ts';

describe('explaining a verdict', () => {
  const rules = widgetRules({
    variables: [{ name: 'wanted', expression: 'spec.?replicas.orValue(1)' }],
    healthy: 'status.?ready.orValue(0) == variables.wanted && kind == "Widget"',
    failed: 'status.?dead.orValue(false)',
  });

  it('shows the expressions that were asked, in order, with their results', () => {
    const object = widget({ spec: { replicas: 3 }, status: { ready: 1 } });
    const [explained] = explainRule({ object, rules, now: 0 });
    expect(explained).toMatchObject({ rule: 'tested#works', outcome: { outcome: 'failing' } });
    expect(explained?.expressions.map(({ field, result }) => [field, result])).toEqual([
      ['variables.wanted', 3],
      ['healthy', false],
      ['failed', false],
    ]);
  });

  it('the text names the part that decided and the values it saw', () => {
    const object = widget({ spec: { replicas: 3 }, status: { ready: 1 } });
    const healthy = explainRule({ object, rules, now: 0 })[0]?.expressions.find(({ field }) => field === 'healthy');
    expect(healthy?.text).toMatch(/status\.\?ready\.orValue\(0\).*1/s);
    expect(healthy?.text).toMatch(/variables\.wanted.*3/s);
    expect(healthy?.cost).toBeGreaterThan(0);
  });

  it('a passing rule shows only what it was asked', () => {
    const [explained] = explainRule({ object: widget({ status: { ready: 1 } }), rules, now: 0 });
    expect(explained?.outcome.outcome).toBe('pass');
    expect(explained?.expressions.map(({ field }) => field)).toEqual(['variables.wanted', 'healthy']);
  });

  it('shows the variables that were read, and of those that could have been none', () => {
    const many = widgetRules({
      variables: [
        { name: 'limit', expression: 'spec.?limit.orValue(5)' },
        { name: 'over', expression: 'status.?ready.orValue(0) > variables.limit' },
        { name: 'spare', expression: 'spec.?spare.orValue(0)' },
        { name: 'names', expression: '["a", "b"]' },
        { name: 'suffix', expression: '"b"' },
      ],
      healthy:
        'variables.over ? variables.spare > 9 : (variables.names.exists(n, n.endsWith(variables.suffix)) && kind == "Thing") || variables.spare > 9',
    });
    const fields = (ready: number) =>
      explainRule({ object: widget({ status: { ready } }), rules: many, now: 0 })[0]?.expressions.map(
        ({ field }) => field,
      );
    const all = [
      'variables.limit',
      'variables.over',
      'variables.spare',
      'variables.names',
      'variables.suffix',
      'healthy',
    ];
    expect(fields(1)).toEqual(all);
    expect(fields(9)).toEqual(['variables.limit', 'variables.over', 'variables.spare', 'healthy']);
  });

  it('an error shows its place, a broken expression its caret', () => {
    const failing = widgetRules({ healthy: 'status.phase == "Done"' });
    expect(explainRule({ object: widget(), rules: failing, now: 0 })[0]?.expressions[0]?.text).toContain('^');
    const broken = widgetRules({ healthy: 'status.phase ==' });
    expect(explainRule({ object: widget(), rules: broken, now: 0 })[0]?.expressions[0]?.text).toContain('^');
  });

  it('shows nothing behind the expression that failed: it was not asked', () => {
    const fields = (rule: Parameters<typeof widgetRules>[0]) =>
      explainRule({ object: widget(), rules: widgetRules(rule), now: 0 })[0]?.expressions.map(({ field }) => field);
    expect(fields({ healthy: 'status.gone', failed: 'true', suspended: 'true' })).toEqual(['healthy']);
    expect(fields({ healthy: 'false', failed: '1', suspended: 'true' })).toEqual(['healthy', 'failed']);
    expect(fields({ healthy: 'false', failed: 'false', suspended: 'status.gone' })).toEqual([
      'healthy',
      'failed',
      'suspended',
    ]);
  });

  it('can be asked for one rule by its name', () => {
    expect(explainRule({ object: widget(), rules, now: 0, rule: 'works' })).toHaveLength(1);
    expect(explainRule({ object: widget(), rules, now: 0, rule: 'tested#works' })).toHaveLength(1);
    expect(explainRule({ object: widget(), rules, now: 0, rule: 'other' })).toEqual([]);
  });
});
