import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/catalogue/index.ts';
import { prepareJudge } from '../../src/cli/prepare-judge.ts';
import { type Run, run } from './memory-io.ts';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 1 },
  spec: { replicas: 3 },
  status: { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
};
const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', generation: 1 },
  status: {
    observedGeneration: 1,
    desiredNumberScheduled: 2,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberReady: 1,
    currentNumberScheduled: 2,
  },
};
const objects = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [deployment, daemonSet] });

function ruleSet(name: string, healthy: string): string {
  return `apiVersion: convoy.kumodo.io/v1alpha1
kind: GlobalHealthRuleSet
metadata: {name: ${name}}
spec:
  rules:
  - name: mine
    apiVersion: apps/v1
    resources: [deployments]
    healthy: ${JSON.stringify(healthy)}
    message: '"never enough"'
`;
}

/** Judges a healthy Deployment and a DaemonSet that is rolling by the built-in rules and those of `rules`. */
function judge(rules: Readonly<Record<string, string>>, ...paths: string[]): Promise<Run> {
  const template = '{range .items[*]}{.kind} {.state} {.rule}{"\\n"}{end}';
  const args = ['health', '-f', 'o.json', '-o', `jsonpath=${template}`, ...paths.flatMap((path) => ['--rules', path])];
  return run(args, {
    files: { 'o.json': objects, ...rules },
    prepareJudge: (documents) => prepareJudge(documents, catalogue()),
  });
}

describe('the judge', () => {
  it('knows the built-in rules', async () => {
    const { out } = await judge({});
    expect(out).toMatch(/^Deployment Healthy \nDaemonSet Progressing apps#/);
  });

  it('takes a set of a new name as one more', async () => {
    const { out, err } = await judge({ 'r.yaml': ruleSet('mine', 'false') }, 'r.yaml');
    expect(err).toBe('');
    expect(out).toMatch(/^Deployment Progressing mine#mine\nDaemonSet Progressing apps#/);
  });

  it('takes a set of a known name in its place', async () => {
    const { out } = await judge({ 'r.yaml': ruleSet('apps', 'spec.replicas > 3') }, 'r.yaml');
    expect(out).toMatch(/^Deployment Progressing apps#mine\nDaemonSet \w+ (?!apps#)/);
  });

  it('takes a rule folder in the place of the rules for its kinds alone, and leaves its tests and fixtures', async () => {
    const folder = {
      'rules/apps/Deployment/rule.yaml':
        'group: apps\nkind: Deployment\nresource: deployments\nversions: [v1]\nhealthy: "false"\n',
      'rules/apps/Deployment/rule.test.yaml': 'cases: []\n',
      'rules/apps/Deployment/testdata/web.yaml': 'apiVersion: apps/v1\nkind: Deployment\n',
    };
    const { out, err } = await judge(folder, 'rules');
    expect(err).toBe('');
    expect(out).toMatch(/^Deployment Progressing apps#deployment\nDaemonSet Progressing apps#daemon/);
  });

  it('takes a k0rdent rule ConfigMap', async () => {
    const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: rules, namespace: kcm, labels: {k0rdent.mirantis.com/health-rule-target: "true"}}
data:
  rules: |
    - {group: apps, version: v1, kind: Deployment, scope: Namespaced, healthy: "obj.spec.replicas > 5", message: "'small'"}
`;
    const { out } = await judge({ 'c.yaml': configMap }, 'c.yaml');
    expect(out).toContain('Deployment Progressing kcm/rules#0\n');
  });
});

describe('a rule that cannot be used ends the run with exit code 2', () => {
  it('a rule that does not compile, with a caret', async () => {
    const { code, out, err } = await judge({ 'r.yaml': ruleSet('mine', 'spec.replicas >') }, 'r.yaml');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^r\.yaml: document 1, line 9: rule mine#mine, healthy: the expression ends here, /);
    expect(err).toMatch(/\n.*\^/);
  });

  it('the line of an expression of several lines, in the second document', async () => {
    const broken = ruleSet('mine', 'true').replace(/healthy:.*/, 'healthy: |\n      1 < 2\n        && status.a = 3');
    const { err } = await judge({ 'r.yaml': `${ruleSet('other', 'true')}---\n${broken}` }, 'r.yaml');
    expect(err).toMatch(/^r\.yaml: document 2, line 22: rule mine#mine, healthy: '=' is no operator\n.*\n *\^/);
  });

  it.each<[string, string, RegExp]>([
    [
      'a set without rules',
      ruleSet('mine', 'true').replace(/ {2}rules:[\s\S]*/, '  rules: []\n'),
      /^r\.yaml: document 1, line 5: spec\.rules is empty/,
    ],
    [
      'a misspelt field',
      ruleSet('mine', 'true').replace('message:', 'mesage:'),
      /^r\.yaml: document 1, line 10: spec\.rules\[0\]\.mesage /,
    ],
    [
      'a rule.yaml without its expression',
      'group: example.com\nkind: Database\nresource: databases\nversions: [v1]\n',
      /^r\.yaml: document 1, line 1: healthy is missing/,
    ],
    [
      'an object that is no rule',
      'apiVersion: v1\nkind: Pod\n',
      /^r\.yaml: holds no health rules; pass a GlobalHealthRuleSet/,
    ],
    ['broken YAML', 'a: b: c', /^r\.yaml: document 1, line 1: /],
  ])('%s, in one line', async (_, content, line) => {
    const { code, out, err } = await judge({ 'r.yaml': content }, 'r.yaml');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(line);
    expect(err.trimEnd()).not.toContain('\n');
  });

  it('two folders that call rules for different kinds by one name', async () => {
    const rule = (kind: string) => `group: example.com\nkind: ${kind}\nversions: [v1]\nname: ready\nhealthy: "false"\n`;
    const files = { 'rules/A/rule.yaml': rule('A'), 'rules/B/rule.yaml': rule('B') };
    const { code, err } = await judge(files, 'rules');
    expect(err).toBe(
      'rules/B/rule.yaml: document 1, line 4: name "ready" is taken by the rule for A in rules/A/rule.yaml: ' +
        'rules of one API group have different names; mend the rule set\n',
    );
    expect(code).toBe(2);
    // Given twice by overlapping paths it is one rule.
    expect((await judge({ 'rules/A/rule.yaml': rule('A') }, 'rules', 'rules/A')).err).toBe('');
  });

  it('of many faults the first ten are told, and how many more there are', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 15 }, (_, place) => [`rules/${place}.yaml`, ruleSet(`set-${place}`, 'spec.replicas >')]),
    );
    for (const command of [
      ['health', '-f', 'o.json'],
      ['rules', 'list'],
    ]) {
      const { err } = await run([...command, '--rules', 'rules'], {
        files: { 'o.json': objects, ...files },
        prepareJudge: (documents) => prepareJudge(documents, catalogue()),
      });
      expect(err.match(/^rules\/\d+\.yaml: /gm)).toHaveLength(10);
      expect(err).toMatch(/\nand 5 more problems\n$/);
    }
  });

  it('a file that is missing', async () => {
    expect((await judge({}, 'nope')).err).toBe('nope: no such file; check the path\n');
  });
});
