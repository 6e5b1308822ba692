import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../apps/parse-manifests.ts';
import { loadYamlParser } from '../../manifests/index.ts';
import type { RemoteSource } from '../../ports/renderer.ts';
import { skipReason, toolPath } from '../../sandbox/kubectl.fixture.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { LAYER, startOciRegistry, type TestRegistry } from '../../testing/oci-registry.ts';
import { tarGzip } from '../../testing/tar-archive.ts';
import { openSources, type Sources, type SourcesOptions } from './index.ts';

const helm = toolPath('helm');
const kubectl = toolPath('kubectl');
if (helm === undefined || kubectl === undefined)
  console.log(`charts and kustomizations from end to end: skipped, ${skipReason('helm')}`);

const base = mkdtempSync(join(tmpdir(), 'convoy-sources-'));
const clock = new FakeClock();
const { signal } = new AbortController();
const open: Sources[] = [];
let registry: TestRegistry;
let count = 0;

async function sourcesOf(more: Partial<SourcesOptions> = {}): Promise<Sources> {
  count += 1;
  const sources = await openSources({
    folder: join(base, String(count)),
    clock,
    parseManifests,
    parseYaml: await loadYamlParser(),
    searchPath: process.env['PATH'] ?? '',
    programs: { helm: helm ?? 'helm', kubectl: kubectl ?? 'kubectl' },
    allowFileSources: true,
    ...more,
  });
  open.push(sources);
  return sources;
}

const object = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const repository = join(base, 'app.git');

beforeAll(async () => {
  registry = await startOciRegistry();
  registry.push('team/app', 'v1', [{ mediaType: LAYER, bytes: tarGzip({ 'prod/a.yaml': object('oci') }) }]);
  const tree = join(base, 'tree');
  mkdirSync(join(tree, 'shop', 'templates'), { recursive: true });
  mkdirSync(join(tree, 'base'));
  mkdirSync(join(tree, 'over'));
  writeFileSync(join(tree, 'shop', 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
  writeFileSync(join(tree, 'shop', 'templates', 'a.yaml'), object('{{ .Release.Name }}'));
  writeFileSync(join(tree, 'base', 'a.yaml'), object('git'));
  writeFileSync(join(tree, 'base', 'kustomization.yaml'), 'resources: [a.yaml]\n');
  writeFileSync(join(tree, 'over', 'kustomization.yaml'), 'resources: [../base]\nnamePrefix: over-\n');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const git = (...args: string[]) => execFileSync('git', args, { cwd: tree, stdio: 'pipe' });
  git('init', '--quiet', '-b', 'main');
  git('add', '-A');
  git(...identity, 'commit', '--quiet', '-m', 'one');
  git('clone', '--quiet', '--bare', tree, repository);
});
afterAll(async () => {
  await Promise.all(open.map((sources) => sources.close()));
  await registry.close();
  rmSync(base, { recursive: true, force: true });
});

async function namesOf(sources: Sources, source: RemoteSource, path = ''): Promise<unknown[]> {
  const artifact = await sources.fetcher.fetch(source, {}, signal);
  try {
    const chart = { releaseName: 'web', namespace: 'a', values: {}, kubeVersion: '', apiVersions: [], upgrade: false };
    const objects = await sources.renderer.render(
      source.kind === 'helm' ? { kind: 'chart', artifact, ...chart } : { kind: 'folder', artifact, path },
      signal,
    );
    return objects.map(({ object: { metadata }, source: file }) => [(metadata as { name: string }).name, file]);
  } finally {
    artifact.release();
  }
}

describe('from a source to its objects', () => {
  const url = `file://${repository}`;
  it('texts', async () => {
    const { renderer } = await sourcesOf();
    const objects = await renderer.render({ kind: 'texts', files: [{ name: 'inline', text: object('a') }] }, signal);
    expect(objects).toMatchObject([{ source: 'inline', document: 1, line: 1 }]);
  });

  it('an artifact of a registry', async () => {
    const source = { kind: 'oci', oci: { url: `${registry.url}/team/app`, tag: 'v1' } } as const;
    const sources = await sourcesOf();
    expect(await namesOf(sources, source)).toEqual([['oci', 'prod/a.yaml']]);
    await expect(namesOf(sources, source, '../..')).rejects.toThrow('there is no folder ../.. in the source');
  });

  it.skipIf(kubectl === undefined)('a kustomization in Git, with its base beside it', async () => {
    const source = { kind: 'git', git: { url, path: 'over' } } as const;
    expect(await namesOf(await sourcesOf(), source)).toEqual([['over-git', 'kustomization.yaml as built']]);
  });

  it.skipIf(helm === undefined)('a chart in Git', async () => {
    const source = { kind: 'helm', helm: { chart: 'shop', repo: { git: { url } } } } as const;
    expect(await namesOf(await sourcesOf(), source)).toEqual([['web', 'shop/templates/a.yaml']]);
  });
});

describe('a source that drips', () => {
  it('is given up in time, and leaves nothing', async () => {
    const asked = Promise.withResolvers<void>();
    const { fetcher } = await sourcesOf({ fetchTimeout: 5000 });
    registry.instead = (exchange) => {
      if (!exchange.path.includes('/blobs/')) return false;
      exchange.start();
      exchange.write('drip');
      asked.resolve();
      return true;
    };
    const fetching = fetcher.fetch({ kind: 'oci', oci: { url: `${registry.url}/team/app`, tag: 'v1' } }, {}, signal);
    const failed = expect(fetching).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'retry',
      message: 'fetching source.oci did not end within 5 s; it is tried again',
    });
    await asked.promise;
    await clock.advance(5000);
    await failed;
    registry.instead = undefined;
    expect(readdirSync(join(base, String(count), 'entries'))).toEqual([]);
  });

  it('ends with the caller', async () => {
    const { fetcher } = await sourcesOf();
    const reason = new Error('stopped');
    const source = { kind: 'git', git: { url: `file://${repository}` } } as const;
    await expect(fetcher.fetch(source, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('the version of the renderer', () => {
  it('names the programs that it depends on', async () => {
    const { renderer } = await sourcesOf({ programs: { helm: 'no-helm-here', kubectl: 'no-kubectl-here' } });
    expect(renderer.version).toBe('1 helm=none kubectl=none');
    if (helm === undefined || kubectl === undefined) return;
    expect((await sourcesOf()).renderer.version).toMatch(/^1 helm=v\d+\.\d+\.\d+\S* kubectl=v\d+\.\d+\.\d+$/);
  });
});
