import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Artifact, SourceCredentials } from '../../../ports/renderer.ts';
import { BASIC, digestOf, LAYER, startOciRegistry, type TestRegistry } from '../../../testing/oci-registry.ts';
import { TAR_END, tarEntry, tarGzip } from '../../../testing/tar-archive.ts';
import { unpack } from '../archives/unpack.ts';
import { DiskArtifactCache } from '../artifact-cache/artifact-cache.ts';
import { Downloads } from '../downloads/download.ts';
import { pickVersion } from '../versions/pick-version.ts';
import { OciFetcher, type OciSource } from './fetch-oci.ts';
import { openOciRepository } from './oci-repository.ts';

const base = mkdtempSync(join(tmpdir(), 'convoy-oci-'));
const downloads = new Downloads();
const { signal } = new AbortController();
let registry: TestRegistry;
let digest: string;
let layer: Buffer;

beforeAll(async () => {
  registry = await startOciRegistry();
  for (const tag of ['1.0.0', '1.4.2', '2.0.0', 'latest']) {
    layer = tarGzip({ 'app.yaml': `kind: A${tag}`, 'prod/app.yaml': 'kind: P' });
    digest = registry.push('team/app', tag, [{ mediaType: LAYER, bytes: layer }]);
  }
});
afterAll(async () => {
  await downloads.close();
  await registry.close();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  registry.requests.length = 0;
  registry.login = 'none';
  registry.instead = undefined;
});

let count = 0;
function fetcherOf(maxBytes = 1e6): OciFetcher {
  count += 1;
  const folder = join(base, String(count));
  return new OciFetcher({
    cache: new DiskArtifactCache({ folder, maxBytes: 1e7, limits: { bytes: maxBytes, files: 100 } }),
    open: (url, field, credentials, stop) =>
      openOciRepository(url, field, credentials, { download: downloads.download, maxBytes }, stop),
    unpack,
    pickVersion,
  });
}
function fetch(
  source: Partial<OciSource>,
  credentials: SourceCredentials = {},
  fetcher = fetcherOf(),
): Promise<Artifact> {
  return fetcher.fetch({ url: `${registry.url}/team/app`, ...source }, credentials, signal);
}
const app = ({ path }: Artifact) => readFileSync(join(path, 'app.yaml'), 'utf8');

describe('an artifact of a registry', () => {
  it('is found by tag, by range over all pages of tags, and by digest', async () => {
    const byTag = await fetch({ tag: 'latest' });
    expect([app(byTag), byTag.revision, byTag.digest]).toEqual(['kind: Alatest', `latest@${digest}`, digest]);
    const byRange = await fetch({ semver: '^1' });
    expect([app(byRange), byRange.revision]).toEqual(['kind: A1.4.2', expect.stringMatching(/^1\.4\.2@sha256:/)]);
    const byDigest = await fetch({ digest });
    expect([app(byDigest), byDigest.revision]).toEqual(['kind: Alatest', digest]);
  });

  it('may be a folder of it; the rest stays beside', async () => {
    const artifact = await fetch({ tag: 'latest', path: './prod' });
    expect([app(artifact), artifact.path]).toEqual(['kind: P', join(artifact.root, 'prod')]);
  });

  it('is fetched once; then the tag alone is asked, and a digest not at all', async () => {
    const fetcher = fetcherOf();
    (await fetch({ tag: 'latest' }, {}, fetcher)).release();
    registry.requests.length = 0;
    (await fetch({ tag: 'latest', path: 'prod' }, {}, fetcher)).release();
    (await fetch({ digest }, {}, fetcher)).release();
    expect(registry.requests).toEqual(['GET /v2/team/app/manifests/latest -']);
  });

  it('may stand alone in an index', async () => {
    const manifests = [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: 1 }];
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const index = registry.pushManifest('team/app', 'index', { schemaVersion: 2, mediaType, manifests });
    const artifact = await fetch({ tag: 'index' });
    expect([app(artifact), artifact.digest]).toEqual(['kind: Alatest', index]);
  });
});

