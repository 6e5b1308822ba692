import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatProblem, readManifests } from './index.ts';

async function read(content: string | Uint8Array, name = 'f.yaml') {
  const { objects, problems } = await readManifests({ name, content });
  return { objects, problems: problems.map(formatProblem) };
}

/** The names of the objects, their documents and lines; nothing may be wrong. */
async function places(content: string | Uint8Array): Promise<string[]> {
  const { objects, problems } = await read(content);
  expect(problems).toEqual([]);
  return objects.map(({ object, document, line, index }) => `${index} ${String(object['kind'])} ${document}:${line}`);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an input that can be read', () => {
  it('is a stream of YAML documents, each with its place', async () => {
    const stream = '# head\n---\napiVersion: v1\nkind: A\n---\n# nothing here\n---\n\napiVersion: v1\nkind: B\n';
    expect(await places(stream)).toEqual(['0 A 1:3', '1 B 3:9']);
  });

  it('is a document without a separator, followed by others', async () => {
    expect(await places('apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n...\napiVersion: v1\nkind: C')).toEqual(
      ['0 A 1:1', '1 B 2:4', '2 C 2:7'],
    );
  });

  it('holds --- inside a block of text, which is no separator when it is indented', async () => {
    expect(await places('apiVersion: v1\nkind: A\ndata:\n  x: |\n    ---\n    y\n')).toEqual(['0 A 1:1']);
  });

  it('is a YAML List, also with a List inside', async () => {
    const list = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: A
  metadata: {name: a}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: v1, kind: B}

  - apiVersion: v1
    kind: C
metadata: {}
`;
    expect(await places(list)).toEqual(['0 A 1:4', '1 B 1:10', '2 C 1:12']);
  });

  it('is a JSON List, also with a List inside', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      metadata: { a: '"[{' },
      items: [
        { apiVersion: 'v1', kind: 'A' },
        { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'B' }] },
      ],
    };
    expect(await places(JSON.stringify(list, null, 2))).toEqual(['0 A 1:8', '1 B 1:16']);
  });

  it('is the typed list that the API server sends, whose items have no kind', async () => {
    const list = '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}';
    const { objects } = await read(list);
    expect(objects[0]?.object).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
  });

  it('is an empty List, or one whose items are null', async () => {
    expect(await places('apiVersion: v1\nkind: List\nitems: []\n')).toEqual([]);
    expect(await places('{"apiVersion":"v1","kind":"PodList","items":null}')).toEqual([]);
  });

  it('is a custom resource whose kind happens to end in List', async () => {
    expect(await places('apiVersion: x.io/v1\nkind: AllowList\nspec: {}\nitems: []\n')).toEqual(['0 AllowList 1:1']);
  });

  it('is an array of objects, as jq prints it', async () => {
    expect(await places('[{"apiVersion":"v1","kind":"A"},\n{"apiVersion":"v1","kind":"B"}]')).toEqual([
      '0 A 1:1',
      '1 B 1:2',
    ]);
  });

  it('is several JSON values one after the other', async () => {
    expect(
      await places('{"apiVersion":"v1","kind":"A"}\n{"apiVersion":"v1",\n"kind":"B"}{"apiVersion":"v1","kind":"C"}'),
    ).toEqual(['0 A 1:1', '1 B 2:2', '2 C 3:3']);
  });

  it('is JSON documents between YAML separators', async () => {
    expect(await places('{"apiVersion":"v1","kind":"A"}\n---\n{"apiVersion":"v1","kind":"B"}\n')).toEqual([
      '0 A 1:1',
      '1 B 2:3',
    ]);
  });

  it('is YAML in braces', async () => {
    expect(await places('{apiVersion: v1, kind: A}')).toEqual(['0 A 1:1']);
  });

  it('has a byte order mark and Windows line ends', async () => {
    expect(await places('\ufeffapiVersion: v1\r\nkind: A\r\n---\r\napiVersion: v1\r\nkind: B\r\n')).toEqual([
      '0 A 1:1',
      '1 B 2:4',
    ]);
    expect(await places(bytes('\ufeff{"apiVersion":"v1",\r\n"kind":"A"}'))).toEqual(['0 A 1:1']);
    const { objects } = await read('apiVersion: v1\r\nkind: A\r\ndata:\r\n  x: |\r\n    a\r\n    b\r\n');
    expect(objects[0]?.object['data']).toEqual({ x: 'a\nb\n' });
  });

  it('is UTF-16, as older PowerShell writes it', async () => {
    const text = '\ufeffapiVersion: v1\nkind: A\n';
    const little = new Uint8Array(new Uint16Array([...text].map((character) => character.charCodeAt(0))).buffer);
    expect(await places(little)).toEqual(['0 A 1:1']);
  });

  it('has integers beyond 2^53, which stay exact in YAML and in JSON', async () => {
    const json =
      '{"apiVersion":"v1","kind":"A","n":9007199254740993,"text":"9007199254740993","big":18446744073709551616,"f":1.5}';
    const wanted = { n: 9007199254740993n, text: '9007199254740993', big: 18446744073709552000, f: 1.5 };
    expect((await read(json)).objects[0]?.object).toMatchObject(wanted);
    expect((await read(`---\n${json}`)).objects[0]?.object).toMatchObject(wanted);
  });

  it('is JSON with colons and quotes in unusual places', async () => {
    const odd = '{"apiVersion" : "v1", "kind":"A", "a":":8080", "b":"\\\\":"x"}'.replace(':"x"', ', "c" :"\\":"');
    const { objects, problems } = await read(odd);
    expect(problems).toEqual([]);
    expect(objects[0]?.object).toEqual({ apiVersion: 'v1', kind: 'A', a: ':8080', b: '\\', c: '":' });
  });

  it('starts with a directive, a comment or very many blank lines', async () => {
    expect(await places('%YAML 1.2\n---\napiVersion: v1\nkind: A\n')).toEqual(['0 A 1:3']);
    expect(await places(`${'\n# x\n'.repeat(500_000)}---\napiVersion: v1\nkind: A\n`)).toEqual(['0 A 1:1000002']);
  });

  it('is odd but an object: null metadata, a status of text, conditions that are a map', async () => {
    expect(
      await places(
        'apiVersion: v1\nkind: A\nmetadata: null\nstatus: text\n---\napiVersion: v1\nkind: B\nstatus: {conditions: {a: 1}}\n',
      ),
    ).toEqual(['0 A 1:1', '1 B 2:6']);
  });

  it('closes a bracket or a quote in the column of its key', async () => {
    const { objects, problems } = await read(
      'apiVersion: v1\nkind: A\nspec:\n  args: [\n    a,\n  b\n]\n  text: "x\n  y"\n',
    );
    expect(problems).toEqual([]);
    expect(objects[0]?.object['spec']).toEqual({ args: ['a', 'b'], text: 'x y' });
  });

  it('shares a few values by aliases', async () => {
    const { objects } = await read('apiVersion: v1\nkind: A\np: &x {a: 1}\nq: *x\n');
    expect(objects[0]?.object).toMatchObject({ p: { a: 1 }, q: { a: 1 } });
  });

  it('is a rule set that was read from a cluster', async () => {
    expect(
      await places('apiVersion: convoy.kumodo.io/v1alpha1\nkind: HealthRuleSet\nmetadata: {name: a, uid: x}\n'),
    ).toEqual(['0 HealthRuleSet 1:1']);
  });
});

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi']
  .map((name, place) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[place]}`).join(',')}]`)
  .join('\n')}\n`;
