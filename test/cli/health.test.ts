import { describe, expect, it } from 'vitest';
import { run, type World } from './memory-io.ts';

function object(kind: string, name: string, state: string, more: object = {}): object {
  const verdict = {
    state,
    reason: state === 'Healthy' ? 'AllRulesPass' : 'RuleFailed',
    message: state === 'Healthy' ? '' : `is ${state}`,
  };
  return { apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'shop' }, verdict, ...more };
}

function list(...items: object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

const healthy = Array.from({ length: 11 }, (_, place) => object('Pod', `p${place}`, 'Healthy'));
const mixed = list(
  object('Deployment', 'web', 'Progressing', { cause: 'pod web-1 ImagePullBackOff' }),
  ...healthy,
  object('Job', 'migrate', 'Degraded'),
  object('Thing', 'odd', 'Unknown'),
);
const world = (content: string | Uint8Array, name = 'f.json'): World => ({ files: { [name]: content } });

describe('the table', () => {
  it('shows what is wrong, worst first, with its cause, and the healthy as one line', async () => {
    const { code, out, err } = await run(['health', '-f', 'f.json'], world(mixed));
    expect(out).toBe(`STATE        KIND        NAMESPACE  NAME     MESSAGE
Degraded     Job         shop       migrate  is Degraded
Unknown      Thing       shop       odd      is Unknown
Progressing  Deployment  shop       web      is Progressing: pod web-1 ImagePullBackOff
Healthy      11 more                         (-o wide lists them)
14 objects: 1 degraded, 1 unknown, 1 progressing, 11 healthy
`);
    expect([code, err]).toEqual([1, '']);
  });

  it('lists a few healthy objects when nothing is wrong', async () => {
    const { code, out } = await run(['health', '-f', 'f.json'], world(list(object('Pod', 'a', 'Healthy'))));
    expect(out).toBe('STATE    KIND  NAMESPACE  NAME  MESSAGE\nHealthy  Pod   shop       a\n1 object: 1 healthy\n');
    expect(code).toBe(0);
  });

  it('is one line and the sum when nothing is wrong with many', async () => {
    const { code, out } = await run(['health', '-f', 'f.json'], world(list(...healthy)));
    expect(out.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Healthy {2}11 objects +\(-o wide lists them\)$/),
      '11 objects: 11 healthy',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('lists everything with reasons and places when it is wide', async () => {
    const { out } = await run(['health', '-f', 'f.json', '-o', 'wide'], world(mixed));
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^STATE +REASON +KIND +NAMESPACE +NAME +RULE +SOURCE +MESSAGE$/);
    expect(lines).toHaveLength(1 + 14 + 2);
    expect(lines[1]).toMatch(/^Degraded +RuleFailed +Job +shop +migrate +f\.json +is Degraded$/);
  });

  it('is in colour on a terminal, unless NO_COLOR says otherwise', async () => {
    const args = ['health', '-f', 'f.json'];
    expect((await run(args, { ...world(mixed), isTerminal: true })).out).toContain('\u001b[31mDegraded\u001b[0m ');
    expect((await run(args, { ...world(mixed), isTerminal: true, environment: { NO_COLOR: '1' } })).out).not.toContain(
      '\u001b',
    );
    expect((await run(args, { ...world(mixed), isTerminal: true, environment: { TERM: 'dumb' } })).out).not.toContain(
      '\u001b',
    );
    expect((await run(args, world(mixed))).out).not.toContain('\u001b');
  });

  it('does not let a name or a message write to the terminal', async () => {
    const evil = object('Pod', 'a\u001b[2J\nb', 'Degraded');
    const { out } = await run(['health', '-f', 'f.json'], { ...world(list(evil)), isTerminal: true });
    expect(out).toContain('a?[2J b');
  });
});

describe('-o json', () => {
  it('is the contract: a summary and the items in input order', async () => {
    const web = object('Deployment', 'web', 'Degraded', { cause: 'pod x' });
    const twin = {
      apiVersion: 'v1',
      kind: 'Node',
      verdict: { state: 'Healthy', reason: 'NoRule', message: '', rule: 'a#b' },
    };
    const { code, out } = await run(['health', '-f', 'a.json', '-f', '-', '-o', 'json'], {
      files: { 'a.json': list(web, twin), '-': JSON.stringify(twin) },
    });
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'convoy.kumodo.io/v1alpha1',
      kind: 'HealthReport',
      summary: { total: 3, healthy: 2, progressing: 0, degraded: 1, unknown: 0 },
      items: [
        {
          index: 0,
          source: 'a.json',
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          state: 'Degraded',
          reason: 'RuleFailed',
          message: 'is Degraded',
          rule: '',
          cause: 'pod x',
        },
        {
          index: 1,
          source: 'a.json',
          apiVersion: 'v1',
          kind: 'Node',
          namespace: '',
          name: '',
          state: 'Healthy',
          reason: 'NoRule',
          message: '',
          rule: 'a#b',
          cause: '',
        },
        {
          index: 2,
          source: '-',
          apiVersion: 'v1',
          kind: 'Node',
          namespace: '',
          name: '',
          state: 'Healthy',
          reason: 'NoRule',
          message: '',
          rule: 'a#b',
          cause: '',
        },
      ],
    });
    expect(code).toBe(1);
  });

  it('is written for an empty list too, with a word on stderr', async () => {
    const { code, out, err } = await run(['health', '-f', 'f.json', '-o', 'json'], world(list()));
    expect(JSON.parse(out)).toMatchObject({ summary: { total: 0 }, items: [] });
    expect([code, err]).toEqual([0, 'no objects to judge\n']);
  });

  it('names the flags that left none of the objects', async () => {
    const say = async (...flags: string[]): Promise<readonly [number, string]> => {
      const { code, err } = await run(
        ['health', '-f', 'f.json', ...flags],
        world(list(object('Pod', 'a', 'Degraded'))),
      );
      return [code, err];
    };
    const none = 'no objects to judge: none of the 1 read fits';
    expect(await say('-n', 'nope')).toEqual([2, `${none} -n nope\n`]);
    expect(await say('-n', 'nope', '-l', 'a=b')).toEqual([2, `${none} -n nope -l a=b\n`]);
    expect(await say('-n', 'nope', '--exit-zero')).toEqual([0, `${none} -n nope\n`]);
  });
});

