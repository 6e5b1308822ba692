import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run, type World } from './memory-io.ts';

const RULE = `
group: apps
kind: Deployment
resource: deployments
versions: [v1]
name: mine
healthy: status.?ready.orValue(false) == true
message: '"not ready since %s".format([status.?since.orValue("?")])'
`;
const READY = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nstatus: {ready: true}\n';
const WAITING = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b}\nstatus: {since: noon}\n';
const CASES = `
cases:
  - {name: it is ready, object: testdata/ready.yaml, state: Healthy, message: ''}
  - {name: it waits, object: testdata/waiting.yaml, state: Progressing, reason: RuleFailed, message: not ready since noon}
`;
const FILES = {
  'rules/apps/Deployment/rule.yaml': RULE,
  'rules/apps/Deployment/rule.test.yaml': CASES,
  'rules/apps/Deployment/testdata/ready.yaml': READY,
  'rules/apps/Deployment/testdata/waiting.yaml': WAITING,
};
const FAILING = {
  ...FILES,
  'rules/apps/Deployment/rule.test.yaml': CASES.replace(
    'RuleFailed, message: not ready since noon',
    'Failed, message: not ready since one',
  ),
};
const test = (files: World['files'], ...args: string[]) => run(['rules', 'test', ...args], files ? { files } : {});

