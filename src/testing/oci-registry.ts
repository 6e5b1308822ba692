import { createHash } from 'node:crypto';
import { type Exchange, startHttpServer, type TestHttpServer } from './http-server/http-server.ts';

export interface PushedLayer {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface TestRegistry {
  /** `oci://127.0.0.1:PORT` */
  readonly url: string;
  readonly server: TestHttpServer;
  /** `METHOD PATH AUTHORIZATION` of every request. */
  readonly requests: string[];
  /** Stores an artifact; returns its digest. */
  push(repository: string, tag: string, layers: readonly PushedLayer[]): string;
  /** Stores any manifest under a tag; returns its digest. */
  pushManifest(repository: string, tag: string, manifest: object): string;
  /** Replaces the bytes of a layer, whose digest stays. */
  spoil(digest: string, bytes: Buffer): void;
  /** `basic`: wants bob and hunter2; `token`: wants a token that its log-in gives to bob; `refresh`: to a refresh token. */
  login: 'none' | 'basic' | 'token' | 'refresh';
  /** Tags on one page. */
  pageSize: number;
  /** Answers some request instead. */
  instead: ((exchange: Exchange) => boolean) | undefined;
  close(): Promise<void>;
}

export const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

export function digestOf(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export const BASIC = `Basic ${Buffer.from('bob:hunter2').toString('base64')}`;

/** A registry in memory that speaks as much of the distribution protocol as reading needs. */
export async function startOciRegistry(): Promise<TestRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, string>();
  const tags = new Map<string, string[]>();

  const giveTags = (exchange: Exchange, repository: string, query: URLSearchParams): boolean => {
    const all = tags.get(repository);
    if (!all) return false;
    const from = Number(query.get('from') ?? 0);
    const page = all.slice(from, from + registry.pageSize);
    const next = from + page.length;
    const link = next < all.length ? { link: `</v2/${repository}/tags/list?from=${next}>; rel="next"` } : {};
    exchange.json(200, { name: repository, tags: page }, link);
    return true;
  };
  const giveManifest = (exchange: Exchange, repository: string, reference: string): boolean => {
    const text = manifests.get(`${repository}@${reference}`);
    if (text === undefined) return false;
    const value: unknown = JSON.parse(text);
    const type = (value as { mediaType?: string }).mediaType ?? MANIFEST;
    exchange.json(200, value, { 'content-type': type, 'docker-content-digest': digestOf(text) });
    return true;
  };
  const giveBlob = (exchange: Exchange, digest: string): boolean => {
    const bytes = blobs.get(digest);
    if (!bytes) return false;
    exchange.start();
    exchange.write(bytes);
    exchange.end();
    return true;
  };
  const logIn = (exchange: Exchange): void => {
    const known =
      registry.login === 'refresh'
        ? exchange.method === 'POST' && exchange.body.includes('refresh_token=long-lived')
        : exchange.headers['authorization'] === BASIC;
    exchange.json(known ? 200 : 401, known ? { token: 'pass' } : {});
  };
  const letIn = (exchange: Exchange): boolean => {
    const { authorization } = exchange.headers;
    if (registry.login === 'none' || authorization === (registry.login === 'basic' ? BASIC : 'Bearer pass'))
      return true;
    const token = `Bearer realm="${server.url}/token",service="registry",scope="repository:x:pull"`;
    exchange.json(401, {}, { 'www-authenticate': registry.login === 'basic' ? 'Basic realm="r"' : token });
    return false;
  };
  const server = await startHttpServer({
    protocol: 'plain',
    handle: (exchange) => {
      registry.requests.push(`${exchange.method} ${exchange.path} ${exchange.headers['authorization'] ?? '-'}`);
      if (registry.instead?.(exchange)) return;
      const { pathname, searchParams } = new URL(exchange.path, server.url);
      if (pathname === '/token') return logIn(exchange);
      if (!letIn(exchange)) return;
      const [, repository = '', kind, rest = ''] = /^\/v2\/(.+)\/(tags|manifests|blobs)\/(.+)$/.exec(pathname) ?? [];
      const given =
        (kind === 'tags' && giveTags(exchange, repository, searchParams)) ||
        (kind === 'manifests' && giveManifest(exchange, repository, rest)) ||
        (kind === 'blobs' && giveBlob(exchange, rest));
      if (!given) exchange.json(404, { errors: [{ code: 'UNKNOWN' }] });
    },
  });
  const registry: TestRegistry = {
    url: server.url.replace('http:', 'oci:'),
    server,
    requests: [],
    login: 'none',
    pageSize: 2,
    instead: undefined,
    push: (repository, tag, layers) => {
      const described = layers.map(({ mediaType, bytes }) => {
        blobs.set(digestOf(bytes), bytes);
        return { mediaType, digest: digestOf(bytes), size: bytes.length };
      });
      return registry.pushManifest(repository, tag, { schemaVersion: 2, mediaType: MANIFEST, layers: described });
    },
    pushManifest: (repository, tag, manifest) => {
      const text = JSON.stringify(manifest);
      const digest = digestOf(text);
      manifests.set(`${repository}@${tag}`, text).set(`${repository}@${digest}`, text);
      tags.set(repository, [...(tags.get(repository) ?? []), tag]);
      return digest;
    },
    spoil: (digest, bytes) => void blobs.set(digest, bytes),
    close: () => server.close(),
  };
  return registry;
}
