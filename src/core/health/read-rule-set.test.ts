import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { asMap } from '../object/fields.ts';
import { isRuleDocument, type ReadRuleSetResult, readRuleSet } from './read-rule-set.ts';

function read(yaml: string): ReadRuleSetResult {
  return readRuleSet(asMap(load(yaml)), 'rules.yaml', { parseYaml: load });
}

function lines(yaml: string): readonly string[] {
  return read(yaml).problems.map(({ path, message }) => `${path} ${message}`);
}

const SET = `
apiVersion: convoy.kumodo.io/v1alpha1
kind: GlobalHealthRuleSet
metadata: { name: widgets }
spec:
  preamble: Standard
  rules:
    - name: works
      apiVersion: example.test/v1
      resources: [widgets]
      healthy: status.ok
      message: '"no"'
      failed: status.dead
      suspended: spec.off
    - apiVersion: example.test/v1
      resources: [widgets]
      healthy: 'true'
`;

describe('a GlobalHealthRuleSet', () => {
  it('gives its rules; the name of one without is its index', () => {
    const { set, problems } = read(SET);
    expect(problems).toEqual([]);
    expect(set).toMatchObject({
      name: 'widgets',
      namespace: '',
      preamble: 'Standard',
      generic: false,
      contract: 'convoy',
    });
    expect(set?.rules.map((rule) => rule.name)).toEqual(['works', '1']);
    expect(set?.rules[0]).toMatchObject({
      healthy: 'status.ok',
      failed: 'status.dead',
      suspended: 'spec.off',
      message: '"no"',
    });
  });

  it('has no preamble unless it asks for one', () => {
    expect(read(SET.replace('preamble: Standard', '')).set?.preamble).toBe('None');
  });

  it('says what is missing, with the path', () => {
    expect(lines(SET.replace('healthy: status.ok', ''))).toEqual(['spec.rules[0].healthy is missing']);
    expect(lines(SET.replace('name: widgets', 'name: ""'))).toContain('metadata.name is empty');
    expect(lines('{apiVersion: convoy.kumodo.io/v1alpha1, kind: HealthRuleSet, metadata: {name: a}}')).toEqual([
      'spec is missing',
    ]);
  });

  it('names a misspelt field and those that exist', () => {
    expect(lines(SET.replace('failed:', 'fails:'))[0]).toMatch(
      /^spec\.rules\[0\]\.fails is no field here; known are name, /,
    );
  });

  it('refuses two rules of one name, and a text where a list belongs', () => {
    expect(lines(SET.replace('    - apiVersion', '    - name: works\n      apiVersion'))).toEqual([
      'spec.rules two rules are named "works"',
    ]);
    expect(lines(SET.replace('resources: [widgets]', 'resources: widgets'))[0]).toContain(
      'has to be a list of strings',
    );
  });

  it('keeps the good rules beside a bad one', () => {
    expect(read(SET.replace('healthy: status.ok', '')).set?.rules.map((rule) => rule.name)).toEqual(['1']);
  });

  it('allows wildcards only in a generic set', () => {
    const wild = SET.replace('resources: [widgets]', 'resources: ["*"]');
    expect(lines(wild)[0]).toContain('only a set with generic: true');
    expect(lines(wild.replace('preamble: Standard', 'generic: true'))).toEqual([]);
  });

  it('refuses related Secrets and more than three related objects', () => {
    const related = (resource: string, count: number): string =>
      SET.replace(
        'healthy: status.ok',
        `healthy: status.ok\n      related:\n${Array.from({ length: count }, (_, index) => `        - {name: r${index}, apiVersion: v1, resource: ${resource}, object: '"x"'}\n`).join('')}`,
      );
    expect(lines(related('secrets', 1))).toEqual(['spec.rules[0].related[0].resource may not be secrets']);
    expect(lines(related('classes', 4))).toEqual(['spec.rules[0].related names more than 3 objects']);
    expect(lines(related('classes', 3))).toEqual([]);
  });

  it('refuses a variable that reads itself or a later one', () => {
    const variables = (first: string): string =>
      SET.replace(
        'healthy: status.ok',
        `healthy: status.ok\n      variables: [{name: a, expression: '${first}'}, {name: b, expression: variables.a}]`,
      );
    expect(lines(variables('variables.b'))).toEqual([
      'spec.rules[0].variables[0] reads "b", which is not declared before it',
    ]);
    expect(lines(variables('variables.a'))).toEqual([
      'spec.rules[0].variables[0] reads "a", which is not declared before it',
    ]);
    expect(lines(variables('status'))).toEqual([]);
  });

  it('has a bounded number of variables', () => {
    const many = Array.from(
      { length: 3000 },
      (_, index) => `{name: v${index}, expression: "[variables.v${index - 1}]"}`,
    );
    const yaml = SET.replace('healthy: status.ok', `healthy: status.ok\n      variables: [${many.join(', ')}]`);
    expect(lines(yaml)).toEqual(['spec.rules[0].variables declares more than 200']);
  });
});

