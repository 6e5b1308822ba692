import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadYamlParser } from '../../../manifests/index.ts';
import type { Artifact, SourceCredentials } from '../../../ports/renderer.ts';
import { type Exchange, startHttpServer, type TestHttpServer } from '../../../testing/http-server/http-server.ts';
import { BASIC, digestOf, startOciRegistry, type TestRegistry } from '../../../testing/oci-registry.ts';
import { tarGzip } from '../../../testing/tar-archive.ts';
import { unpack } from '../archives/unpack.ts';
import { DiskArtifactCache } from '../artifact-cache/artifact-cache.ts';
import { Downloads } from '../downloads/download.ts';
import { openOciRepository } from '../oci/oci-repository.ts';
import { pickVersion } from '../versions/pick-version.ts';
import { ChartRepositories } from './chart-repository.ts';
import { ChartFetcher, type HelmSource } from './fetch-chart.ts';

const base = mkdtempSync(join(tmpdir(), 'convoy-chart-'));
const downloads = new Downloads();
const { signal } = new AbortController();
const CHART = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const chart = (version: string) =>
  tarGzip({ 'shop/Chart.yaml': `name: shop\nversion: ${version}\n`, 'shop/charts/sub/Chart.yaml': 'name: sub\n' });
const VERSIONS = ['1.0.0', '1.4.2', '1.10.0', '2.0.0-rc.1'];

let server: TestHttpServer;
let registry: TestRegistry;
let requests: string[];
let index: string;
let instead: ((exchange: Exchange) => boolean) | undefined;
let parseYaml: (text: string) => unknown;

const indexOf = (entries: readonly { version: string; url: string; digest: string }[]) =>
  `apiVersion: v1\nentries:\n  shop:\n${entries
    .map(({ version, url, digest }) => `  - digest: ${digest}\n    urls:\n    - ${url}\n    version: ${version}\n`)
    .join('')}generated: now\n`;
const entryOf = (version: string) => ({
  version,
  url: `charts/shop-${version}.tgz`,
  digest: digestOf(chart(version)).slice('sha256:'.length),
});

beforeAll(async () => {
  parseYaml = await loadYamlParser();
  registry = await startOciRegistry();
  registry.pageSize = 100;
  for (const version of [...VERSIONS, '1.11.0+build.1']) {
    registry.push('charts/shop', version.replace('+', '_'), [{ mediaType: CHART, bytes: chart(version) }]);
  }
  server = await startHttpServer({
    protocol: 'plain',
    handle: (exchange) => {
      const { headers, path } = exchange;
      requests.push(`${path} ${headers['authorization'] ?? '-'}`);
      if (instead?.(exchange)) return;
      if (path === '/repo/index.yaml') {
        if (headers['if-none-match'] === digestOf(index)) exchange.text(304, '');
        else exchange.text(200, index, { etag: digestOf(index) });
        return;
      }
      const version = /^\/repo\/charts\/shop-(.*)\.tgz$/.exec(path)?.[1];
      if (version === undefined) exchange.text(404, 'none');
      else {
        exchange.start();
        exchange.write(chart(version));
        exchange.end();
      }
    },
  });
});
afterAll(async () => {
  await downloads.close();
  await server.close();
  await registry.close();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  requests = [];
  registry.requests.length = 0;
  instead = undefined;
  index = indexOf(VERSIONS.map(entryOf));
});

let count = 0;
function fetcherOf(): ChartFetcher {
  count += 1;
  const folder = join(base, String(count));
  const limits = { bytes: 1e6, files: 100 };
  return new ChartFetcher({
    cache: new DiskArtifactCache({ folder, maxBytes: 1e7, limits }),
    repositories: new ChartRepositories({ download: downloads.download, parseYaml, maxBytes: 1e6 }),
    openOci: (url, field, credentials, stop) =>
      openOciRepository(url, field, credentials, { download: downloads.download, maxBytes: 1e6 }, stop),
    fetchGit: async ({ path = '' }) => {
      const root = join(folder, 'git');
      mkdirSync(join(root, 'charts', 'shop'), { recursive: true });
      writeFileSync(join(root, 'charts', 'shop', 'Chart.yaml'), 'name: shop\nversion: 1.2.0\n');
      return { digest: 'tree', revision: 'main@sha1:1', root, path: join(root, path), release: () => undefined };
    },
    unpack,
    pickVersion,
    parseYaml,
  });
}
function fetch(
  source: Partial<HelmSource>,
  credentials: SourceCredentials = {},
  fetcher = fetcherOf(),
): Promise<Artifact> {
  return fetcher.fetch({ chart: 'shop', repo: { url: `${server.url}/repo/` }, ...source }, credentials, signal);
}
const versionIn = ({ path }: Artifact) => /version: (.*)/.exec(readFileSync(join(path, 'Chart.yaml'), 'utf8'))?.[1];

