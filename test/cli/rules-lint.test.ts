import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../src/apps/node-files.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { judgeByField, NOW, noCluster, run, type World } from './memory-io.ts';

const RULE = `group: example.com
kind: Database
resource: databases
versions: [v1]
name: database-ready
healthy: HEALTHY
`;
const TESTS = { 'Db/rule.test.yaml': 'cases: []' };
const rule = (healthy: string, more = ''): World => ({
  files: { ...TESTS, 'Db/rule.yaml': RULE.replace('HEALTHY', () => healthy) + more },
});
const lint = (world: World, ...flags: string[]) => run(['rules', 'lint', 'Db/rule.yaml', ...flags], world);

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: databases.example.com}
spec:
  group: example.com
  names: {kind: Database, plural: databases}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [replicas]
              properties: {replicas: {type: integer}, mode: {type: string}}
            status:
              type: object
              properties:
                readyReplicas: {type: integer}
                free: {type: object, x-kubernetes-preserve-unknown-fields: true}
                members: {type: array, items: {type: object, properties: {name: {type: string}, ready: {type: boolean}}}}
`;

describe('a clean rule', () => {
  it('is one line and exit code 0', async () => {
    expect(await lint(rule('status.?ready.orValue(false) == true'))).toEqual({
      code: 0,
      out: '1 rule: nothing found\n',
      err: '',
    });
  });
});

describe('a field that may be absent', () => {
  it('is an error at its place in the file, with the source, carets and the mend', async () => {
    const { code, out } = await lint(rule('status.replica >= 1'));
    expect(out).toBe(`Db/rule.yaml:6:17  error  status.replica may be absent, and reading it is an error then
    status.replica >= 1
           ^^^^^^^  guard it: status.?replica.orValue(0)
1 rule: 1 error
`);
    expect(code).toBe(1);
  });

  it('needs no guard where the schema requires it, but for the status', async () => {
    const world = rule('spec.replicas > 0 && object.spec.replicas > 0');
    expect((await lint(world)).code).toBe(1);
    const files = { ...world.files, 'crd.yaml': CRD };
    expect((await lint({ files }, '--schema', 'crd.yaml')).out).toBe('1 rule: nothing found\n');
    const optional = { ...rule('spec.mode == "x"').files, 'crd.yaml': CRD };
    expect((await lint({ files: optional }, '--schema', 'crd.yaml')).code).toBe(1);
  });
});

describe('a built-in kind', () => {
  it('has a spec and a status in every object, with nothing in it', async () => {
    const rules = (healthy: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: rules
  labels: {k0rdent.mirantis.com/health-rule-target: global}
data:
  rules: |
    - {group: batch, version: v1, kind: Job, scope: Namespaced, message: "'no'", healthy: '${healthy}'}
`;
    const world = (healthy: string): World => ({ files: { 'r.yaml': rules(healthy) } });
    const lintMap = async (healthy: string) => (await run(['rules', 'lint', 'r.yaml'], world(healthy))).out;
    expect(await lintMap('has(obj.status.succeeded) && obj.status.succeeded > 0')).toBe('1 rule: nothing found\n');
    expect(await lintMap('obj.status.succeeded > 0')).toContain('obj.status.succeeded may be absent');
  });
});

describe('the place in the file', () => {
  it.each([
    ['plain', 'status.?a.orValue(1) == 1 && status.bad == 1'],
    ['single-quoted', `'status.?a.orValue('''') == "" && status.bad == 1'`],
    ['double-quoted', `"status.?a.orValue(\\"\\") == \\"\\" && status.bad == 1"`],
    ['a literal block', '|\n  status.?a.orValue(1) == 1\n    && status.bad == 1'],
    ['a folded block', '>-\n  status.?a.orValue(1) == 1\n\n  && status.bad\n  == 1'],
    ['plain over two lines', 'status.?a.orValue(1) == 1\n  && status.bad == 1'],
  ])('is right in a scalar that is %s', async (_, healthy) => {
    const world = rule(healthy);
    const lines = String(world.files?.['Db/rule.yaml']).split('\n');
    const line = lines.findIndex((one) => one.includes('status.bad'));
    const column = (lines[line] ?? '').indexOf('bad') + 1;
    const { out } = await lint(world);
    expect(out.split('\n')[0]).toMatch(
      new RegExp(`^Db/rule\\.yaml:${line + 1}:${column} {2}error {2}status\\.bad may`),
    );
  });

  it('is right in a rule set of several documents and in the text of a ConfigMap', async () => {
    const set = `apiVersion: convoy.kumodo.io/v1alpha1
kind: GlobalHealthRuleSet
metadata: {name: mine}
spec:
  rules:
    - name: web
      apiVersion: apps/v1
      resources: [deployments]
      healthy: status.?readyReplicas.orValue(0) > 0
      failed: |
        has(status.fooo)
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: rules
  labels: {k0rdent.mirantis.com/health-rule-target: "true"}
data:
  rules: |
    - {group: apps, version: v1, kind: Deployment, scope: Namespaced, message: "'no'", healthy: "true"}
    - group: apps
      version: v1
      kind: Deployment
      scope: Namespaced
      message: "'no'"
      healthy: |
        obj.kind != "" &&
          obj.spec.replicas > 0
`;
    const { out } = await run(['rules', 'lint', 's.yaml'], { files: { 's.yaml': set } });
    expect(out.split('\n').filter((line) => line.startsWith('s.yaml'))).toEqual([
      's.yaml:11:20  error  Deployment has no field fooo here',
      's.yaml:28:20  error  obj.spec.replicas may be absent, and reading it is an error then',
    ]);
  });
});

