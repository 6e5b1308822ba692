import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { type Run, run, type World } from './memory-io.ts';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, generation: 1}
spec: {replicas: 3, selector: {matchLabels: {app: web}}}
status: {observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1}
`;
const WIDGET_SET = `
apiVersion: convoy.kumodo.io/v1alpha1
kind: GlobalHealthRuleSet
metadata: {name: widgets}
spec:
  rules:
    - name: turning
      apiVersion: example.com/v1
      resources: [widgets]
      healthy: |
        status.?speed.orValue(0) == spec.?speed.orValue(1)
          && status.?phase.orValue("") == "Turning"
      message: '"turns at %d".format([status.?speed.orValue(0)])'
`;
const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {speed: 3}
status: {speed: 1, phase: Turning}
`;
const world: World = { files: { 'web.yaml': DEPLOYMENT, 'widgets.yaml': WIDGET_SET, 'w.yaml': WIDGET } };

describe('rules list', () => {
  it('is a table of kinds, with where each rule comes from', async () => {
    const { code, out } = await run(['rules', 'list']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^KIND +GROUP +SET +RULE +SOURCE$/);
    expect(lines).toContainEqual(expect.stringMatching(/^Deployment +apps +apps +deployment-rolled-out +built in$/));
    expect(lines).toContainEqual(expect.stringMatching(/^Pod +core +kubernetes-core +pod-ready +built in$/));
    expect(lines.at(-1)).toMatch(/^\* +\* +generic +conventions +built in$/);
    expect(code).toBe(0);
  });

  it('knows the sets that were given, and kinds by any of their names', async () => {
    const { out } = await run(['rules', 'list', 'widget', '--rules', 'widgets.yaml'], world);
    expect(out.split('\n')[1]).toMatch(/^widgets +example\.com +widgets +turning +widgets\.yaml$/);
    for (const name of [
      'deploy',
      'Deployment',
      'deployments',
      'deployments.apps',
      'apps/Deployment',
      'apps/v1/deploy',
    ]) {
      expect((await run(['rules', 'list', name, '-o', 'name'])).out, name).toBe('apps#deployment-rolled-out\n');
    }
    expect((await run(['rules', 'list', 'core/pod', '-o', 'name'])).out).toBe('kubernetes-core#pod-ready\n');
  });

  it('is the same in JSON and YAML', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((format) => run(['rules', 'list', 'pvc', '-o', format])),
    );
    expect(load(yaml?.out ?? '')).toEqual(JSON.parse(json?.out ?? ''));
    expect(JSON.parse(json?.out ?? '')).toMatchObject({
      kind: 'HealthRuleList',
      items: [{ kinds: ['PersistentVolumeClaim'], set: 'kubernetes-core', rule: 'claim-bound', source: 'built in' }],
    });
  });
});

describe('rules show', () => {
  it('prints a rule set that can be read again and judges the same', async () => {
    const { code, out } = await run(['rules', 'show', 'deploy']);
    expect(code).toBe(0);
    expect(load(out)).toMatchObject({
      apiVersion: 'convoy.kumodo.io/v1alpha1',
      kind: 'GlobalHealthRuleSet',
      metadata: { name: 'apps' },
      spec: { preamble: 'Standard' },
    });
    expect(out).toMatch(/name: deployment-rolled-out\n +apiVersion: apps\/v1\n[\s\S]* healthy: \|\n/);
    const again = { files: { ...world.files, 'copy.yaml': out } };
    const explained = await run(['rules', 'explain', '-f', 'web.yaml', '--rules', 'copy.yaml'], again);
    expect(explained.out.split('\n')[0]).toBe(
      'Deployment shop/web is Progressing (RuleFailed) by apps#deployment-rolled-out: 1/3 replicas ready, 3 updated',
    );
  });

  it('prints every built-in kind in a form that reads without a problem', async () => {
    const kinds = (await run(['rules', 'list', '-o', 'json'])).out;
    const items: { kinds: string[]; apiVersions: string[] }[] = JSON.parse(kinds).items;
    for (const { kinds: names, apiVersions } of items) {
      const name = names[0] ?? '*';
      const { out } = await run(['rules', 'show', name]);
      const { code, err } = await run(['rules', 'list', '--rules', 'copy.yaml'], { files: { 'copy.yaml': out } });
      expect([name, code, err]).toEqual([name, 0, '']);
      expect((load(out) as { spec: { rules: unknown[] } }).spec.rules).toHaveLength(apiVersions.length);
    }
  });

  it.each([
    ['deploymnt', 'no rule for "deploymnt"; did you mean Deployment?'],
    [
      'ConfigMap',
      'no rule for "ConfigMap"; kinds without one are judged by the generic set: `convoy rules show "*"`; ',
    ],
  ])('of an unknown kind is one line: %s', async (kind, line) => {
    const { code, out, err } = await run(['rules', 'show', kind]);
    expect(err.slice(0, `convoy: ${line}`.length)).toBe(`convoy: ${line}`);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });
});

