import { describe, expect, it } from 'vitest';
import { compileRuleSets } from './compile.ts';
import { ruleSet, widgetRule } from './widget-rules.fixture.ts';

const ids = (
  rules: ReturnType<typeof compileRuleSets>,
  apiVersion = 'example.test/v1',
  kind = 'Widget',
  resource?: string,
) => rules.select(apiVersion, kind, resource).map((rule) => rule.id);

describe('which rules apply', () => {
  const rule = widgetRule({ healthy: 'true' });

  it('apiVersion and the plural of the kind decide', () => {
    const rules = compileRuleSets([ruleSet([rule])]);
    expect(ids(rules)).toEqual(['tested#works']);
    expect(ids(rules, 'example.test/v2')).toEqual([]);
    expect(ids(rules, 'example.test/v1', 'Gadget')).toEqual([]);
  });

  it('a rule that knows its kinds does not guess, a caller who knows the plural is believed', () => {
    const rules = compileRuleSets([ruleSet([{ ...rule, kinds: ['Sprocket'] }])]);
    expect(ids(rules, 'example.test/v1', 'Sprocket')).toEqual(['tested#works']);
    expect(ids(rules)).toEqual([]);
    expect(ids(rules, 'example.test/v1', 'Anything', 'widgets')).toEqual(['tested#works']);
  });

  it('global sets come before local ones, then the name of the set decides, then the index', () => {
    const two = [widgetRule({ name: 'b', healthy: 'true' }), widgetRule({ name: 'a', healthy: 'true' })];
    const rules = compileRuleSets([
      ruleSet([rule], { name: 'a-local', namespace: 'shop' }),
      ruleSet([rule], { name: 'z' }),
      ruleSet(two, { name: 'm' }),
    ]);
    expect(ids(rules)).toEqual(['m#b', 'm#a', 'z#works', 'a-local#works']);
  });

  it('the same rule selected twice counts once', () => {
    expect(ids(compileRuleSets([ruleSet([rule]), ruleSet([rule])]))).toEqual(['tested#works']);
  });

  it('a generic set only serves what no other rule matches', () => {
    const fallback = widgetRule({ name: 'any', apiVersions: ['*'], resources: ['*'], healthy: 'true' });
    const grouped = widgetRule({ name: 'group', apiVersions: ['other.test/*'], resources: ['*'], healthy: 'true' });
    const rules = compileRuleSets([ruleSet([rule]), ruleSet([fallback, grouped], { name: 'generic', generic: true })]);
    expect(ids(rules)).toEqual(['tested#works']);
    expect(ids(rules, 'example.test/v1', 'Gadget')).toEqual(['generic#any']);
    expect(ids(rules, 'other.test/v9', 'Gadget')).toEqual(['generic#any', 'generic#group']);
    expect(ids(rules, 'other.testing/v1', 'Gadget')).toEqual(['generic#any']);
  });
});

describe('compiling everything', () => {
  it('reports each broken expression with set, rule, field, place and a caret', () => {
    const broken = widgetRule({
      healthy: 'status.ok &&\n  statos.ready',
      message: '"fine"',
      variables: [{ name: 'v', expression: 'size(' }],
    });
    const issues = compileRuleSets([ruleSet([broken])]).compileAll();
    expect(issues.map(({ set, rule, field }) => `${set}#${rule} ${field}`)).toEqual([
      'tested#works variables.v',
      'tested#works healthy',
    ]);
    const healthy = issues[1];
    expect(healthy).toMatchObject({ severity: 'error', line: 2, column: 3 });
    expect(healthy?.message).toContain('statos');
    expect(healthy?.text).toContain('^');
  });

  it('an expression that is no bool compiles: it fails on the objects it meets', () => {
    expect(compileRuleSets([ruleSet([widgetRule({ healthy: '"text"' })])]).compileAll()).toEqual([]);
  });
});
