import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../../apps/parse-manifests.ts';
import type { JsonMap } from '../../../core/object/fields.ts';
import type { RenderRequest } from '../../../ports/renderer.ts';
import type { RunProgram } from '../../../ports/source-tools.ts';
import { skipReason, toolPath } from '../../../sandbox/kubectl.fixture.ts';
import { scratchIn } from '../artifact-cache/scratch.ts';
import { runProgram } from '../programs/run-program.ts';
import { ChartRenderer } from './render-chart.ts';
import { splitOutput } from './split-output.ts';

const helm = toolPath('helm');
if (helm === undefined) console.log(`rendering of charts: skipped, ${skipReason('helm')}`);

const base = mkdtempSync(join(tmpdir(), 'convoy-helm-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const { signal } = new AbortController();

let count = 0;
function chartOf(files: Record<string, string>): string {
  count += 1;
  const folder = join(base, `chart-${count}`);
  const all = { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n', 'values.yaml': 'tag: one\n', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const calls: { args: readonly string[]; mode: number }[] = [];
const scratch = join(base, 'scratch');
function rendererOf(program = helm ?? 'helm', maxBytes = 1e6): ChartRenderer {
  const run: RunProgram = (name, args, call) => {
    calls.push({ args, mode: statSync(join(call.cwd, 'values.json')).mode & 0o777 });
    return runProgram(name, args, call);
  };
  return new ChartRenderer({
    run,
    program,
    searchPath: process.env['PATH'] ?? '',
    scratch: scratchIn(scratch),
    parseManifests,
    maxBytes,
  });
}

type ChartRequest = Extract<RenderRequest, { kind: 'chart' }>;
function render(files: Record<string, string>, more: Partial<ChartRequest> = {}, renderer = rendererOf()) {
  const folder = chartOf(files);
  const artifact = { digest: 'd', revision: '1.0.0', root: folder, path: folder, release: () => undefined };
  const request: ChartRequest = {
    kind: 'chart',
    artifact,
    releaseName: 'web',
    namespace: 'prod',
    values: {},
    kubeVersion: 'v1.36.3',
    apiVersions: ['v1', 'example.com/v1/Widget'],
    upgrade: false,
    ...more,
  };
  return renderer.render(request, signal);
}
const config = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  x: ${data}\n`;
const dataOf = async (data: string, more: Partial<ChartRequest> = {}) => {
  const [first] = await render({ 'templates/c.yaml': config(data) }, more);
  return (first?.object['data'] as JsonMap | undefined)?.['x'];
};

describe.skipIf(helm === undefined)('a chart', () => {
  it.each<[string, string, Partial<ChartRequest>]>([
    ['{{ .Release.Name }}/{{ .Release.Namespace }}', 'web/prod', {}],
    ['{{ .Values.tag }}', 'one', {}],
    ['{{ .Values.tag }}', 'two', { values: { tag: 'two' } }],
    ['{{ .Release.IsUpgrade }}-{{ .Release.IsInstall }}', 'true-false', { upgrade: true }],
    ['{{ .Release.IsUpgrade }}-{{ .Release.IsInstall }}', 'false-true', {}],
    ['{{ .Capabilities.KubeVersion.Version }}', 'v1.36.3', {}],
    ['h-{{ .Capabilities.APIVersions.Has "example.com/v1/Widget" }}', 'h-true', {}],
    ['h-{{ .Capabilities.APIVersions.Has "example.com/v1/Other" }}', 'h-false', {}],
    ['n-{{ lookup "v1" "Secret" "prod" "x" | len }}', 'n-0', {}],
    ['n-{{ getHostByName "localhost" }}', 'n-', {}],
    ['e-{{ .Values.big }}', 'e-12', { values: { big: 12n } }],
  ])('sees in %s %s', async (template, seen, more) => {
    expect(await dataOf(template, more)).toBe(seen);
  });

  it('gives its definitions, objects and hooks, each with its template, and no tests', async () => {
    const hook = (kind: string) =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${kind}, annotations: {helm.sh/hook: ${kind}}}\n`;
    const objects = await render({
      'crds/crd.yaml':
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n',
      'templates/all.yaml': `${config('one')}---\n# nothing\n---\n${hook('pre-install')}---\n${hook('test')}---\n${config('"---"')}`,
      'templates/empty.yaml': '{{ if false }}x: 1{{ end }}',
      'templates/list.yaml':
        'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- {apiVersion: v1, kind: B, metadata: {name: b}}\n',
    });
    expect(
      objects.map(({ object: { kind }, source, document, line }) => `${kind} ${source} ${document}:${line}`),
    ).toEqual([
      'CustomResourceDefinition shop/crds/crd.yaml 1:0',
      'ConfigMap shop/crds/crd.yaml 2:0',
      'ConfigMap shop/templates/all.yaml 1:0',
      'ConfigMap shop/templates/all.yaml 2:0',
      'A shop/templates/list.yaml 1:0',
      'B shop/templates/list.yaml 1:0',
      'Pod shop/templates/all.yaml 3:0',
    ]);
  });

  it('gets its values by a file that nobody else reads and that is gone behind it', async () => {
    calls.length = 0;
    await render({ 'templates/c.yaml': config('one') }, { values: { password: 'hunter2' } });
    expect(calls[0]?.mode).toBe(0o600);
    expect(JSON.stringify(calls)).not.toContain('hunter2');
    expect(readdirSync(scratch)).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'a value that is not there',
      { 'templates/b.yaml': 'x: {{ .Values.a.b }}' },
      'helm: shop/templates/b.yaml:1:13 executing "shop/templates/b.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
    ],
    [
      'a template that is broken',
      { 'templates/b.yaml': '\n{{ if }}' },
      'helm: parse error at (shop/templates/b.yaml:2): missing value for if',
    ],
    [
      'YAML that is broken',
      { 'templates/b.yaml': 'x: [' },
      'helm: YAML parse error on shop/templates/b.yaml: error converting YAML to JSON: yaml: line 1',
    ],
    [
      'a complaint of its own',
      { 'templates/b.yaml': '{{ fail "name is needed" }}' },
      'helm: execution error at (shop/templates/b.yaml:1:3): name is needed',
    ],
    [
      'what it needs and has not',
      {
        'Chart.yaml':
          'apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.0.0, repository: "https://charts.example.test"}\n',
      },
      'the chart needs db, which its folder charts/ does not hold; run `helm dependency build`',
    ],
    [
      'a cluster that is too old',
      { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\nkubeVersion: ">=1.99"\n' },
      'helm: chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.36.3',
    ],
    [
      'a library',
      { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\ntype: library\n' },
      'helm: library charts are not installable',
    ],
    [
      'a schema elsewhere',
      { 'values.schema.json': '{"properties": {"a": {"\\u0024ref": "file:///etc/passwd"}}}' },
      'values.schema.json of the chart refers to another schema (file:///etc/passwd), which is not fetched',
    ],
    [
      'a schema elsewhere, in what it needs',
      {
        'charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
        'charts/db/values.schema.json': '{"allOf": [{"$ref": "https://x.test/a.json"}]}',
      },
      'refers to another schema (https://x.test/a.json)',
    ],
    [
      'no kind',
      { 'templates/b.yaml': 'apiVersion: v1\nmetadata: {name: a}\n' },
      'shop/templates/b.yaml as rendered: document 1, line 2: an object without kind',
    ],
  ])('that does not render is told in one line: %s', async (_what, files, message) => {
    await expect(render(files)).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringContaining(message),
    });
    await expect(render(files)).rejects.toThrow(/^[^\n]*$/);
  });

  it('does not quote secrets when it fails', async () => {
    const schema = '{"properties": {"db": {"properties": {"password": {"type": "string", "pattern": "^x"}}}}}';
    const failing = [
      () => render({ 'values.schema.json': schema }, { values: { db: { password: 'hunter2' } } }),
      () => render({ 'templates/b.yaml': '{{ fail .Values.token }}' }, { values: { token: 'hunter2' } }),
    ];
    for (const one of failing) {
      const error = await one().catch((reason: unknown) => reason);
      expect(String(error)).toMatch(/helm: .*\*\*\*/);
      expect(String(error)).not.toContain('hunter2');
    }
  });

  it('asks no network for anything', async () => {
    const schema = '{"$schema": "https://schema.example.test/draft"}';
    await expect(render({ 'values.schema.json': schema })).rejects.toThrow(/127\.0\.0\.1:9/);
  });

  it('that renders to too much, or without end, is stopped', async () => {
    const large = { 'templates/b.yaml': config('{{ repeat 100000 "x" }}') };
    await expect(render(large, {}, rendererOf(helm, 50_000))).rejects.toThrow('renders to more than the 50000 bytes');
    const stop = new AbortController();
    const reason = new Error('too late');
    const run: RunProgram = (...args) => {
      const running = runProgram(...args);
      stop.abort(reason);
      return running;
    };
    const renderer = new ChartRenderer({
      run,
      program: helm ?? '',
      searchPath: '',
      scratch: scratchIn(scratch),
      parseManifests,
      maxBytes: 1e6,
    });
    const folder = chartOf({ 'templates/b.yaml': '{{ range untilStep 1 1000000000 1 }}x{{ end }}' });
    const artifact = { digest: 'd', revision: '1', root: folder, path: folder, release: () => undefined };
    const request = {
      kind: 'chart',
      artifact,
      releaseName: 'a',
      namespace: 'a',
      values: {},
      kubeVersion: '',
      apiVersions: [],
      upgrade: false,
    } as const;
    await expect(renderer.render(request, stop.signal)).rejects.toBe(reason);
  });
});