describe('a registry that wants to know who asks', () => {
  const auth = (host: string, entry: object) => ({ dockerConfig: JSON.stringify({ auths: { [host]: entry } }) });
  const host = () => registry.url.slice('oci://'.length);

  it.each<[TestRegistry['login'], string, () => SourceCredentials]>([
    ['basic', 'a password', () => ({ username: 'bob', password: 'hunter2' })],
    ['token', 'a password', () => ({ username: 'bob', password: 'hunter2' })],
    ['token', 'a docker configuration', () => auth(host(), { auth: Buffer.from('bob:hunter2').toString('base64') })],
    [
      'basic',
      'a docker configuration with a URL',
      () => auth(`https://${host()}/v1/`, { username: 'bob', password: 'hunter2' }),
    ],
    ['refresh', 'a refresh token', () => auth(host(), { identitytoken: 'long-lived' })],
    ['token', 'a token', () => ({ bearerToken: 'pass' })],
  ])('(%s) lets in who has %s', async (login, _what, credentials) => {
    registry.login = login;
    expect(app(await fetch({ tag: 'latest' }, credentials()))).toBe('kind: Alatest');
    expect(registry.requests.filter((request) => request.includes('/token')).length).toBeLessThanOrEqual(2);
  });

  it.each<[TestRegistry['login'], string, () => SourceCredentials]>([
    ['basic', 'nothing', () => ({})],
    ['token', 'nothing', () => ({})],
    ['token', 'a wrong password', () => ({ username: 'bob', password: 'wrong-one' })],
    ['token', 'a docker configuration for another host', () => auth('ghcr.io', { auth: 'Ym9iOmh1bnRlcjI=' })],
    ['token', 'a wrong token', () => ({ bearerToken: 'wrong-one' })],
  ])('(%s) refuses who has %s', async (login, _what, credentials) => {
    registry.login = login;
    await expect(fetch({ tag: 'latest' }, credentials())).rejects.toMatchObject({
      retry: 'retry',
      message: `${registry.url}/team/app refused to let us in; check the Secret that secretRef names`,
    });
    expect(registry.requests.length).toBeLessThan(5);
  });

  it('is told when the Secret holds no docker configuration', async () => {
    await expect(fetch({ tag: 'latest' }, { dockerConfig: 'hunter2' })).rejects.toThrow(
      '.dockerconfigjson of the Secret of the source is no JSON with auths; make it anew',
    );
  });

  it('does not get the password sent to where it is not encrypted', async () => {
    registry.instead = (exchange) => {
      exchange.json(401, {}, { 'www-authenticate': 'Bearer realm="http://evil.example.test/token?x=1"' });
      return true;
    };
    await expect(fetch({ tag: 'latest' }, { username: 'bob', password: 'hunter2' })).rejects.toThrow(
      'its log-in (http://evil.example.test/token) is not encrypted',
    );
  });

  it('keeps its token when a layer is elsewhere', async () => {
    registry.login = 'token';
    const other = await startOciRegistry();
    other.instead = (exchange) => {
      exchange.start();
      exchange.write(layer);
      exchange.end();
      return true;
    };
    registry.instead = (exchange) => {
      if (!exchange.path.includes('/blobs/')) return false;
      exchange.text(307, '', { location: `${other.server.url}/store?signature=1` });
      return true;
    };
    expect(app(await fetch({ tag: 'latest' }, { username: 'bob', password: 'hunter2' }))).toBe('kind: Alatest');
    expect(other.requests).toEqual(['GET /store?signature=1 -']);
    expect(registry.requests.some((request) => request.endsWith(BASIC))).toBe(true);
    await other.close();
  });
});