describe('a misspelt field', () => {
  const files = (healthy: string) => ({ ...rule(healthy).files, 'crd.yaml': CRD });

  it('is found by the schema, and its guard has the right name', async () => {
    const { code, out } = await lint({ files: files('status.redyReplicas >= 1') }, '--schema', 'crd.yaml');
    expect(out.split('\n').slice(0, 3)).toEqual([
      'Db/rule.yaml:6:17  error  Database has no field redyReplicas here',
      '    status.redyReplicas >= 1',
      '           ^^^^^^^^^^^^  did you mean readyReplicas?    guard it: status.?readyReplicas.orValue(0)',
    ]);
    expect(code).toBe(1);
  });

  it.each([
    ['behind a guard', 'status.?redyReplicas.orValue(0) > 0', 'redyReplicas'],
    ['in has()', 'has(status.redyReplicas)', 'redyReplicas'],
    ['in the elements of a list', 'status.?members.orValue([]).all(m, has(m.redy))', 'redy'],
    ['below the whole object', 'object.?stauts.hasValue()', 'stauts'],
  ])('is found %s', async (_, healthy, name) => {
    const { out } = await lint({ files: files(healthy) }, '--schema', 'crd.yaml');
    expect(out.split('\n')[0]).toContain(`Database has no field ${name} here`);
  });

  it.each([
    ['where unknown fields are kept', 'has(status.free) && has(status.free.anything)'],
    ['where a map is asked for its size or its type', 'size(status) > 0 && type(spec) == map && status != {}'],
    ['in what every object has', 'has(metadata.generation) || has(metadata.labels) || object.kind == "Database"'],
  ])('is not seen %s', async (_, healthy) => {
    expect((await lint({ files: files(healthy) }, '--schema', 'crd.yaml')).out).toBe('1 rule: nothing found\n');
  });

  it('is found by OpenAPI and JSON schemas as well', async () => {
    const kinds = [{ group: 'example.com', version: 'v1', kind: 'Database' }];
    const schema = {
      type: 'object',
      'x-kubernetes-group-version-kind': kinds,
      properties: { status: { $ref: '#/definitions/DbStatus' } },
    };
    const DbStatus = { type: 'object', properties: { ready: { type: 'boolean' } } };
    const documents = [
      { swagger: '2.0', definitions: { Db: schema, DbStatus } },
      { openapi: '3.0.0', components: { schemas: { Db: schema, DbStatus } } },
      { ...schema, definitions: { DbStatus } },
      {
        $defs: { DbStatus },
        type: 'object',
        properties: {
          apiVersion: { const: 'example.com/v1' },
          kind: { enum: ['Database'] },
          status: { $ref: '#/$defs/DbStatus' },
        },
      },
    ];
    for (const document of documents) {
      const world = { files: { ...rule('has(status.raedy)').files, 'schema.json': JSON.stringify(document) } };
      const { out } = await lint(world, '--schema', 'schema.json');
      expect(out).toContain('did you mean ready?');
    }
  });
});

