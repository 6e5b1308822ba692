import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../../apps/parse-manifests.ts';
import { loadYamlParser } from '../../../manifests/index.ts';
import type { RenderRequest } from '../../../ports/renderer.ts';
import type { ParseYaml } from '../../../ports/source-tools.ts';
import { skipReason, toolPath } from '../../../sandbox/kubectl.fixture.ts';
import { scratchIn } from '../artifact-cache/scratch.ts';
import { runProgram } from '../programs/run-program.ts';
import { manifestsBelow } from '../texts/render-folder.ts';
import { KustomizationBuilder } from './build-kustomization.ts';
import { KustomizationCheck } from './kustomization-check.ts';

const kubectl = toolPath('kubectl');
if (kubectl === undefined) console.log(`building of kustomizations: skipped, ${skipReason('kubectl')}`);

const base = mkdtempSync(join(tmpdir(), 'convoy-kustomize-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const { signal } = new AbortController();
let parseYaml: ParseYaml;
beforeAll(async () => {
  parseYaml = await loadYamlParser();
});

let count = 0;
function sourceOf(files: Record<string, string>): string {
  count += 1;
  const folder = join(base, `source-${count}`);
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const object = (name: string, more = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

describe('a kustomization', () => {
  const check = (files: Record<string, string>, path = '') =>
    new KustomizationCheck(sourceOf(files), { parseYaml, parseManifests }).folder(path);
  const app = { 'app.yaml': object('a'), 'env.txt': 'A=b\n' };

  it.each<[string, string]>([
    ['files', 'resources: [app.yaml, ./app.yaml]'],
    [
      'patches as files and as texts',
      'patches: [{path: app.yaml}, {patch: "a: https://x.test"}]\npatchesStrategicMerge: ["{a: b}", app.yaml, "a:\\n  b: c"]',
    ],
    [
      'generators',
      'configMapGenerator: [{name: a, files: [app.yaml, x=env.txt], envs: [env.txt], env: env.txt, literals: [u=https://x.test]}]',
    ],
    [
      'labels that look like addresses',
      'commonAnnotations: {path: "https://x.test/y", files: "../.."}\nlabels: [{pairs: {a: b}}]',
    ],
    [
      'plugins that are built in',
      'transformers: ["{apiVersion: builtin, kind: LabelTransformer, metadata: {name: a}, labels: {a: b}}"]',
    ],
    [
      'much else',
      'namePrefix: a-\nimages: [{name: a, newTag: b}]\nreplicas: [{name: a, count: 2}]\nreplacements: [{path: app.yaml}]\nopenapi: {path: app.yaml}',
    ],
  ])('may have %s', async (_what, text) => {
    await check({ ...app, 'kustomization.yaml': text });
  });

  it('may lead to its neighbours, and round in a circle as far as we care', async () => {
    await check(
      { 'over/kustomization.yml': 'resources: [../base]', 'base/Kustomization': 'components: [../over]' },
      'over',
    );
  });

  it.each<[string, string]>([
    [
      'resources: [https://x.test/a.yaml]',
      'kustomization.yaml: resources: https://x.test/a.yaml is remote, which is not fetched; copy it into the source',
    ],
    ['resources: ["https://bob:hunter2@x.test/a.yaml"]', 'resources: https://x.test/a.yaml is remote'],
    ['resources: [github.com/a/b]', 'github.com/a/b is remote'],
    ['bases: ["git@x.test:a/b"]', 'git@x.test:a/b is remote'],
    ['resources: ["x.test/a/b?ref=v1"]', 'is remote'],
    ['components: ["file:///etc"]', 'is remote'],
    ['resources: [../x]', 'resources: ../x leads out of the source'],
    ['resources: [/etc/passwd]', 'resources: /etc/passwd leads out of the source'],
    ['resources: [none.yaml]', 'resources: there is no file or folder none.yaml'],
    ['resources: [empty]', 'empty has no kustomization.yaml; add one, or name its files'],
    ['resources: [{a: b}]', 'resources names what is no path'],
    ['crds: [empty]', 'crds: there is no file empty'],
    ['patches: [{path: "https://x.test/p"}]', 'patches: https://x.test/p is remote'],
    ['patches: [{PATH: ../../p}]', 'patches: ../../p leads out of the source'],
    ['patchesJson6902: [{path: ../p}]', 'leads out of the source'],
    ['replacements: [{path: ../p}]', 'leads out of the source'],
    ['openapi: {path: ../p}', 'leads out of the source'],
    ['configurations: [../p]', 'leads out of the source'],
    [
      'configMapGenerator: [{name: a, files: [passwd=/etc/passwd]}]',
      'configMapGenerator: /etc/passwd leads out of the source',
    ],
    ['secretGenerator: [{name: a, envs: ["http://169.254.169.254/latest"]}]', 'is remote'],
    ['secretGenerator: [{name: a, env: ../e}]', 'leads out of the source'],
    ['helmCharts: [{name: a}]', 'helmCharts is not allowed; write the chart as source.helm'],
    ['HelmCharts: [{name: a}]', 'HelmCharts is not allowed'],
    ['helmGlobals: {chartHome: /}', 'helmGlobals is not allowed'],
    ['Resources: [https://x.test/a.yaml]', 'Resources is no field of a kustomization that is allowed'],
    ['generators: [exec.yaml]', 'generators: the plugin Exec is not built in, and so not run'],
    [
      'transformers: ["{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: a}}"]',
      'HelmChartInflationGenerator is not built in',
    ],
    ['validators: [function.yaml]', 'the plugin LabelTransformer is not built in'],
    [
      'transformers: ["{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: ../x}"]',
      'leads out of the source',
    ],
    ['patchesStrategicMerge: ["https://x.test/p\\n"]', 'is remote'],
    ['transformers: [../x]', 'leads out of the source'],
    ['- a', 'kustomization.yaml is no map'],
    ['a: [', 'kustomization.yaml: '],
  ])('may not have %s', async (text, message) => {
    const files = {
      ...app,
      'empty/x.txt': '',
      'exec.yaml': 'apiVersion: x.test/v1\nkind: Exec\nmetadata: {name: a}\n',
      'function.yaml':
        'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a, annotations: {config.kubernetes.io/function: "exec: {path: /bin/sh}"}}\n',
    };
    await expect(check({ ...files, 'kustomization.yaml': text })).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringContaining(message),
    });
    await expect(
      check({ ...files, 'kustomization.yaml': 'resources: [a]', 'a/kustomization.yaml': text }),
    ).rejects.toThrow();
  });
});

type Folder = Extract<RenderRequest, { kind: 'folder' }>;
const scratch = join(base, 'scratch');

function builderOf(program = kubectl ?? 'kubectl'): KustomizationBuilder {
  return new KustomizationBuilder({
    run: runProgram,
    program,
    searchPath: process.env['PATH'] ?? '',
    scratch: scratchIn(scratch),
    parseManifests,
    parseYaml,
    manifestsBelow,
    maxBytes: 1e6,
  });
}
async function build(files: Record<string, string>, path: string, kustomize?: Folder['kustomize'], program?: string) {
  const root = sourceOf(files);
  const artifact = { digest: 'd', revision: '1', root, path: root, release: () => undefined };
  const request: Folder = { kind: 'folder', artifact, path, ...(kustomize ? { kustomize } : {}) };
  const before = readdirSync(root, { recursive: true });
  const objects = await builderOf(program).build(request, path, signal);
  expect(readdirSync(root, { recursive: true })).toEqual(before);
  expect(readdirSync(scratch)).toEqual([]);
  return objects;
}

describe.skipIf(kubectl === undefined)('building', () => {
  const files = {
    'base/kustomization.yaml':
      'resources: [app.yaml]\nconfigMapGenerator: [{name: gen, literals: [a=b], options: {disableNameSuffixHash: true}}]\n',
    'base/app.yaml': object('a', 'data: {x: y}\n'),
    'prod/kustomization.yaml': 'resources: [../base]\nnamePrefix: prod-\n',
  };
  const short = (objects: Awaited<ReturnType<typeof build>>) =>
    objects.map(
      ({ object: { kind, metadata }, source, document, line }) =>
        `${kind} ${JSON.stringify(metadata)} ${source} ${document}:${line}`,
    );

  it('gives what the kustomization of the folder says', async () => {
    expect(short(await build(files, 'prod'))).toEqual([
      'ConfigMap {"name":"prod-a"} prod/kustomization.yaml as built 1:0',
      'ConfigMap {"name":"prod-gen"} prod/kustomization.yaml as built 2:0',
    ]);
  });

  it('lays over it what the Release says', async () => {
    const [first] = await build(files, 'prod', {
      path: 'prod',
      namePrefix: 'x-',
      nameSuffix: '-y',
      namespace: 'team',
      images: [{ name: 'nginx', newTag: '1' }],
      patches: [
        { patch: object('prod-a', 'data: {x: patched}\n') },
        { patch: '- {op: add, path: /data/z, value: "1"}', target: { kind: 'ConfigMap', name: 'prod-a' } },
      ],
    });
    expect(first?.object).toMatchObject({
      metadata: { name: 'x-prod-a-y', namespace: 'team' },
      data: { x: 'patched', z: '1' },
    });
  });

  it('lays it over plain manifests as well', async () => {
    const objects = await build(
      {
        'a/a.yaml': object('a'),
        'b.json': JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } }),
        'README.md': 'x',
      },
      '',
      { nameSuffix: '-1' },
    );
    expect(short(objects)).toEqual([
      'ConfigMap {"name":"a-1"} kustomize as built 1:0',
      'Secret {"name":"b-1"} kustomize as built 2:0',
    ]);
  });

  it('is meant for a folder with a kustomization, or where the Release asks for it', async () => {
    const root = sourceOf(files);
    const artifact = { digest: 'd', revision: '1', root, path: root, release: () => undefined };
    const handles = (path: string, kustomize?: Folder['kustomize']) =>
      builderOf().handles({ kind: 'folder', artifact, path, ...(kustomize ? { kustomize } : {}) }, path);
    expect([await handles('prod'), await handles(''), await handles('', {})]).toEqual([true, false, true]);
  });

  it.each<[string, Record<string, string>, Folder['kustomize'], string]>([
    [
      'a patch of what is not there',
      files,
      { patches: [{ patch: object('gone') }] },
      'kustomize: no resource matches strategic merge patch "ConfigMap.v1.[noGrp]/gone.[noNs]"',
    ],
    [
      'a patch that is no YAML',
      files,
      { patches: [{ patch: 'password: [hunter2' }] },
      'kustomize: trouble configuring builtin PatchTransformer',
    ],
    [
      'objects that are no YAML',
      { 'prod/kustomization.yaml': 'resources: [a.yaml]', 'prod/a.yaml': 'a: [' },
      undefined,
      'kustomize: accumulating resources',
    ],
    [
      'two of a name',
      {
        'prod/kustomization.yaml': 'resources: [a.yaml, b.yaml]',
        'prod/a.yaml': object('a'),
        'prod/b.yaml': object('a'),
      },
      undefined,
      'may not add resource with an already registered id',
    ],
  ])('that fails is told in one line: %s', async (_what, source, kustomize, message) => {
    const error = await build(source, 'prod', kustomize).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'SourceError', retry: 'terminal', message: expect.stringContaining(message) });
    expect(String(error)).not.toMatch(/\n|hunter2|convoy-kustomize/);
  });

  it('is refused before it begins when the folder leads elsewhere', async () => {
    await expect(build({ 'kustomization.yaml': 'resources: [https://x.test]' }, '')).rejects.toThrow('is remote');
  });
});

describe('building without kubectl', () => {
  it('is told how kubectl is had', async () => {
    await expect(build({ 'a.yaml': object('a') }, '', {}, 'no-kubectl-here')).rejects.toMatchObject({
      retry: 'retry',
      message:
        'kubectl was not found (no-kubectl-here); put kubectl 1.27 or newer on the PATH of convoy (https://kubernetes.io/docs/tasks/tools)',
    });
  });
});
