import { request as requestTls } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { API_VERSION, readInventory, readRelease } from '../../core/api/index.ts';
import { asMap, type JsonMap } from '../../core/object/fields.ts';
import { makeAuthority, makeClientCertificate, makeServerCertificate } from '../../runtime/certificates/certificate.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { AccessReviews } from './access-reviews.ts';
import { readFrontProxy } from './front-proxy.ts';
import { type AggregatedServer, serveAggregatedApi } from './serve.ts';

const ROOT = '/apis/subresources.convoy.kumodo.io/v1alpha1';
const WEB = `${ROOT}/namespaces/shop/releases/web`;
const UID = '0f3a9b7c-1111-4222-8333-444455556666';

const NOW = Date.now();
const validity = { from: NOW - 60_000, to: NOW + 3_600_000 };
const authority = makeAuthority('test CA', validity);
const serving = makeServerCertificate(authority, ['localhost'], validity);
const proxyAuthority = makeAuthority('front proxy CA', validity);
const proxyClient = makeClientCertificate(proxyAuthority, 'front-proxy-client', validity);
const otherClient = makeClientCertificate(proxyAuthority, 'somebody', validity);
const foreignClient = makeClientCertificate(authority, 'front-proxy-client', validity);

const FRONT_PROXY = readFrontProxy({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data: {
    'requestheader-client-ca-file': proxyAuthority.certificate,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  },
});

function value<Type>(read: { readonly value: Type } | { readonly problem: string }): Type {
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

const release = value(
  readRelease({
    apiVersion: API_VERSION,
    kind: 'Release',
    metadata: { namespace: 'shop', name: 'web', uid: UID, creationTimestamp: '2026-03-02T10:00:00Z' },
    spec: { source: { inline: { manifests: '' } }, healthAssessment: {} },
    status: {
      lastAttempted: {
        renderRef: 'sha256:1',
        revision: '1',
        time: '2026-03-02T10:00:00Z',
        attempt: 1,
        total: 2,
        phase: 'Waves',
      },
    },
  }),
);
const page = value(
  readInventory({
    apiVersion: API_VERSION,
    kind: 'ReleaseInventory',
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      release: 'web',
      page: 1,
      entries: [
        {
          kind: 'ConfigMap',
          name: 'a',
          namespace: 'shop',
          version: 'v1',
          resource: 'configmaps',
          renderRef: 'sha256:1',
          state: 'Healthy',
          reason: 'NoRule',
        },
        {
          group: 'apps',
          kind: 'Deployment',
          name: 'web',
          namespace: 'shop',
          version: 'v1',
          resource: 'deployments',
          wave: 1,
          renderRef: 'sha256:1',
          state: 'Degraded',
          reason: 'DeadlineExceeded',
          message: '0/1 replicas ready',
          stateSince: '2026-03-02T10:01:00Z',
          firstUnhealthy: '2026-03-02T10:00:30Z',
          assessedRenderRef: 'sha256:1',
        },
        {
          group: 'batch',
          kind: 'Job',
          name: 'migrate',
          namespace: 'shop',
          version: 'v1',
          resource: 'jobs',
          hook: 'preSync',
        },
      ],
    },
  }),
);

let server: AggregatedServer;
let reviews: JsonMap[] = [];
let answer: JsonMap = { allowed: true };
let synced = true;
const syncs: string[] = [];
const clock = new FakeClock();

beforeAll(async () => {
  server = await serveAggregatedApi({
    host: '127.0.0.1',
    port: 0,
    reviews: new AccessReviews(
      {
        raw: async (_method, _path, body) => {
          reviews.push(asMap(asMap(body)['spec']));
          return { status: answer };
        },
      },
      clock,
    ),
    releases: {
      get synced() {
        return synced;
      },
      release: (namespace, name) => (namespace === 'shop' && name === 'web' ? release : undefined),
      inventories: () => [page],
    },
    requestSync: async ({ metadata }, reason) => void syncs.push(`${metadata.namespace}/${metadata.name} ${reason}`),
  });
  server.show(serving);
  server.trust(FRONT_PROXY);
});
afterAll(() => server.close());
beforeEach(async () => {
  reviews = [];
  answer = { allowed: true };
  synced = true;
  // Answers of the test before count no more.
  await clock.advance(10_000);
});

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly client?: { readonly certificate: string; readonly key: string } | null;
}