describe('a chart of a repository', () => {
  it.each([
    [undefined, '1.10.0'],
    ['~1.4', '1.4.2'],
    ['1.0.0', '1.0.0'],
    ['2.0.0-rc.1', '2.0.0-rc.1'],
    ['>=1.0.0-0', '2.0.0-rc.1'],
  ])('of version %s is %s', async (range, version) => {
    const artifact = await fetch(range === undefined ? {} : { version: range });
    expect([artifact.revision, versionIn(artifact), artifact.digest]).toEqual([
      version,
      version,
      digestOf(chart(version)),
    ]);
    expect(artifact.path).toBe(join(artifact.root, 'shop'));
  });

  it('is fetched once; its index is asked for again and not sent when it did not change', async () => {
    const fetcher = fetcherOf();
    (await fetch({}, {}, fetcher)).release();
    const sent: number[] = [];
    instead = (exchange) => {
      sent.push(exchange.headers['if-none-match'] === digestOf(index) ? 304 : 200);
      return false;
    };
    (await fetch({}, {}, fetcher)).release();
    index = indexOf([...VERSIONS, '1.12.0'].map(entryOf));
    expect((await fetch({}, {}, fetcher)).revision).toBe('1.12.0');
    expect(requests.map((request) => request.split(' ')[0])).toEqual([
      '/repo/index.yaml',
      '/repo/charts/shop-1.10.0.tgz',
      '/repo/index.yaml',
      '/repo/index.yaml',
      '/repo/charts/shop-1.12.0.tgz',
    ]);
    expect(sent).toEqual([304, 200, 200]);
  });

  it('may be elsewhere, where the password of the repository is not sent', async () => {
    const other = await startHttpServer({
      protocol: 'plain',
      handle: (exchange) => {
        requests.push(`other ${exchange.headers['authorization'] ?? '-'}`);
        exchange.start();
        exchange.write(chart('1.0.0'));
        exchange.end();
      },
    });
    index = indexOf([{ ...entryOf('1.0.0'), url: `${other.url}/x.tgz` }]);
    await fetch({}, { username: 'bob', password: 'hunter2' });
    expect(requests).toEqual([`/repo/index.yaml ${BASIC}`, 'other -']);
    await other.close();
  });

  it('may be in a registry that the index names', async () => {
    index = indexOf([{ version: '1.4.2', url: `${registry.url}/charts/shop:1.4.2`, digest: '' }]);
    const artifact = await fetch({}, { username: 'bob', password: 'hunter2' });
    expect([artifact.revision, versionIn(artifact)]).toEqual([expect.stringMatching(/^1\.4\.2@sha256:/), '1.4.2']);
    expect(registry.requests.every((request) => request.endsWith(' -'))).toBe(true);
  });
});

describe('a chart of a registry', () => {
  const repo = () => ({ url: `${registry.url}/charts` });
  it.each([
    [undefined, '1.11.0+build.1'],
    ['~1.4', '1.4.2'],
    ['1.11.0+build.1', '1.11.0+build.1'],
  ])('of version %s is %s', async (range, version) => {
    const artifact = await fetch({ repo: repo(), ...(range === undefined ? {} : { version: range }) });
    expect([artifact.revision.split('@')[0], versionIn(artifact)]).toEqual([version, version]);
  });

  it('of a version that is written out is found without the list of all', async () => {
    await fetch({ repo: repo(), version: '1.4.2' });
    expect(registry.requests.some((request) => request.includes('/tags/'))).toBe(false);
  });

  it('is refused when it is none', async () => {
    registry.push('charts/other', '1.0.0', [{ mediaType: 'application/x-tar', bytes: chart('1.0.0') }]);
    await expect(fetch({ repo: repo(), chart: 'other' })).rejects.toThrow(
      'other 1.0.0 is no Helm chart; objects in an artifact are source.oci',
    );
  });
});