describe('what else is found', () => {
  const heads = async (world: World): Promise<string[]> =>
    (await lint(world)).out.split('\n').filter((line) => line.startsWith('Db/'));

  it('an expression that does not compile, at the last line that holds something', async () => {
    expect(await heads(rule('|\n  true &&\n    status.\n\n'))).toEqual([
      expect.stringMatching(/^Db\/rule\.yaml:8:12 {2}error /),
    ]);
  });

  it('a result that is no bool, and a message that is no string, as warnings', async () => {
    const { code, out } = await lint(rule('size(status)', 'message: "1"\n'));
    expect(out.match(/^Db.*/gm)).toEqual([
      'Db/rule.yaml:6:10  warning  healthy gives int, not bool: each object it is asked about is Unknown',
      'Db/rule.yaml:7:11  warning  message gives int, not string: it is not used',
    ]);
    expect(code).toBe(0);
  });

  it('names that are not used or not declared', async () => {
    const more = 'variables:\n  - {name: used, expression: "1"}\n  - name: spare\n    expression: "2"\n';
    expect(await heads(rule('variables.used == 1 && variables.usd == 1', more))).toEqual([
      'Db/rule.yaml:6:43  error  no variable usd is declared',
      'Db/rule.yaml:9:5  warning  variable spare is used by no expression',
    ]);
  });

  it('a loop in a loop that may cost more than the limit', async () => {
    const source = 'status.?a.orValue([]).all(x, status.?b.orValue([]).exists(y, x == y))';
    expect(await heads(rule(source))).toEqual([
      expect.stringMatching(/^Db\/rule\.yaml:6:39 {2}warning {2}a loop in a loop over /),
    ]);
  });

  it('fields of the document that nobody reads, and those that are missing', async () => {
    expect(await heads(rule('"true"', 'prembale: Standard\n'))).toEqual([
      expect.stringMatching(/^Db\/rule\.yaml:7:1 {2}error {2}prembale is no field here; known are group, /),
    ]);
    const { out } = await run(['rules', 'lint', 'rule.yaml'], { files: { 'rule.yaml': 'kind: X\nhealty: "true"\n' } });
    expect(out).toContain('rule.yaml:1:1  error  is no rule set: ');
  });

  it('a rule folder without tests, as a note', async () => {
    const { code, out } = await lint({ files: { 'Db/rule.yaml': RULE.replace('HEALTHY', '"true"') } });
    expect(out.split('\n').slice(0, 2)).toEqual([
      'Db/rule.yaml:1:1  note  this rule has no tests',
      '    write its cases in Db/rule.test.yaml',
    ]);
    expect(code).toBe(0);
  });
});

describe('the other outputs', () => {
  it('JSON has the same findings', async () => {
    const { code, out } = await lint(rule('status.replica >= 1'), '-o', 'json');
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'convoy.kumodo.io/v1alpha1',
      kind: 'RuleLintReport',
      summary: { rules: 1, errors: 1, warnings: 0, notes: 0 },
      items: [
        {
          source: 'Db/rule.yaml',
          line: 6,
          column: 17,
          severity: 'error',
          code: 'unguarded_field',
          rule: 'example.com#database-ready',
          field: 'healthy',
          message: 'status.replica may be absent, and reading it is an error then',
          hints: ['guard it: status.?replica.orValue(0)'],
        },
      ],
    });
    expect(code).toBe(1);
  });

  it('a terminal gets colour', async () => {
    expect((await lint({ ...rule('status.a'), isTerminal: true })).out).toContain('  \u001b[31merror\u001b[0m  ');
  });

  it('stdin is read once', async () => {
    const { code, out } = await run(['rules', 'lint', '-'], { files: { '-': RULE.replace('HEALTHY', 'status.a') } });
    expect([code, out.split('\n')[0]]).toEqual([
      1,
      'stdin:6:17  error  status.a may be absent, and reading it is an error then',
    ]);
  });
});

describe('a mistake', () => {
  const files = { 'o.yaml': 'apiVersion: v1\nkind: Pod\n', 'bad.yaml': 'a: b: c', 'd/x.yaml': 'kind: Pod' };
  it.each([
    ['no path', [], 'convoy: the argument path is missing; '],
    ['a missing file', ['no.yaml'], 'no.yaml: no such file; check the path\n'],
    ['a file without rules', ['o.yaml'], 'o.yaml: holds no health rules; '],
    ['a folder without rules', ['d'], 'd: holds no health rules; '],
    ['broken YAML', ['bad.yaml'], 'bad.yaml: document 1, line 1: '],
    ['a missing schema', ['o.yaml', '--schema', 'no.yaml'], 'no.yaml: no such file; check the path\n'],
    [
      'a schema that is none',
      ['o.yaml', '--schema', 'o.yaml'],
      'o.yaml: describes no kind; pass a CustomResourceDefinition, ',
    ],
  ])('%s is one line', async (_, args, line) => {
    const { code, out, err } = await run(['rules', 'lint', ...args], { files });
    expect(err.slice(0, line.length)).toBe(line);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });
});

describe('what is shipped', () => {
  it('lints clean', async () => {
    let out = '';
    const io = {
      args: ['rules', 'lint', 'rules', 'examples'],
      environment: {},
      isTerminal: false,
      version: '1.2.3',
      files: nodeFiles,
      now: () => NOW,
      out: async (text: string) => {
        out += text;
      },
      err: async (text: string) => {
        out += text;
      },
    };
    const code = await runCli(
      io,
      judgeByField,
      async () => {},
      noCluster,
      async () => {},
    );
    expect(out).toMatch(/^\d+ rules: nothing found\n$/);
    expect(code).toBe(0);
  });
});