const deepJson = `{"apiVersion":"v1","kind":"A","x":${'['.repeat(600)}${']'.repeat(600)}}`;

describe('an input that cannot be read is told in one line with its place and a mend', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['empty', '', 'f.yaml: holds no object; '],
    ['nothing but comments', '# a\n---\n# b\n', 'f.yaml: holds no object; '],
    ['compressed', gzipSync('kind: A'), 'f.yaml: is compressed; unpack it first'],
    [
      'binary',
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 10, 0]),
      'f.yaml: line 2: is not text (byte 0x00 at offset 5); ',
    ],
    [
      'not UTF-8',
      new Uint8Array([...bytes('kind: A\nx: '), 0xe9, 10]),
      'f.yaml: line 2: is not valid UTF-8 (byte 0xe9 at offset 11); ',
    ],
    [
      'a control character',
      'kind: A\nx: \u0007\n',
      'f.yaml: document 1, line 2: the stream contains non-printable characters; ',
    ],
    [
      'YAML cut off in a quote',
      'kind: A\nx: "abc',
      'f.yaml: document 1, line 2: a quote or bracket that is never closed; close it',
    ],
    [
      'YAML cut off in a bracket',
      'kind: A\n---\nx: [1,\ny: 2\nz: 3',
      'f.yaml: document 2, line 4: a quote or bracket that is never closed; close it',
    ],
    [
      'YAML cut off in a key',
      'apiVersion: v1\nkind: A\nmetad',
      'f.yaml: document 1, line 3: a line without "key: value"; close it, or get the file again',
    ],
    [
      'JSON cut off',
      '{"apiVersion":"v1",\n"kind":"A","x":[',
      'f.yaml: document 1, line 2: the JSON ends in the middle of a value; get the file again',
    ],
    [
      'JSON cut off in a string',
      '{"apiVersion":"v1",\n"kind":"A',
      'f.yaml: document 1, line 2: the JSON ends in the middle of a value; ',
    ],
    [
      'JSON cut off in a word',
      '{"apiVersion":"v1","x":tru',
      'f.yaml: document 1, line 1: the JSON ends in the middle of a value; ',
    ],
    ['one brace', '{', 'f.yaml: document 1, line 1: the JSON ends in the middle of a value; '],
    [
      'JSON with a fault',
      '{"apiVersion":"v1",\n"kind":"A",}',
      'f.yaml: document 1, line 2: not JSON: "}" where a key in quotes should be; ',
    ],
    [
      'JSON with a fault in the second value',
      '{"apiVersion":"v1","kind":"A"}\n{"a":1 "b":2}',
      'f.yaml: document 2, line 2: not JSON: """ where "," or "}" should be; ',
    ],
    [
      'a tab',
      'kind: A\nmetadata:\n\tname: x\n',
      'f.yaml: document 1, line 3: a tab in the indentation; indent with spaces',
    ],
    [
      'a tab before the first key',
      '\tkind: A\n',
      'f.yaml: document 1, line 1: a tab in the indentation; indent with spaces',
    ],
    [
      'a key twice in YAML',
      'kind: A\nmetadata:\n  name: x\n  name: y\n',
      'f.yaml: document 1, line 4: the key name stands twice in one mapping; remove one',
    ],
    [
      'a key twice in JSON',
      '{"apiVersion":"v1","kind":"A",\n"m":{"n":1,"n":2}}',
      'f.yaml: document 1, line 2: the key "n" stands twice in one mapping; ',
    ],
    [
      'a key twice in JSON beside one with a space before its colon',
      '{"apiVersion" : "v1", "kind":"Pod",\n"kind":"Service"}',
      'f.yaml: document 1, line 2: the key "kind" stands twice in one mapping; ',
    ],
    [
      'a key twice in JSON beside one that ends in a backslash',
      '{"apiVersion":"v1", "a\\\\":1, "kind":"Pod",\n"kind":"Service"}',
      'f.yaml: document 1, line 2: the key "kind" stands twice in one mapping; ',
    ],
    ['an alias bomb', `kind: A\n${bomb}`, 'f.yaml: document 1, line 3: aliases (*name) grow '],
    [
      'a circle of aliases',
      'kind: A\nx: &x\n  y: *x\n',
      'f.yaml: document 1, line 3: the alias *x stands inside its own anchor; ',
    ],
    [
      'an alias of nothing',
      'kind: A\nx: *y\n',
      'f.yaml: document 1, line 2: an alias (*name) without its anchor (&name); ',
    ],
    ['infinity', 'kind: A\nx:\n- .inf\n', 'f.yaml: document 1, line 3: .inf is not a number that JSON can hold; '],
    ['a null key', '~: 1\n', 'f.yaml: document 1, line 1: null cannot be a key; '],
    [
      'a template',
      'kind: A\nname: {{ .Values.name }}\n',
      'f.yaml: document 1, line 2: an unrendered template ({{ … }}); render it first',
    ],
    [
      'a template from its first line',
      '{{- if .x }}\nkind: A\n{{- end }}\n',
      'f.yaml: document 1, line 1: an unrendered template',
    ],
    ['bad indentation', 'kind: A\n  x: 1\n', 'f.yaml: document 1, line 2: this line is indented differently'],
    ['deep JSON', deepJson, 'f.yaml: document 1, line 1: nested more than 500 levels deep; '],
    ['deep YAML', `---\n${deepJson}`, 'f.yaml: document 1, line 2: nested more than 500 levels deep; '],
    ['a scalar', 'just words\n', 'f.yaml: document 1, line 1: a text where a Kubernetes object should be; '],
    [
      'a table that kubectl prints for people',
      'NAME   READY   STATUS    RESTARTS   AGE\nweb-1  1/1     Running   0          3d\n',
      'f.yaml: document 1, line 1: a text where a Kubernetes object should be; pass what `kubectl get … -o yaml` prints: ',
    ],
    [
      'an error message of kubectl',
      'Error from server (Forbidden): pods is forbidden: User "x" cannot list resource\n',
      'f.yaml: document 1, line 1: an error message of kubectl where a Kubernetes object should be; ',
    ],
    [
      'an answer of the API server that is no object',
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \\"x\\" not found","code":404}',
      'f.yaml: document 1, line 1: an answer of the API server (pods "x" not found) where a Kubernetes object should be; ',
    ],
    [
      'an answer without words',
      'apiVersion: v1\nkind: Status\nstatus: Success\n',
      'f.yaml: document 1, line 1: an answer of the API server (Success) where a Kubernetes object should be; ',
    ],
    [
      'a table of the API server',
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[]}',
      'f.yaml: document 1, line 1: a table for printing where a Kubernetes object should be; ',
    ],
    ['a JSON scalar', '"word"', 'f.yaml: document 1, line 1: a text where a Kubernetes object should be; '],
    ['a number', '42', 'f.yaml: document 1, line 1: a number where a Kubernetes object should be; '],
    ['a list of words', '- a\n- b\n', 'f.yaml: document 1, line 1: a text where a Kubernetes object should be; '],
    [
      'an object without kind',
      'apiVersion: v1\n---\napiVersion: v1\nmetadata: {}\n',
      'f.yaml: document 1, line 1: an object without kind; add apiVersion: and kind:',
    ],
    [
      'an object without kind in a JSON list',
      '{"apiVersion":"v1","kind":"List","items":[\n{"kind":"A","apiVersion":"v1"},\n{"apiVersion":"v1"}]}',
      'f.yaml: document 1, line 3: an object without kind; ',
    ],
    ['an object without apiVersion', 'kind: A\n', 'f.yaml: document 1, line 1: A without apiVersion; '],
    [
      'a kind that is a number',
      'apiVersion: v1\nkind: 1\n',
      'f.yaml: document 1, line 1: kind is a number, not a string; ',
    ],
    [
      'a null in a list',
      '{"apiVersion":"v1","kind":"List","items":[null]}',
      'f.yaml: document 1, line 1: null where a Kubernetes object should be; ',
    ],
    [
      'a list of text',
      'apiVersion: v1\nkind: List\nitems: text\n',
      'f.yaml: document 1, line 1: items of List is a text, not a list; ',
    ],
    [
      'a rule set',
      'apiVersion: convoy.kumodo.io/v1alpha1\nkind: GlobalHealthRuleSet\nmetadata: {name: a}\nspec: {rules: []}\n',
      'f.yaml: document 1, line 1: this GlobalHealthRuleSet holds health rules, not an object to judge; pass the file with --rules',
    ],
    [
      'a rule of a folder',
      'group: apps\nkind: Deployment\nhealthy: "true"\n',
      'f.yaml: document 1, line 1: this rule file holds health rules',
    ],
  ])('%s', async (_, content, line) => {
    const { problems } = await read(content);
    expect(problems[0]?.slice(0, line.length)).toBe(line);
    expect(problems[0]).toMatch(/; \S/);
    expect(problems[0]).not.toContain('\n');
  });

  it('is a health rule among objects to apply, which is an object like any other there', async () => {
    const content =
      'apiVersion: convoy.kumodo.io/v1alpha1\nkind: HealthRuleSet\nmetadata: {name: a}\nspec: {rules: []}\n';
    expect(await readManifests({ name: 'f.yaml', content }, 'apply')).toMatchObject({ objects: [{}], problems: [] });
    const file = await readManifests({ name: 'f.yaml', content: 'rules: []' }, 'apply');
    expect(file.problems.map(({ code }) => code)).toEqual(['KindMissing']);
  });

  it('and the documents around a broken one are read', async () => {
    const { objects, problems } = await read('apiVersion: v1\nkind: A\n---\na: b: c\n---\napiVersion: v1\nkind: B\n');
    expect(objects.map(({ document }) => document)).toEqual([1, 3]);
    expect(problems).toHaveLength(1);
  });

  it('and a list of a million numbers does not make a million lines', async () => {
    const { problems } = await read(`[${Array(100_000).fill('1').join(',')}]`);
    expect(problems).toHaveLength(10);
  });

  it('and a long YAML document is refused before it eats the memory', async () => {
    const { problems } = await read(`kind: A\nx: "${'y'.repeat(41_000_000)}"`);
    expect(problems[0]).toBe(
      'f.yaml: document 1, line 1: one YAML document of 41 MB, more than the 40 MB that are read at once; write it as JSON (`kubectl get … -o json`), which needs far less memory',
    );
  });

  it.each<[string, string, string]>([
    [
      'a string of millions before a fault',
      `{"a":"${'x'.repeat(8_000_000)}",}`,
      'not JSON: "}" where a key in quotes should be',
    ],
    ['a quote that swallows the file', `a: "${'x\n'.repeat(100_000)}`, 'a quote or bracket that is never closed'],
    ['a number of millions of digits', `{"n":${'1'.repeat(3_000_000)}}`, 'an object without kind'],
    ['many aliases of one word', `a: &a x\nb:\n${'- *a\n'.repeat(200_000)}`, 'an object without kind'],
  ])('and %s costs no more than its size', async (_, content, reason) => {
    const { problems } = await read(content);
    expect(problems[0]).toContain(reason);
  });

  it('and the values of a Secret are not shown', async () => {
    const { problems } = await read('{"apiVersion":"v1","kind":"Secret","data":{"password":hunter2}}');
    expect(problems[0]).toContain('not JSON: "h" where a value should be');
    expect(problems[0]).not.toContain('hunter');
  });
});