describe('rules eval', () => {
  const evaluate = (expression: string, ...flags: string[]) =>
    run(['rules', 'eval', '-f', 'web.yaml', ...flags, '--', expression], world);

  it.each([
    ['status.readyReplicas', '1'],
    ['object.metadata.name + self.kind + obj.apiVersion', '"webDeploymentapps/v1"'],
    ['now', '"2026-03-02T10:00:00.000Z"'],
    ['conditions', '[]'],
    ['-spec.replicas', '-3'],
    ['9007199254740993', '9007199254740993'],
    ['{"a": [1, 2.5], "b": b"hi"}', '{\n  "a": [\n    1,\n    2.5\n  ],\n  "b": "aGk="\n}'],
    ['spec.?nothing', 'null'],
  ])('prints the value of %s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual({ code: 0, out: `${value}\n`, err: '' });
  });

  it('needs no file for an expression that reads no object', async () => {
    expect(await run(['rules', 'eval', '"%d pods".format([1 + 1])'], world)).toEqual({
      code: 0,
      out: '"2 pods"\n',
      err: '',
    });
  });

  it('tells type and cost in JSON, and takes the time from --now', async () => {
    const { out } = await evaluate('now', '-o', 'json', '--now', '2026-01-01T00:00:00Z');
    expect(JSON.parse(out)).toEqual({
      expression: 'now',
      type: 'google.protobuf.Timestamp',
      cost: 1,
      value: '2026-01-01T00:00:00.000Z',
    });
  });

  it('shows an error with its place and ends with 1', async () => {
    expect(await evaluate('spec.replicas > status.nothing')).toEqual({
      code: 1,
      out: '',
      err: `1:24: no such key: nothing
spec.replicas > status.nothing
                       ^^^^^^^
`,
    });
    const { code, out } = await evaluate('status.nothing', '-o', 'json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { error: 'no such key: nothing', type: 'dyn' }]);
  });

  it('shows what does not compile with its place and ends with 2', async () => {
    const { code, out, err } = await evaluate('status.replicas >');
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n')).toEqual([expect.stringMatching(/^1:18: /), 'status.replicas >', '                 ^', '']);
  });

  it('ends at the cost limit', async () => {
    const { code, err } = await evaluate('[1, 2, 3].map(x, x + spec.replicas)', '--cost-limit', '5');
    expect([code, err]).toEqual([1, 'cost limit of 5 exceeded\n']);
  });

  it('writes the values under the sub-expressions', async () => {
    const { out } = await evaluate('status.?readyReplicas.orValue(0) == spec.?replicas.orValue(1)', '--explain');
    expect(out).toBe(`status.?readyReplicas.orValue(0) == spec.?replicas.orValue(1)
1                                   3                          false

false
`);
  });

  it('takes the object that is named from several', async () => {
    const files = { 'all.yaml': `${DEPLOYMENT}---${WIDGET}` };
    const named = await run(['rules', 'eval', '-f', 'all.yaml', 'kind', 'widget/w'], { files });
    expect(named).toEqual({ code: 0, out: '"Widget"\n', err: '' });
    expect((await run(['rules', 'eval', '-f', 'all.yaml', 'kind'], { files })).err).toBe(
      'convoy: the input holds 2 objects; name one of them behind the expression, like Deployment/web or Widget/w\n',
    );
  });
});

