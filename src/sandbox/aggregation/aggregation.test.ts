import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../../apps/node-clock.ts';
import { type Client, clientOf } from '../client.fixture.ts';
import { skipReason, type Tools, toolPath, toolsFor } from '../kubectl.fixture.ts';
import { type Sandbox, startSandbox } from '../start-sandbox.ts';

const GROUP = 'fruit.example.com';
const NAMED = `/apis/${GROUP}/v1/namespaces/default/apples/red`;
const LIST = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [
    {
      name: 'apples',
      singularName: 'apple',
      namespaced: true,
      kind: 'Apple',
      verbs: ['get', 'list'],
      shortNames: ['ap'],
    },
    { name: 'apples/peel', singularName: '', namespaced: true, kind: 'Peel', verbs: ['get'] },
  ],
};

/** Tells what it was asked, and who showed which certificate. */
function fruit(request: IncomingMessage, response: ServerResponse): void {
  const { url = '', method, headers } = request;
  const socket = request.socket as TLSSocket; // The sandbox listens with TLS for it.
  if (url.endsWith('/apples/slow')) {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"type":"ADDED"}\n');
    return;
  }
  const extra = Object.entries(headers).filter(([name]) => name.startsWith('x-remote-extra-'));
  let text = '';
  request.on('data', (chunk) => {
    text += String(chunk);
  });
  request.on('end', () => {
    const told = {
      kind: 'Apple',
      apiVersion: `${GROUP}/v1`,
      metadata: { name: 'red', namespace: 'default' },
      method,
      url,
      text,
      shown: socket.getPeerCertificate().subject?.CN,
      user: headers['x-remote-user'],
      uid: headers['x-remote-uid'],
      groups: request.headersDistinct['x-remote-group'],
      extra: Object.fromEntries(extra),
      authorization: headers.authorization,
      impersonate: headers['impersonate-user'],
    };
    response.writeHead(method === 'POST' ? 202 : 200, { 'content-type': 'application/json', 'x-own': 'yes' });
    response.end(JSON.stringify(url === `/apis/${GROUP}/v1` ? LIST : told));
  });
}

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({
    clock: nodeClock,
    token: 'token-of-the-test',
    aggregated: [
      { group: GROUP, version: 'v1', server: { handle: fruit } },
      // Nobody listens there.
      { group: 'gone.example.com', version: 'v1', server: { url: 'https://127.0.0.1:1', authority: '' } },
    ],
  });
  client = clientOf(sandbox);
});
afterAll(() => sandbox.close());

async function available(name: string): Promise<unknown> {
  const { json } = await client.call('GET', `/apis/apiregistration.k8s.io/v1/apiservices/${name}`);
  const { status } = json() as unknown as {
    status: { conditions: { type: string; status: string; reason: string }[] };
  };
  return status.conditions.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
}