describe('the other outputs', () => {
  it('yaml says the same as json', async () => {
    const [yaml, json] = await Promise.all(
      ['yaml', 'json'].map((format) => run(['health', '-f', 'f.json', `-o=${format}`], world(mixed))),
    );
    const { load } = await import('js-yaml');
    expect(load(yaml?.out ?? '')).toEqual(JSON.parse(json?.out ?? ''));
  });

  it('junit counts failures and errors, and holds any text', async () => {
    const odd = object('Pod', 'a<b>&"\u0001', 'Degraded');
    const { out } = await run(
      ['health', '-f', 'f.json', '-o', 'junit'],
      world(list(odd, object('Pod', 'u', 'Unknown'), object('Pod', 'h', 'Healthy'))),
    );
    expect(out).toContain('<testsuite name="convoy health" tests="3" failures="1" errors="1">');
    expect(out).toContain('name="shop/a&lt;b&gt;&amp;&quot;?"');
    expect(out).toContain('<failure type="Degraded.RuleFailed" message="is Degraded">');
    expect(out).toContain('<error type="Unknown.RuleFailed"');
    expect(out).toContain('<testcase classname="apps/v1.Pod" name="shop/h"/>');
  });

  it('name hands what is not healthy on to kubectl', async () => {
    const { out } = await run(['health', '-f', 'f.json', '-o', 'name'], world(mixed));
    expect(out).toBe('deployment.apps/web\njob.apps/migrate\nthing.apps/odd\n');
  });

  it('jsonpath picks from the report', async () => {
    const { out } = await run(
      ['health', '-f', 'f.json', '-o', 'jsonpath={.items[?(@.state=="Degraded")].name}'],
      world(mixed),
    );
    expect(out).toBe('migrate');
  });
});