const USER = { 'x-remote-user': 'anna', 'x-remote-group': ['team-a', 'system:authenticated'] };

function send(path: string, { method = 'GET', body, headers = USER, client = proxyClient }: Sent = {}) {
  return new Promise<{ readonly code: number; readonly body: JsonMap }>((resolve, reject) => {
    const shown = client === null ? {} : { cert: client.certificate, key: client.key };
    const sent = requestTls(
      {
        host: '127.0.0.1',
        port: server.port,
        servername: 'localhost',
        path,
        method,
        headers,
        agent: false,
        ca: authority.certificate,
        ...shown,
      },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ code: response.statusCode ?? 0, body: asMap(JSON.parse(text)) });
      },
    );
    sent.on('error', reject).end(body);
  });
}

describe('who asks', () => {
  it('is whom the front proxy names, with groups, uid and extra data, and the API server is asked whether they may', async () => {
    const headers = { ...USER, 'x-remote-uid': '7', 'x-remote-extra-example.com%2fscope': ['a', 'b'] };
    expect((await send(`${WEB}/health`, { headers })).code).toBe(200);
    expect(reviews).toEqual([
      {
        user: 'anna',
        uid: '7',
        groups: ['team-a', 'system:authenticated'],
        extra: { 'example.com/scope': ['a', 'b'] },
        resourceAttributes: {
          group: 'subresources.convoy.kumodo.io',
          version: 'v1alpha1',
          resource: 'releases',
          subresource: 'health',
          verb: 'get',
          namespace: 'shop',
          name: 'web',
        },
      },
    ]);
  });

  it.each([
    ['without a certificate', { client: null }],
    ['with a certificate of another name', { client: otherClient }],
    ['with a certificate of another authority', { client: foreignClient }],
    ['without a user', { headers: {} }],
  ])('%s does not get in, and the API server is not asked', async (_, sent) => {
    for (const path of [`${WEB}/health`, ROOT, '/apis']) {
      const { code, body } = await send(path, sent);
      expect([code, body['kind'], body['reason']]).toEqual([401, 'Status', 'Unauthorized']);
    }
    expect(reviews).toEqual([]);
  });

  it('is refused with the reason of the API server', async () => {
    answer = { allowed: false, reason: 'no rule' };
    const { code, body } = await send(`${WEB}/sync`, { method: 'POST' });
    expect([code, body['reason']]).toEqual([403, 'Forbidden']);
    expect(body['message']).toContain('User "anna" cannot create resource "releases/sync" in API group');
    expect(body['message']).toMatch(/in the namespace "shop": no rule$/);
  });

  it('is asked about once in five seconds', async () => {
    for (let count = 0; count < 3; count += 1) await send(`${WEB}/health`);
    expect(reviews).toHaveLength(1);
    await clock.advance(5_000);
    await send(`${WEB}/health`);
    expect(reviews).toHaveLength(2);
    await send(`${WEB}/health`, { headers: { 'x-remote-user': 'bert' } });
    expect(reviews).toHaveLength(3);
  });
});

describe('/health', () => {
  it('tells what the inventory says, worst first, hooks in no count', async () => {
    const { body } = await send(`${WEB}/health`);
    expect(body).toMatchObject({
      kind: 'ReleaseHealth',
      metadata: { namespace: 'shop', name: 'web' },
      renderRef: 'sha256:1',
      summary: { total: 2, healthy: 1, progressing: 0, degraded: 1, unknown: 0 },
      resources: [
        {
          group: 'apps',
          kind: 'Deployment',
          name: 'web',
          state: 'Degraded',
          reason: 'DeadlineExceeded',
          message: '0/1 replicas ready',
          firstUnhealthy: '2026-03-02T10:00:30Z',
          assessedRenderRef: 'sha256:1',
        },
        { kind: 'Job', hook: 'preSync', state: 'Unknown', reason: 'NotApplied' },
        { kind: 'ConfigMap', state: 'Healthy' },
      ],
    });
  });

  it('is a table for kubectl', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await send(`${WEB}/health?state=Degraded`, { headers: { ...USER, accept } });
    expect(body).toMatchObject({
      kind: 'Table',
      columnDefinitions: [
        { name: 'Kind' },
        { name: 'Namespace' },
        { name: 'Name' },
        { name: 'State' },
        { name: 'Since' },
        { name: 'Message' },
      ],
      rows: [{ cells: ['Deployment', 'shop', 'web', 'Degraded', '2026-03-02T10:01:00Z', '0/1 replicas ready'] }],
    });
  });

  it('is filtered by a state, and by none that there is not', async () => {
    const { body } = await send(`${WEB}/health?state=Healthy`);
    expect((body['resources'] as JsonMap[]).map(({ name }) => name)).toEqual(['a']);
    const { code, body: told } = await send(`${WEB}/health?state=Sick`);
    expect([code, told['message']]).toEqual([
      400,
      'state is "Sick": write one of Degraded, Unknown, Progressing, Healthy',
    ]);
  });

  it('of a Release that is not there is not found, or not known yet', async () => {
    const path = `${ROOT}/namespaces/shop/releases/other/health`;
    expect((await send(path)).code).toBe(404);
    synced = false;
    expect((await send(path)).code).toBe(503);
  });
});