describe('a group that another server serves', () => {
  it('gets requests as they are, in the name of the user, over the certificate of the front proxy', async () => {
    const reply = await client.call('POST', `${NAMED}?dryRun=All&x=a%20b`, { a: 1 }, { 'x-remote-user': 'liar' });
    expect([reply.code, reply.headers['x-own']]).toEqual([202, 'yes']);
    expect(reply.json()).toMatchObject({
      method: 'POST',
      url: `${NAMED}?dryRun=All&x=a%20b`,
      text: '{"a":1}',
      shown: 'front-proxy-client',
      user: 'convoy-sandbox',
      groups: ['system:masters', 'system:authenticated'],
      extra: {},
    });
    expect(reply.json()).not.toHaveProperty('authorization');
  });

  it('is told who is impersonated, with uid, groups and extra data, and not that somebody was', async () => {
    const headers = {
      'impersonate-user': 'ada',
      'impersonate-group': 'readers, and writers',
      'impersonate-uid': '7',
      'impersonate-extra-example.com%2Fteam': 'blue',
    };
    const told = (await client.call('GET', NAMED, undefined, headers)).json();
    expect(told).toMatchObject({
      user: 'ada',
      uid: '7',
      groups: ['readers, and writers', 'system:authenticated'],
      extra: { 'x-remote-extra-example.com%2fteam': 'blue' },
    });
    expect(told).not.toHaveProperty('impersonate');
  });

  it('is not asked what the user may not do', async () => {
    sandbox.setAuthoriser((user, { group }) => (user.name === 'ada' && group === GROUP ? { reason: '' } : 'allowed'));
    const reply = await client.call('GET', NAMED, undefined, { 'impersonate-user': 'ada' });
    sandbox.setAuthoriser(() => 'allowed');
    expect([reply.code, reply.json()['message']]).toEqual([
      403,
      `apples.${GROUP} "red" is forbidden: User "ada" cannot get resource "apples" in API group "${GROUP}" in the namespace "default"`,
    ]);
  });

  it('streams its answers, and hears when the client leaves', async () => {
    const events = client.watch(`/apis/${GROUP}/v1/namespaces/default/apples/slow`);
    expect((await events.next()).value).toEqual({ type: 'ADDED' });
    await events.return(undefined);
  });

  it('is found by discovery of both forms', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items }: { items?: unknown } = (await client.call('GET', '/apis', undefined, { accept })).json();
    expect(items).toContainEqual({
      metadata: { name: GROUP, creationTimestamp: null },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'apples',
              responseKind: { group: GROUP, version: 'v1', kind: 'Apple' },
              scope: 'Namespaced',
              singularResource: 'apple',
              verbs: ['get', 'list'],
              shortNames: ['ap'],
              subresources: [
                { subresource: 'peel', responseKind: { group: GROUP, version: 'v1', kind: 'Peel' }, verbs: ['get'] },
              ],
            },
          ],
        },
      ],
    });
    const groups = (await client.call('GET', '/apis')).json()['groups'] as unknown as { name: string }[];
    expect(groups.map(({ name }) => name)).toContain(GROUP);
    expect((await client.call('GET', `/apis/${GROUP}`)).json()).toMatchObject({ kind: 'APIGroup', name: GROUP });
    expect((await client.call('GET', `/apis/${GROUP}/v1`)).json()).toEqual(LIST);
  });

  it('is an APIService that says it is available; our own are local', async () => {
    expect(await available(`v1.${GROUP}`)).toEqual(['Available=True Passed']);
    expect(await available('v1.apps')).toEqual(['Available=True Local']);
    expect(await available('v1.')).toEqual(['Available=True Local']);
  });

  it('finds the authorities and the names of headers where it looks for them', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const { data } = (await client.call('GET', path)).json() as unknown as { data: Record<string, string> };
    expect(data['requestheader-client-ca-file']).toContain('BEGIN CERTIFICATE');
    expect(data['client-ca-file']).toContain('BEGIN CERTIFICATE');
    expect(data['requestheader-allowed-names']).toBe('["front-proxy-client"]');
    expect(data['requestheader-username-headers']).toBe('["X-Remote-User"]');
  });
});

describe('a group whose server is not there', () => {
  it('is 503, and all others are served', async () => {
    const reply = await client.call('GET', '/apis/gone.example.com/v1/things');
    expect([reply.code, reply.text]).toEqual([503, 'service unavailable\n']);
    expect((await client.call('GET', '/api/v1/namespaces')).code).toBe(200);
    expect((await client.call('GET', NAMED)).code).toBe(200);
    expect(await available('v1.gone.example.com')).toEqual(['Available=False FailedDiscoveryCheck']);
  });

  it('is listed, without resources and as stale', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items }: { items?: unknown } = (await client.call('GET', '/apis', undefined, { accept })).json();
    const versions = [{ version: 'v1', freshness: 'Stale', resources: [] }];
    expect(items).toContainEqual({ metadata: { name: 'gone.example.com', creationTimestamp: null }, versions });
  });
});

describe('a server that hangs', () => {
  it('holds up nobody but those who ask for its group, and is served as soon as it answers', async () => {
    const waiting = new Set<ServerResponse>();
    let answers = false;
    let askedAgain = (): void => {};
    const again = new Promise<void>((resolve) => {
      askedAgain = resolve;
    });
    let count = 0;
    const hang = (_: IncomingMessage, response: ServerResponse): void => {
      waiting.add(response.on('close', () => waiting.delete(response)));
      count += 1;
      if (count === 2) askedAgain();
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(LIST));
    };
    const other = await startSandbox({
      clock: nodeClock,
      token: 'other',
      aggregated: [{ group: 'slow.example.com', version: 'v1', server: { handle: hang } }],
    });
    const asked = clientOf(other);
    expect((await asked.call('GET', '/apis')).text).toContain('slow.example.com');
    // It is asked again, and discovery did not wait for that.
    await again;
    expect(waiting.size).toBeGreaterThan(0);
    answers = true;
    for (const response of waiting) response.writeHead(500).end();
    await asked.call('GET', '/apis/slow.example.com/v1');
    expect((await asked.call('GET', '/apis/slow.example.com/v1')).json()).toEqual(LIST);
    await other.close();
  });
});