describe('rules explain', () => {
  it('gives the verdict and the values under the expression', async () => {
    const { code, out } = await run(['rules', 'explain', '-f', 'w.yaml', '--rules', 'widgets.yaml'], world);
    expect(out).toBe(`Widget shop/w is Progressing (RuleFailed) by widgets#turning: turns at 1
  healthy is false: status.?speed.orValue(0) is 1, spec.?speed.orValue(1) is 3
    status.?speed.orValue(0) == spec.?speed.orValue(1)
    1                           3                       false
      && status.?phase.orValue("") == "Turning"
`);
    expect(code).toBe(0);
  });

  it('tells the variables that were read, and how a deciding one came about', async () => {
    const set = WIDGET_SET.replace(
      /healthy:[\s\S]*?message/,
      'variables: [{name: fast, expression: "status.speed >= 3 || status.speed > spec.speed"}]\n      healthy: variables.fast\n      message',
    );
    const { out } = await run(['rules', 'explain', '-f', 'w.yaml', '--rules', 's.yaml'], {
      files: { ...world.files, 's.yaml': set },
    });
    expect(out.split('\n').slice(1)).toEqual([
      '  healthy is false: variables.fast is false',
      '    variables.fast',
      '    false',
      '  variables.fast is false: status.speed is 1, spec.speed is 3',
      '    status.speed >= 3 || status.speed > spec.speed',
      '    1            false   1              3           false',
      '  with',
      '    variables.fast  false  status.speed >= 3 || status.speed > spec.speed',
      '',
    ]);
  });

  it('marks what decided in colour on a terminal', async () => {
    const args = ['rules', 'explain', '-f', 'w.yaml', '--rules', 'widgets.yaml'];
    const { out } = await run(args, { ...world, isTerminal: true });
    expect(out).toContain('\u001b[1;31m1\u001b[0m');
    expect((await run(args, { ...world, isTerminal: true, environment: { NO_COLOR: '1' } })).out).not.toContain(
      '\u001b',
    );
  });

  it('shows an error of a rule with its place', async () => {
    const files = { ...world.files, 's.yaml': WIDGET_SET.replace('status.?phase.orValue("")', 'status.phse') };
    const ready = { ...files, 'w.yaml': WIDGET.replace('speed: 1', 'speed: 3') };
    const { out } = await run(['rules', 'explain', '-f', 'w.yaml', '--rules', 's.yaml'], { files: ready });
    expect(out).toContain(
      'Widget shop/w is Unknown (RuleError) by widgets#turning: rule widgets#turning: no such key: phse',
    );
    expect(out).toContain('       error: no such key: phse\n');
    expect(out).toContain('    2:13: no such key: phse\n');
  });

  it('explains what is not healthy of several, or the one that is named', async () => {
    const files = {
      ...world.files,
      'all.yaml': `${DEPLOYMENT}---${WIDGET}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n`,
    };
    const all = await run(['rules', 'explain', '-f', 'all.yaml', '--rules', 'widgets.yaml'], { files });
    expect(all.out.match(/^\S.*/gm)).toEqual([
      expect.stringMatching(/^Deployment shop\/web is Progressing/),
      expect.stringMatching(/^Widget shop\/w is Progressing/),
    ]);
    const one = await run(['rules', 'explain', '-f', 'all.yaml', 'cm/c'], { files });
    expect(one.out.split('\n')[0]).toMatch(/^ConfigMap c is Healthy \(NoSignal\) by generic#conventions/);
    const none = await run(['rules', 'explain', '-f', 'w.yaml', '-n', 'other'], { files });
    expect([none.code, none.out, none.err]).toEqual([0, '', 'no objects to explain\n']);
  });

  it('explains the verdict of a deadline, as health gives it', async () => {
    const late = WIDGET.replace('metadata: {', 'metadata: {creationTimestamp: "2026-03-02T09:00:00Z", ');
    const explain = async (...flags: string[]): Promise<Run> =>
      run(['rules', 'explain', '-f', 'w.yaml', '--rules', 'widgets.yaml', ...flags], {
        files: { ...world.files, 'w.yaml': late },
      });
    expect((await explain('--deadline', '2h')).out).toMatch(/^Widget shop\/w is Progressing \(RuleFailed\) /);
    expect((await explain('--deadline', '30m')).out).toMatch(/^Widget shop\/w is Degraded \(DeadlineExceeded\) /);
    expect(await explain('--deadline', 'soon')).toEqual({
      code: 2,
      out: '',
      err: 'convoy: --deadline "soon" is not a duration: write it like 90s, 5m or 1h30m; see `convoy rules explain --help`\n',
    });
  });

  it('says when the rules were not asked', async () => {
    const deleting = DEPLOYMENT.replace('generation: 1', 'deletionTimestamp: "2026-03-02T09:00:00Z"');
    const { out } = await run(['rules', 'explain', '-f', 'd.yaml'], { files: { 'd.yaml': deleting } });
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^Deployment shop\/web is Progressing \(Terminating\) by apps#deployment-rolled-out: /),
      '  decided before the rules, by the preamble of the set: their expressions were not asked',
      '',
    ]);
  });

  it('gives the tree of steps in JSON', async () => {
    const { out } = await run(['rules', 'explain', '-f', 'w.yaml', '--rules', 'widgets.yaml', '-o', 'json'], world);
    const { items } = JSON.parse(out);
    expect(items).toMatchObject([
      { kind: 'Widget', state: 'Progressing', rule: 'widgets#turning', rules: [{ outcome: 'failing' }] },
    ]);
    const [healthy] = items[0].rules[0].expressions;
    expect(healthy).toMatchObject({
      field: 'healthy',
      steps: {
        kind: 'and',
        value: false,
        children: [{ kind: 'equality', value: false, decided: true }, { skipped: 'short-circuit' }],
      },
    });
  });
});