describe('cases that pass', () => {
  it.each([
    'rules',
    'rules/apps/Deployment',
    'rules/apps/Deployment/',
    'rules/apps/Deployment/rule.test.yaml',
    'rules/apps/Deployment/rule.yaml',
  ])('are counted, whichever path names the folder: %s', async (path) => {
    // The files in memory know no folder that ends in a slash.
    const files = path.endsWith('/') ? { ...FILES, 'rules/apps/Deployment//x': '' } : FILES;
    expect(await test(files, path)).toEqual({
      code: 0,
      out: 'rules/apps/Deployment  2 passed, 0 failed\n2 passed, 0 failed\n',
      err: '',
    });
  });

  it('are judged by the rule of their folder alone', async () => {
    // The shipped rule for Deployments would call this one stale.
    const stale = READY.replace('{name: a}', '{name: a, generation: 7}').replace(
      '{ready',
      '{observedGeneration: 1, ready',
    );
    expect((await test({ ...FILES, 'rules/apps/Deployment/testdata/ready.yaml': stale }, 'rules')).code).toBe(0);
  });

  it('see the objects beside theirs, the time and the deadline of the case', async () => {
    const rule = `
group: ''
kind: PersistentVolumeClaim
versions: [v1]
related: [{name: class, apiVersion: storage.k8s.io/v1, resource: storageclasses, object: spec.storageClassName}]
healthy: related.?class.?volumeBindingMode.orValue("") == "Immediate"
message: string(now)
`;
    const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {storageClassName: fast}
`;
    const tests = `cases:
  - {name: with its class, object: claim.yaml, with: [class.yaml], state: Healthy}
  - {name: late, object: claim.yaml, now: "2026-01-01T00:10:00Z", deadline: 5m, state: Degraded, message: "2026-01-01T00:10:00Z"}
  - {name: some time, object: claim.yaml, state: Progressing, message: "2026-02-02T00:00:00Z"}
`;
    const files = {
      'c/rule.yaml': rule,
      'c/rule.test.yaml': tests,
      'c/claim.yaml': claim,
      'c/class.yaml':
        'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nvolumeBindingMode: Immediate\n',
    };
    expect((await test(files, 'c', '--now', '2026-02-02T00:00:00Z')).out).toContain('3 passed, 0 failed\n');
  });
});

describe('a case that fails', () => {
  it('is shown as a diff of what was expected and what was got', async () => {
    expect(await test(FAILING, 'rules')).toEqual({
      code: 1,
      out: `rules/apps/Deployment  1 passed, 1 failed
  FAILED it waits (testdata/waiting.yaml)
      state:   Progressing
    - reason:  Failed
    + reason:  RuleFailed
    - message: not ready since one
    + message: not ready since noon
1 passed, 1 failed
`,
      err: '',
    });
  });

  it('is in colour on a terminal', async () => {
    const { out } = await run(['rules', 'test', 'rules'], { files: FAILING, isTerminal: true });
    expect(out).toContain('    \u001b[31m- reason:  Failed\u001b[0m\n    \u001b[32m+ reason:  RuleFailed\u001b[0m\n');
  });

  it('is in JSON with both sides', async () => {
    const { code, out } = await test(FAILING, 'rules', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'RuleTestReport',
      summary: { passed: 1, failed: 1 },
      items: [
        { folder: 'rules/apps/Deployment', name: 'it is ready', passed: true },
        {
          name: 'it waits',
          object: 'testdata/waiting.yaml',
          passed: false,
          expected: { state: 'Progressing', reason: 'Failed', message: 'not ready since one' },
          got: { state: 'Progressing', reason: 'RuleFailed', message: 'not ready since noon' },
        },
      ],
    });
    expect(code).toBe(1);
  });

  it('is a failure in JUnit', async () => {
    const { code, out } = await test(FAILING, 'rules', '-o', 'junit');
    expect(out).toContain('<testsuites name="convoy rules test" tests="2" failures="1">');
    expect(out).toContain('<testcase classname="rules/apps/Deployment" name="it is ready"/>');
    expect(out).toContain('message="reason: expected &quot;Failed&quot;, got &quot;RuleFailed&quot;');
    expect(code).toBe(1);
  });
});

describe('what cannot be run', () => {
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(FILES).filter(([path]) => !path.endsWith(name)));
  const folder = 'rules/apps/Deployment';

  it.each<[string, World['files'], string]>([
    ['a folder that is not there', {}, 'rules: no such file; check the path\n'],
    ['a folder without cases', without('rule.test.yaml'), 'rules: holds no rule.test.yaml; write its cases there: '],
    ['a folder without a rule', without('rule.yaml'), `${folder}: holds no health rules; `],
    [
      'an empty list of cases',
      { ...FILES, [`${folder}/rule.test.yaml`]: 'cases: []' },
      `${folder}/rule.test.yaml: cases is empty: `,
    ],
    [
      'a file of cases that is empty',
      { ...FILES, [`${folder}/rule.test.yaml`]: '' },
      `${folder}/rule.test.yaml: cases is empty: `,
    ],
    [
      'a case with an unknown field',
      { ...FILES, [`${folder}/rule.test.yaml`]: `${CASES}    stat: x\n` },
      `${folder}/rule.test.yaml: document 1, line `,
    ],
    [
      'a state that is none',
      { ...FILES, [`${folder}/rule.test.yaml`]: CASES.replace('Progressing', 'Sick') },
      `${folder}/rule.test.yaml: cases[1].state has to be one of Degraded, `,
    ],
    [
      'a case whose object is missing',
      without('waiting.yaml'),
      `${folder}/rule.test.yaml: case "it waits": ${folder}/testdata/waiting.yaml: `,
    ],
    [
      'a case whose object is broken',
      { ...FILES, [`${folder}/testdata/waiting.yaml`]: 'a: b: c' },
      `${folder}/rule.test.yaml: case "it waits": ${folder}/testdata/waiting.yaml: document 1, line 1: `,
    ],
    [
      'a rule that is broken',
      { ...FILES, [`${folder}/rule.yaml`]: RULE.replace('versions: [v1]', '') },
      `${folder}/rule.yaml: document 1, line 2: versions is empty: `,
    ],
  ])('%s is one line and exit code 2', async (_, files, line) => {
    const { code, out, err } = await test(files, 'rules');
    expect(err.slice(0, line.length)).toBe(line);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });

  it('a rule that does not compile is shown with its place', async () => {
    const files = { ...FILES, [`${folder}/rule.yaml`]: RULE.replace('== true', '==') };
    const { code, err } = await test(files, 'rules');
    expect(err.split('\n')).toEqual([
      expect.stringMatching(
        /^rules\/apps\/Deployment\/rule\.yaml: document 1, line 7: rule apps#mine, healthy: the expression /,
      ),
      'status.?ready.orValue(false) ==',
      expect.stringMatching(/^ +\^/),
      '',
    ]);
    expect(code).toBe(2);
  });

  it('a folder without cases among others is said, and the others run', async () => {
    const { code, out, err } = await test({ ...FILES, 'rules/x/Y/rule.yaml': RULE }, 'rules');
    expect([code, out.split('\n').at(-2)]).toEqual([0, '2 passed, 0 failed']);
    expect(err).toMatch(/^rules\/x\/Y: holds no rule\.test\.yaml; [^\n]*\n$/);
  });
});

describe('the program', () => {
  const root = join(import.meta.dirname, '../..');
  const convoy = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    try {
      const { stdout, stderr } = await promisify(execFile)(join(root, 'bin/convoy'), args, { cwd: root });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }; // what execFile rejects with
      return { code, out: stdout, err: stderr };
    }
  };

  it('tests a shipped rule', async () => {
    const { code, out, err } = await convoy('rules', 'test', 'rules/apps/Deployment');
    expect(out).toMatch(/^rules\/apps\/Deployment {2}\d+ passed, 0 failed\n\d+ passed, 0 failed\n$/);
    expect([code, err]).toEqual([0, '']);
  });

  it('evaluates and explains an object of a dump', async () => {
    const dump = ['-f', 'examples/cluster-dump.yaml'];
    expect((await convoy('rules', 'eval', ...dump, 'kind', 'deploy/web')).out).toBe('"Deployment"\n');
    const { code, out } = await convoy('rules', 'explain', ...dump, 'deploy/web');
    expect(out).toMatch(/^Deployment shop\/web is Progressing \(RuleFailed\) by apps#deployment-rolled-out: /);
    expect(code).toBe(0);
  });
});