describe('an APIService that a user makes', () => {
  const service = (spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'nuts' }, spec });
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.nuts.example.com' },
    spec: {
      group: 'nuts.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'nuts', port: 1 },
    },
  };

  it('waits for its Service, finds a server by an external name alone, and goes with it', async () => {
    await client.call('POST', '/apis/apiregistration.k8s.io/v1/apiservices', apiService);
    expect(await available('v1.nuts.example.com')).toEqual(['Available=False ServiceNotFound']);
    const services = '/api/v1/namespaces/default/services';
    await client.call('POST', services, service({ ports: [{ port: 1 }] }));
    expect(await available('v1.nuts.example.com')).toEqual(['Available=False MissingEndpoints']);
    await client.call('DELETE', `${services}/nuts`);
    expect(await available('v1.nuts.example.com')).toEqual(['Available=False ServiceNotFound']);
    expect((await client.call('GET', '/apis/nuts.example.com/v1')).code).toBe(503);
    await client.call('DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1.nuts.example.com');
    expect((await client.call('GET', '/apis/nuts.example.com/v1')).code).toBe(404);
  });
});

describe('a server that shows another certificate, or none', () => {
  it('is not available', async () => {
    const plain = createServer(fruit);
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const address = plain.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = `https://127.0.0.1:${port}`;
    const other = await startSandbox({
      clock: nodeClock,
      token: 'other',
      aggregated: [
        { group: 'plain.example.com', version: 'v1', server: { url, authority: sandbox.authority } },
        // Another sandbox: its certificate is fine, but it is not asked in the name that it knows.
        { group: 'apps', version: 'v9', server: { url: sandbox.url, authority: sandbox.authority } },
      ],
    });
    const asked = clientOf(other);
    expect((await asked.call('GET', '/apis/plain.example.com/v1')).code).toBe(503);
    expect((await asked.call('GET', '/apis/apps/v9')).code).toBe(503);
    expect((await asked.call('GET', '/apis/apps/v1')).code).toBe(200);
    await other.close();
    plain.close();
  });
});

const here = toolPath('kubectl') !== undefined;
if (!here) console.log(`kubectl through the sandbox: skipped, ${skipReason('kubectl')}`);

describe.skipIf(!here)('kubectl', () => {
  let tools: Tools;
  beforeAll(() => {
    tools = toolsFor(sandbox.kubeconfig);
  });
  afterAll(() => tools.remove());

  it('gets through to an aggregated server, by path and by short name', async () => {
    expect(JSON.parse(await tools.kubectl(`get --raw ${NAMED}`))).toMatchObject({ user: 'convoy-sandbox' });
    expect(await tools.kubectl('get ap red -o jsonpath={.user} --as=ada')).toBe('ada');
    expect(await tools.kubectl('api-resources --api-group=fruit.example.com -o name')).toBe(`apples.${GROUP}\n`);
    const services = await tools.kubectl('get apiservices --no-headers');
    expect(services).toMatch(/^v1\.apps +Local +True /m);
    expect(services).toMatch(/^v1\.gone\.example\.com +\S+ +False \(FailedDiscoveryCheck\) /m);
  });

  it('gets a token of a ServiceAccount, and is told all that one may do', async () => {
    const token = (await tools.kubectl('create token default --duration=10m')).trim();
    const review = await clientOf(sandbox, token).call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(review.json()).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:default' } },
    });
    expect((await tools.run('kubectl', ['create', 'token', 'default', '--duration=1m'])).err).toContain('10 minutes');
    expect(await tools.kubectl('auth can-i --list --no-headers')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]/m);
  });

  it('sees who it is, and as whom it acts', async () => {
    expect(await tools.kubectl('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('convoy-sandbox');
    const as = '--as=ada --as-group=readers --as-uid=7';
    expect(await tools.kubectl(`auth whoami -o jsonpath={.status.userInfo} ${as}`)).toBe(
      '{"groups":["readers","system:authenticated"],"uid":"7","username":"ada"}',
    );
  });
});