describe('a chart in Git', () => {
  const repo = { git: { url: 'https://git.example.test/x', path: 'charts' } };
  it('is a folder, whose version may be checked', async () => {
    expect((await fetch({ repo })).revision).toBe('main@sha1:1');
    expect(versionIn(await fetch({ repo, version: '~1.2' }))).toBe('1.2.0');
    await expect(fetch({ repo, version: '^2' })).rejects.toThrow(
      'charts/shop at main@sha1:1 is version 1.2.0, not ^2; mend version',
    );
    await expect(fetch({ repo, chart: 'none' })).rejects.toThrow(
      'charts/none at main@sha1:1 is no chart: it has no Chart.yaml',
    );
  });
});

describe('a chart that cannot be had', () => {
  it.each<[string, Partial<HelmSource>, string]>([
    ['no such chart', { chart: 'shopp' }, '/repo/index.yaml has no chart shopp; it has shop, …'],
    [
      'no such version',
      { version: '^9' },
      'chart shop has no version in the range ^9; the newest is 2.0.0-rc.1; mend version',
    ],
    ['no range', { version: 'new' }, 'new is no range of versions'],
    ['a path as name', { chart: '../x' }, 'source.helm.chart is no name of a chart (../x)'],
    ['a repository in the clear', { repo: { url: 'http://charts.example.test' } }, 'is not encrypted'],
    [
      'a secret in the address',
      { repo: { url: 'https://bob:hunter2@charts.example.test' } },
      'holds credentials (https://charts.example.test/)',
    ],
    ['no repository', { repo: {} }, 'source.helm.repo has neither url nor git'],
  ])('%s', async (_what, source, message) => {
    await expect(fetch(source)).rejects.toMatchObject({ retry: 'terminal', message: expect.stringContaining(message) });
  });

  it('no release yet', async () => {
    index = indexOf([entryOf('2.0.0-rc.1')]);
    await expect(fetch({})).rejects.toThrow('chart shop has no release; the newest is 2.0.0-rc.1; mend version');
  });

  it('another content than the index says', async () => {
    index = indexOf([{ ...entryOf('1.0.0'), digest: 'f'.repeat(64) }]);
    await expect(fetch({})).rejects.toThrow(
      `chart shop 1.0.0 came with other content: sha256:${'f'.repeat(64)} was promised`,
    );
  });

  it.each<[string, (exchange: Exchange) => void, string]>([
    [
      'who is not let in',
      (exchange) => exchange.text(401, 'no'),
      'refused to let us in; check the Secret that secretRef names',
    ],
    ['no index', (exchange) => exchange.text(404, 'no'), 'there is no index.yaml; check repo.url'],
    ['a repository that is not well', (exchange) => exchange.text(502, 'no'), 'the chart repository answered 502'],
    ['a page', (exchange) => exchange.text(200, '<html></html>'), 'a page of HTML came'],
  ])('%s', async (_what, handle, message) => {
    instead = (exchange) => {
      handle(exchange);
      return true;
    };
    await expect(fetch({}, { username: 'bob', password: 'hunter2' })).rejects.toThrow(message);
  });

  it.each<[string, Buffer | string, string]>([
    ['a page', '<html></html>', 'chart shop 1.0.0 is no whole tar archive'],
    ['another archive', tarGzip({ 'a.yaml': '1' }), 'chart shop 1.0.0 is no chart: it has no Chart.yaml'],
  ])('%s for its archive', async (_what, bytes, message) => {
    index = indexOf([{ ...entryOf('1.0.0'), digest: '""' }]);
    instead = (exchange) => {
      if (exchange.path.endsWith('index.yaml')) return false;
      exchange.start();
      exchange.write(Buffer.from(bytes));
      exchange.end();
      return true;
    };
    await expect(fetch({})).rejects.toThrow(message);
  });
});