describe('a HealthRuleSet', () => {
  it('is local to its namespace', () => {
    const yaml = SET.replace('GlobalHealthRuleSet', 'HealthRuleSet').replace(
      'name: widgets }',
      'name: widgets, namespace: shop }',
    );
    expect(read(yaml).set?.namespace).toBe('shop');
  });
});

const CONFIG_MAP = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: job-rules
  namespace: system
  labels: { k0rdent.mirantis.com/health-rule-target: global }
data:
  rules: |
    - group: batch
      version: v1
      kind: Job
      scope: Namespaced
      healthy: has(obj.status.succeeded)
      message: '"not yet"'
    - group: ""
      version: v1
      kind: Pod
      scope: Namespaced
      healthy: 'true'
      message: '""'
`;

describe('a k0rdent rule ConfigMap', () => {
  it('gives rules by kind, named by their index, without a preamble', () => {
    const { set, problems } = read(CONFIG_MAP);
    expect(problems).toEqual([]);
    expect(set).toMatchObject({ name: 'system/job-rules', contract: 'k0rdent', preamble: 'None' });
    expect(set?.rules.map(({ name, apiVersions, kinds }) => ({ name, apiVersions, kinds }))).toEqual([
      { name: '0', apiVersions: ['batch/v1'], kinds: ['Job'] },
      { name: '1', apiVersions: ['v1'], kinds: ['Pod'] },
    ]);
  });

  it('keeps the index of a rule behind a broken one', () => {
    const { set, problems } = read(CONFIG_MAP.replace('      message: \'"not yet"\'\n', ''));
    expect(problems.map(({ path }) => path)).toEqual(['data.rules[0].message']);
    expect(set?.rules.map((rule) => rule.name)).toEqual(['1']);
  });

  it('says so when its rules are no YAML, no list, or missing', () => {
    expect(lines(CONFIG_MAP.replace('- group: batch', '- group: [batch'))[0]).toMatch(/^data\.rules is no YAML: /);
    expect(lines(CONFIG_MAP.replace(/rules: \|[\s\S]*/, 'rules: "a: 1"'))).toEqual([
      'data.rules has to be a list of rules',
    ]);
    expect(lines(CONFIG_MAP.replace(/rules: \|[\s\S]*/, 'other: x'))).toEqual(['data.rules is missing']);
  });

  it('checks the scope', () => {
    expect(lines(CONFIG_MAP.replace('scope: Namespaced', 'scope: Anywhere'))).toEqual([
      'data.rules[0].scope has to be Namespaced or Cluster',
    ]);
  });
});

describe('the rule.yaml of a folder', () => {
  it('is a set of one rule, named after its group, that knows kind and plural', () => {
    const { set, problems } = read(
      '{group: example.test, kind: Widget, resource: widgets, versions: [v1, v1beta1], healthy: "true"}',
    );
    expect(problems).toEqual([]);
    expect(set?.name).toBe('example.test');
    expect(set?.rules[0]).toMatchObject({
      name: 'widget',
      apiVersions: ['example.test/v1', 'example.test/v1beta1'],
      resources: ['widgets'],
      kinds: ['Widget'],
    });
  });

  it('needs a group and versions', () => {
    expect(lines('{kind: Widget, healthy: "true"}')).toEqual([
      'group is missing: "" is the core group, _ stands for any',
      'versions is empty: name the API versions, like [v1]',
    ]);
  });
});

describe('anything else', () => {
  it.each([
    null,
    5,
    'text',
    [],
    {},
    { kind: 'Deployment', apiVersion: 'apps/v1' },
    { kind: 'ConfigMap', apiVersion: 'v1' },
    { kind: 'Database', versions: ['v1'] },
    { apiVersion: 'v1', kind: 'Database', resource: 'databases', versions: ['v1'] },
  ])('%j is no rule document', (document) => {
    expect(isRuleDocument(document)).toBe(false);
  });

  it('that names its kind, plural and versions is a rule whose expression is missing', () => {
    const document = { group: 'example.com', kind: 'Database', resource: 'databases', versions: ['v1'] };
    expect(isRuleDocument(document)).toBe(true);
    const { set, problems } = readRuleSet(document, 'rule.yaml');
    expect(set).toBeUndefined();
    expect(problems).toEqual([{ source: 'rule.yaml', path: 'healthy', message: expect.stringMatching(/^is missing/) }]);
  });

  it('gives one sentence that says what was expected', () => {
    const { set, problems } = readRuleSet({ apiVersion: 'apps/v1', kind: 'Deployment' }, 'x.yaml');
    expect(set).toBeUndefined();
    expect(problems).toEqual([
      { source: 'x.yaml', path: '', message: expect.stringContaining('is no rule set: expected') },
    ]);
  });
});