describe('a flag', () => {
  it('--now and --deadline reach the judge; without --now the clock does', async () => {
    const content = JSON.stringify({ apiVersion: 'v1', kind: 'A', verdict: { message: 'NOW DEADLINE' } });
    const message = async (...flags: string[]): Promise<string> =>
      (await run(['health', '-f', 'f.json', '-o', 'jsonpath={.items[0].message}', ...flags], world(content))).out;
    expect(await message()).toBe('2026-03-02T10:00:00.000Z undefined');
    expect(await message('--now', '2026-01-01T01:00:00+01:00', '--deadline', '1m30s')).toBe(
      '2026-01-01T00:00:00.000Z 90000',
    );
  });

  it('--exit-zero keeps the report and ends with 0', async () => {
    const { code, out } = await run(['health', '-f', 'f.json', '--exit-zero'], world(mixed));
    expect(code).toBe(0);
    expect(out).toContain('1 degraded');
  });

  it('-n and -l choose what is reported, and the places in the input stay', async () => {
    const other = {
      ...object('Pod', 'b', 'Degraded'),
      metadata: { name: 'b', namespace: 'other', labels: { app: 'b' } },
    };
    const content = list(object('Pod', 'a', 'Degraded'), other);
    const names = async (...flags: string[]): Promise<string> =>
      (await run(['health', '-f', 'f.json', '-o', 'jsonpath={.items[*].index}', ...flags], world(content))).out;
    expect(await names('-n', 'other')).toBe('1');
    expect(await names('-l', 'app in (a, b)')).toBe('1');
    expect(await names('--selector=app!=b')).toBe('0');
    expect(await names('-l', '!app')).toBe('0');
  });

  it.each<[string, string[], string]>([
    ['a misspelt flag', ['-f', 'x', '--nwo', 'y'], 'unknown flag --nwo; did you mean --now?'],
    ['a habit of kubectl', ['-R', '-f', 'x'], 'unknown flag -R; folders are read to any depth without it\n'],
    ['a flag without its value', ['-f'], 'the flag -f, --filename needs a value; '],
    [
      'a year before the first',
      ['-f', 'x', '--now', '0000-12-31T00:00:00Z'],
      '--now "0000-12-31T00:00:00Z" is not a time; ',
    ],
    ['a bad time', ['-f', 'x', '--now', 'yesterday'], '--now "yesterday" is not a time; write it as RFC 3339'],
    [
      'a day that does not exist',
      ['-f', 'x', '--now', '2026-02-29T00:00:00Z'],
      '--now "2026-02-29T00:00:00Z" is not a time; ',
    ],
    [
      'a bad duration',
      ['-f', 'x', '--deadline', '5 minutes'],
      '--deadline "5 minutes" is not a duration: write it like 90s',
    ],
    ['a duration of nothing', ['-f', 'x', '--deadline', '0s'], '--deadline "0s" has to be greater than zero; '],
    ['a bad output', ['-f', 'x', '-o', 'xml'], 'unknown output format "xml"; use one of table, wide'],
    ['a bad template', ['-f', 'x', '-o', 'jsonpath={.a'], 'jsonpath "{.a": "{" without "}"; '],
    ['a bad selector', ['-f', 'x', '-l', 'a in b'], 'selector "a in b": "a in b" is no requirement; '],
  ])('%s is told in one line before anything is read', async (_, flags, line) => {
    const { code, out, err } = await run(['health', ...flags]);
    expect(err.slice(0, `convoy: ${line}`.length)).toBe(`convoy: ${line}`);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });
});

describe('an input', () => {
  it('is a folder, of which the manifests are read in order of their names', async () => {
    const files = {
      'd/b.yaml': 'apiVersion: v1\nkind: B\n',
      'd/a.yml': 'apiVersion: v1\nkind: A\n',
      'd/sub/c.json': '{"apiVersion":"v1","kind":"C"}',
      'd/README.md': '# no manifest',
    };
    const { out } = await run(['health', '-f', 'd', '-o', 'jsonpath={.items[*].kind} {.items[*].source}'], { files });
    expect(out).toBe('A B C d/a.yml d/b.yaml d/sub/c.json');
  });

  it.each<[string, World, string[], string]>([
    ['that is missing', {}, ['-f', 'nope.yaml'], 'nope.yaml: no such file; check the path\n'],
    ['that is empty', world(''), ['-f', 'f.json'], 'f.json: holds no object; check the command'],
    ['from an empty stdin', { files: { '-': '' } }, ['-f', '-'], 'stdin: holds no object; '],
    [
      'that is a folder without manifests',
      { files: { 'd/x.txt': '' } },
      ['-f', 'd'],
      'd: holds no *.yaml, *.yml or *.json file; ',
    ],
    ['that is broken', world('a: b: c'), ['-f', 'f.json'], 'f.json: document 1, line 1: '],
    [
      'that is too large',
      world(new Uint8Array(100_000_001)),
      ['-f', 'f.json'],
      'f.json: is x long, more than the y that are read at once; ',
    ],
    [
      'that is a rule',
      world('apiVersion: convoy.kumodo.io/v1alpha1\nkind: HealthRuleSet\n'),
      ['-f', 'f.json'],
      'f.json: document 1, line 1: this HealthRuleSet holds health rules, not an object to judge; pass the file with --rules\n',
    ],
  ])('%s ends the run with one line and exit code 2', async (_, files, flags, line) => {
    const { code, out, err } = await run(['health', ...flags], files);
    expect(err.slice(0, line.length)).toBe(line);
    expect(err.trimEnd()).not.toContain('\n');
    expect([code, out]).toEqual([2, '']);
  });

  it('that is broken beside one that is not: nothing is judged, each fault is told', async () => {
    const files = { a: list(object('Pod', 'a', 'Healthy')), b: 'x', c: '{' };
    const { code, out, err } = await run(['health', '-f', 'a', '-f', 'b', '-f', 'c'], { files });
    expect(err.split('\n')).toEqual([expect.stringMatching(/^b: /), expect.stringMatching(/^c: /), '']);
    expect([code, out]).toEqual([2, '']);
  });

  it('with very many faults shows the first', async () => {
    const { err } = await run(['health', '-f', 'f.yaml'], world('a: b: c\n---\n'.repeat(50), 'f.yaml'));
    expect(err.trimEnd().split('\n')).toHaveLength(11);
    expect(err).toContain('and 40 more problems');
  });
});