describe('a mistake', () => {
  it.each<[string, string[], string]>([
    [
      'no file to explain',
      ['explain'],
      '-f FILE is needed; name a file, a folder or - for stdin: kubectl get all -o yaml | convoy rules explain -f -\n',
    ],
    ['no expression', ['eval', '-f', 'web.yaml'], 'the argument expression is missing; '],
    [
      'a cost limit of nothing',
      ['eval', '-f', 'web.yaml', 'kind', '--cost-limit', '0'],
      '--cost-limit "0" is not a whole number above zero; write it like 1000000\n',
    ],
    ['two objects', ['explain', '-f', 'web.yaml', 'deploy/web', 'cm/c'], 'too many arguments: cm/c; '],
    ['a bad time', ['explain', '-f', 'web.yaml', '--now', 'today'], '--now "today" is not a time; '],
    ['a bad output', ['list', '-o', 'xml'], 'unknown output format "xml"; use one of table, json, yaml, name\n'],
    [
      'an object that is not there',
      ['explain', '-f', 'web.yaml', 'deploy/wab'],
      'no deploy/wab in the input; it holds Deployment/web\n',
    ],
    [
      'an object with a misspelt kind',
      ['explain', '-f', 'web.yaml', 'Deploymnt/web'],
      'no Deploymnt/web in the input; did you mean Deployment/web?\n',
    ],
    [
      'an object without its kind',
      ['eval', '-f', 'web.yaml', 'kind', 'web'],
      'no web in the input; write it as KIND/NAME: it holds Deployment/web\n',
    ],
    [
      'a rule that does not apply',
      ['explain', '-f', 'web.yaml', '--rule', 'pod-ready'],
      'no rule named "pod-ready" applies to Deployment shop/web; those that do: apps#deployment-rolled-out\n',
    ],
    ['a subcommand that does not exist', ['lst'], 'unknown command "lst"; did you mean list?\n'],
  ])('%s is one line before anything is judged', async (_, args, line) => {
    const { code, out, err } = await run(['rules', ...args], world);
    expect(err.slice(0, `convoy: ${line}`.length)).toBe(`convoy: ${line}`);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });

  it.each<[string, string[], string]>([
    ['a missing object file', ['eval', '-f', 'no.yaml', 'kind'], 'no.yaml: no such file; check the path\n'],
    ['a missing rule file', ['list', '--rules', 'no.yaml'], 'no.yaml: no such file; check the path\n'],
    ['an object as rules', ['show', 'deploy', '--rules', 'web.yaml'], 'web.yaml: holds no health rules; '],
    [
      'a rule as object',
      ['explain', '-f', 'widgets.yaml'],
      'widgets.yaml: document 1, line 2: this GlobalHealthRuleSet holds health rules, ',
    ],
  ])('%s is one line with the file', async (_, args, line) => {
    const { code, out, err } = await run(['rules', ...args], world);
    expect(err.slice(0, line.length)).toBe(line);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });
});
