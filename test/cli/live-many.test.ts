import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { catalogue } from '../../src/catalogue/index.ts';
import { prepareJudge } from '../../src/cli/prepare-judge.ts';
import { certificates } from '../../src/testing/http-server/certificates.ts';
import { type Exchange, startHttpServer } from '../../src/testing/http-server/http-server.ts';
import { run } from './memory-io.ts';

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function discovery(items: readonly unknown[]): unknown {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function resource(name: string, kind: string) {
  const responseKind = { group: '', version: '', kind };
  return {
    resource: name,
    responseKind,
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['get', 'list', 'watch'],
  };
}

const CORE = discovery([
  {
    metadata: {},
    versions: [
      {
        version: 'v1',
        freshness: 'Current',
        resources: [resource('configmaps', 'ConfigMap'), resource('pods', 'Pod')],
      },
    ],
  },
]);
/** One group whose server is away, as the API server tells it. */
const GROUPS = discovery([
  { metadata: { name: 'metrics.example.com' }, versions: [{ version: 'v1', freshness: 'Stale', resources: [] }] },
]);

type Page = (from: number, limit: number) => { readonly items: readonly unknown[]; readonly more: boolean };

/** A cluster that serves ConfigMaps and Pods, page by page. */
async function cluster(pageOf: Page) {
  const handle = (exchange: Exchange): void => {
    const { pathname, searchParams } = new URL(exchange.path, 'https://server');
    if (pathname === '/api' || pathname === '/apis') {
      const headers = { 'content-type': DISCOVERY };
      exchange.json(200, pathname === '/api' ? CORE : GROUPS, headers);
      return;
    }
    const kind = pathname.endsWith('/pods') ? 'Pod' : 'ConfigMap';
    const from = Number(searchParams.get('continue') ?? 0);
    const limit = Number(searchParams.get('limit') ?? 1e9);
    const { items, more } = kind === 'Pod' ? pageOf(from, limit) : { items: [], more: false };
    const metadata = { resourceVersion: '1', continue: more ? String(from + limit) : '' };
    exchange.json(200, { kind: `${kind}List`, apiVersion: 'v1', metadata, items });
  };
  const server = await startHttpServer({ handle });
  const folder = mkdtempSync(join(tmpdir(), 'convoy-many-'));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'kubeconfig');
  const authority = Buffer.from(certificates.authority).toString('base64');
  const entry = { server: server.url, 'certificate-authority-data': authority };
  const config = {
    'current-context': 'many',
    contexts: [{ name: 'many', context: { cluster: 'many', user: 'many' } }],
    clusters: [{ name: 'many', cluster: entry }],
    users: [{ name: 'many', user: { token: 'abc' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  const health = (...args: string[]) =>
    run(['health', ...args, '--kubeconfig', path], {
      prepareJudge: (documents) => prepareJudge(documents, catalogue()),
      connectCluster: connectByKubeconfig,
    });
  return { health, server };
}

function pod(name: string, namespace: string, more: object = {}): unknown {
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { metadata: { name, namespace, ...more }, spec: { containers: [] }, status: { phase: 'Running', conditions } };
}

describe('convoy health on a cluster with much in it', () => {
  it('judges 50,000 pods of all namespaces, page by page', async () => {
    const count = 50_000;
    const { health, server } = await cluster((from, limit) => ({
      items: Array.from({ length: Math.min(limit, count - from) }, (_, n) => pod(`p-${from + n}`, `n-${n % 50}`)),
      more: from + limit < count,
    }));
    const { code, out } = await health('pods', '-A');
    expect(out).toContain('50000 objects: 50000 healthy');
    expect(code).toBe(0);
    expect(server.requests.filter((one) => one.includes('/pods?'))).toHaveLength(100);
  }, 120_000);

  it('reads objects of 1.5 MB', async () => {
    const annotations = { large: 'x'.repeat(1_500_000) };
    const { health } = await cluster(() => ({
      items: ['a', 'b', 'c'].map((name) => pod(name, 'default', { annotations })),
      more: false,
    }));
    const { code, out } = await health('pods');
    expect(out).toContain('3 objects: 3 healthy');
    expect(code).toBe(0);
  });

  it('takes a name with every legal character as it is', async () => {
    const { health, server } = await cluster(() => ({ items: [], more: false }));
    await health('pod/system:a-b.c_d~e!$&()*+,;=@');
    expect(server.requests.at(-1)).toMatch(
      /^GET \/api\/v1\/namespaces\/default\/pods\/system%3Aa-b\.c_d~e!%24%26\(\)\*%2B%2C%3B%3D%40$/,
    );
  });

  it('lives with a group whose server is away, and names it where a kind is not found', async () => {
    const { health } = await cluster(() => ({ items: [pod('a', 'default')], more: false }));
    expect((await health('--all-kinds')).code).toBe(0);
    const { code, err } = await health('nodemetrics');
    expect(err).toMatch(/serves no "nodemetrics"; .*The API groups metrics\.example\.com do not answer at present\n$/);
    expect(code).toBe(2);
  });
});