describe('an artifact that cannot be had', () => {
  const push = (tag: string, ...layers: [string, Buffer][]) =>
    registry.push(
      'bad/app',
      tag,
      layers.map(([mediaType, bytes]) => ({ mediaType, bytes })),
    );
  const bad = (tag: string, fetcher?: OciFetcher) => fetch({ url: `${registry.url}/bad/app`, tag }, {}, fetcher);

  it.each<[string, Partial<OciSource>, string]>([
    ['no such tag', { tag: 'gone' }, 'has no tag gone; check url, and tag or digest'],
    ['no such repository', { url: 'REGISTRY/team/gone', semver: '*' }, 'has no tags; check url'],
    ['no tag in the range', { semver: '^9' }, 'has no tag in the range ^9; check semver'],
    ['no such digest', { digest: `sha256:${'0'.repeat(64)}` }, `has no sha256:${'0'.repeat(64)}; check url`],
    ['no tag at all', { tag: 'a/../b' }, 'a/../b is no tag'],
    ['no such path', { tag: 'latest', path: 'gone' }, 'has no folder gone; mend path'],
    ['a path outside', { tag: 'latest', path: '../x' }, 'source.oci.path leads out of the artifact'],
    [
      'a tag in the address',
      { url: 'REGISTRY/team/app:1.0', tag: 'x' },
      'write the version as tag or digest beside it',
    ],
    ['capitals in the address', { url: 'REGISTRY/Team/App', tag: 'x' }, 'write oci://host/path, in lower case'],
    ['no path in the address', { url: 'REGISTRY', tag: 'x' }, 'names no repository'],
  ])('%s', async (_what, source, message) => {
    const url = source.url?.replace('REGISTRY', registry.url);
    await expect(fetch({ ...source, ...(url === undefined ? {} : { url }) })).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringContaining(message),
    });
  });

  it('an index of several images', async () => {
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    registry.pushManifest('bad/app', 'many', { mediaType, manifests: [{ digest }, { digest }] });
    await expect(bad('many')).rejects.toThrow('tag many is an index of 2 images, not one artifact');
    registry.pushManifest('bad/app', 'none', { mediaType, manifests: [] });
    await expect(bad('none')).rejects.toThrow('tag none is an index of 0 images');
  });

  it('what is no artifact with one archive', async () => {
    push('image', [LAYER, tarGzip({ a: '1' })], [LAYER, tarGzip({ a: '2' })]);
    await expect(bad('image')).rejects.toThrow('has 2 tar+gzip layers, not one');
    push('text', ['text/plain', Buffer.from('x')]);
    await expect(bad('text')).rejects.toThrow('has 0 tar+gzip layers, not one (text/plain)');
    push('chart', ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', tarGzip({ a: '1' })]);
    await expect(bad('chart')).rejects.toThrow('is a Helm chart; write it as source.helm');
    registry.pushManifest('bad/app', 'odd', { schemaVersion: 1 });
    await expect(bad('odd')).rejects.toThrow('tag odd is no OCI artifact');
  });

  it('a layer with other content than its digest says, which leaves nothing', async () => {
    const bytes = tarGzip({ 'app.yaml': 'good' });
    push('spoilt', [LAYER, bytes]);
    const fetcher = fetcherOf();
    registry.spoil(digestOf(bytes), tarGzip({ 'app.yaml': 'evil' }));
    await expect(bad('spoilt', fetcher)).rejects.toThrow(
      /layer came with other content: sha256:\w+ was promised, sha256:\w+ came/,
    );
    registry.spoil(digestOf(bytes), bytes);
    expect(app(await bad('spoilt', fetcher))).toBe('good');
  });

  it('a manifest with other content than its digest says', async () => {
    registry.instead = (exchange) => {
      exchange.json(200, { layers: [] });
      return true;
    };
    await expect(fetch({ digest })).rejects.toThrow('came with other content');
  });

  it('a page of HTML', async () => {
    registry.instead = (exchange) => {
      exchange.text(200, '<!DOCTYPE html><p>Welcome</p>', { 'content-type': 'text/html' });
      return true;
    };
    await expect(fetch({ tag: 'latest' })).rejects.toThrow(
      'a page of HTML came for tag latest; is it the address of a registry?',
    );
  });

  it('a registry that is not well, which may get well', async () => {
    registry.instead = (exchange) => {
      exchange.text(503, 'no');
      return true;
    };
    await expect(fetch({ tag: 'latest' })).rejects.toMatchObject({
      retry: 'retry',
      message: expect.stringContaining('answered 503'),
    });
  });

  it('tags that lead to another host', async () => {
    registry.instead = (exchange) => {
      exchange.json(200, { tags: ['1.0.0'] }, { link: '<http://127.0.0.1:1/v2/x>; rel="next"' });
      return true;
    };
    await expect(fetch({ semver: '*' })).rejects.toThrow('leads to another host for its tags');
  });

  it.each<[string, Buffer, RegExp]>([
    [
      'a bomb',
      gzipSync(Buffer.concat([tarEntry({ path: 'b', type: 'File' }, Buffer.alloc(3_000_000)), TAR_END])),
      /more than the/,
    ],
    [
      'a link outside',
      gzipSync(Buffer.concat([tarEntry({ path: 'l', type: 'SymbolicLink', linkpath: '/etc' }), TAR_END])),
      /leads out of the source/,
    ],
    ['a path outside', tarGzip({ '../../x': '1' }), /leads outside/],
    ['a page', Buffer.from('<html></html>'), /is no whole tar archive/],
  ])('an archive that is %s', async (what, bytes, message) => {
    push(what.replaceAll(' ', '-'), [LAYER, bytes]);
    await expect(bad(what.replaceAll(' ', '-'))).rejects.toMatchObject({
      retry: 'terminal',
      message: expect.stringMatching(message),
    });
  });

  it('a layer that is too large, by its manifest', async () => {
    push('large', [LAYER, Buffer.alloc(5000)]);
    await expect(bad('large', fetcherOf(1000))).rejects.toThrow(
      'a layer of 5000 bytes is more than the 1000 that are allowed',
    );
  });
});