describe('a chart without helm', () => {
  it('is told how helm is had', async () => {
    await expect(render({}, {}, rendererOf('no-helm-here'))).rejects.toMatchObject({
      retry: 'retry',
      message:
        'helm was not found (no-helm-here); put Helm 3.14 or newer on the PATH of convoy (https://helm.sh/docs/intro/install)',
    });
  });

  it('needs a map of values', async () => {
    // What a caller makes of a text may be anything.
    const values = ['a'] as unknown as JsonMap;
    await expect(render({}, { values })).rejects.toThrow('the values of the chart are no map; write key: value');
  });
});

describe('what helm prints', () => {
  it('is split into documents with the template that each comes from', () => {
    const text =
      '---\n# Source: a/crds/x.yaml\n# words\nkind: A\n---\nkind: B\n---\n# Source: a/templates/y.yaml\n\n---\n# Source: a/templates/z.yaml\nkind: C\ntext: |\n  ---\n';
    expect(splitOutput(text)).toEqual([
      { source: 'a/crds/x.yaml', text: '# Source: a/crds/x.yaml\n# words\nkind: A\n' },
      { source: 'a/crds/x.yaml', text: 'kind: B\n' },
      { source: 'a/templates/z.yaml', text: '# Source: a/templates/z.yaml\nkind: C\ntext: |\n  ---\n' },
    ]);
  });
});