describe('/sync', () => {
  it.each([
    [undefined, 'Manual'],
    ['', 'Manual'],
    ['{}', 'Manual'],
    ['{"reason":"Drift"}', 'Drift'],
  ])('with the body %j asks for a reconcile', async (body, reason) => {
    syncs.length = 0;
    const reply = await send(`${WEB}/sync`, { method: 'POST', ...(body === undefined ? {} : { body }) });
    expect([reply.code, reply.body['status']]).toEqual([202, 'Success']);
    expect(syncs).toEqual([`shop/web ${reason}`]);
  });

  it.each([
    ['{"reason":"Because"}', 400, /reason is "Because": write one of Observed, Drift, Manual, Retry/],
    ['{"raeson":"Drift"}', 400, /a field raeson/],
    ['[]', 400, /no JSON object/],
    ['{', 400, /no JSON object/],
    [`{"reason":"${'x'.repeat(5_000)}"}`, 413, /longer than 4096 bytes/],
  ])('with a body that it does not understand is refused', async (body, code, message) => {
    syncs.length = 0;
    const reply = await send(`${WEB}/sync`, { method: 'POST', body });
    expect([reply.code, reply.body['kind']]).toEqual([code, 'Status']);
    expect(reply.body['message']).toMatch(message);
    expect(syncs).toEqual([]);
  });
});

describe('the group', () => {
  it('lists two names, and nothing that can be listed or deleted', async () => {
    const { body } = await send(ROOT);
    const resources = body['resources'] as JsonMap[];
    expect(resources.map(({ name, verbs }) => [name, verbs])).toEqual([
      ['releases/health', ['get']],
      ['releases/sync', ['create']],
    ]);
    expect((await send('/apis')).body['kind']).toBe('APIGroupList');
    expect((await send('/apis/subresources.convoy.kumodo.io')).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { version: 'v1alpha1' },
    });
  });

  it('takes names as long as those of a Release may be', async () => {
    expect((await send(`${ROOT}/namespaces/shop/releases/${'a'.repeat(200)}/health`)).body['reason']).toBe('NotFound');
  });

  it.each([
    ['DELETE', `${WEB}/health`, 405, 'MethodNotAllowed'],
    ['GET', `${WEB}/sync`, 405, 'MethodNotAllowed'],
    ['GET', WEB, 404, 'NotFound'],
    ['GET', `${ROOT}/namespaces/shop/releases`, 404, 'NotFound'],
    ['GET', `${WEB}/%ff`, 400, 'BadRequest'],
  ])('answers %s %s with a Status', async (method, path, code, reason) => {
    const reply = await send(path, { method });
    expect([reply.code, reply.body['kind'], reply.body['reason']]).toEqual([code, 'Status', reason]);
  });
});

describe('a certificate', () => {
  it('that is renewed is shown to the next connection, and a front proxy of another authority is believed no more', async () => {
    server.show(makeServerCertificate(authority, ['localhost'], validity));
    expect((await send(ROOT)).code).toBe(200);
    server.trust(undefined);
    expect((await send(ROOT)).code).toBe(401);
    server.trust(FRONT_PROXY);
    expect((await send(ROOT)).code).toBe(200);
  });
});
