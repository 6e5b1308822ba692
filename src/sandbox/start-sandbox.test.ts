import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../apps/node-clock.ts';
import { configMap } from './api/object-api.fixture.ts';
import { type Client, clientOf } from './client.fixture.ts';
import { type Sandbox, startSandbox } from './start-sandbox.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  client = clientOf(sandbox);
});
afterAll(() => sandbox.close());

async function take(events: ReturnType<Client['watch']>, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of events) {
    const metadata: { name?: string; annotations?: object } = object['metadata'] ?? {};
    seen.push(
      [type, metadata.name, metadata.annotations && Object.keys(metadata.annotations).join()].filter(Boolean).join(' '),
    );
    if (seen.length === count) break;
  }
  return seen;
}

describe('a request', () => {
  it('without the token is refused', async () => {
    const { code, json } = await clientOf(sandbox, 'wrong').call('GET', '/api');
    expect([code, json()['reason']]).toEqual([401, 'Unauthorized']);
  });

  it.each([
    ['GET', '/apis/none/v1', 404, 'NotFound'],
    ['GET', '/api/v1/pods/x', 404, 'NotFound'],
    ['GET', `${MAPS}/x/status`, 404, 'NotFound'],
    ['GET', `${MAPS}?labelSelector=a%20b`, 400, 'BadRequest'],
    ['GET', `${MAPS}?fieldSelector=data.x%3D1`, 400, 'BadRequest'],
    ['GET', `${MAPS}?watch=1&sendInitialEvents=true`, 422, 'Invalid'],
    ['POST', `${MAPS}/x`, 405, 'MethodNotAllowed'],
  ])('%s %s is answered with %i', async (method, path, code, reason) => {
    const reply = await client.call(method, path);
    expect([reply.code, reply.json()['reason']]).toEqual([code, reason]);
  });

  it('whose path begins with slashes is about that path', async () => {
    const { code, json } = await client.call('GET', '//example.test/api');
    expect([code, json()['reason']]).toEqual([404, 'NotFound']);
    expect((await client.call('GET', '//')).code).toBe(200);
    expect((await client.call('GET', '//api')).json()['kind']).toBe('APIVersions');
  });

  it('with fields of any name gets warnings that can be sent', async () => {
    const object = { metadata: { name: 'odd' }, 'na\u00efve\n日本': 1 };
    const { code, headers } = await client.call('POST', MAPS, object);
    expect(code).toBe(201);
    const text = Buffer.from(String(headers['warning']), 'latin1').toString();
    expect(text).toBe('299 - "unknown field \\"na\u00efve 日本\\""');
  });

  it('that is no JSON, or too long, or protobuf of no kind that is known is refused', async () => {
    expect((await client.call('POST', MAPS, '{')).code).toBe(400);
    expect((await client.call('POST', MAPS, 'x'.repeat(3 * 1024 * 1024 + 1))).code).toBe(413);
    const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    expect((await client.call('POST', MAPS, 'k8s\0\n\x0b\n\x02v1\x12\x05Other', protobuf)).code).toBe(415);
    expect((await client.call('POST', MAPS, 'nonsense', protobuf)).code).toBe(400);
    expect((await client.call('GET', MAPS, undefined, { accept: 'application/vnd.kubernetes.protobuf' })).code).toBe(
      406,
    );
  });
});

describe('discovery', () => {
  it('serves the aggregated and the older form of the same kinds', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const aggregated = await client.call('GET', '/apis', undefined, { accept });
    expect(aggregated.headers['content-type']).toContain('as=APIGroupDiscoveryList');
    const { items }: { items: { metadata: { name: string } }[] } = aggregated.json() as never;
    const { groups }: { groups: { name: string }[] } = (await client.call('GET', '/apis')).json() as never;
    expect(items.map(({ metadata }) => metadata.name)).toEqual(groups.map(({ name }) => name));
    const { resources }: { resources: { name: string }[] } = (
      await client.call('GET', '/apis/apps/v1')
    ).json() as never;
    expect(resources.map(({ name }) => name)).toContain('deployments/scale');
  });
});

describe('an access review', () => {
  it.each(['selfsubjectaccessreviews', 'subjectaccessreviews'])('of %s allows everything', async (resource) => {
    const spec = { user: 'somebody', resourceAttributes: { verb: 'delete', resource: 'pods' } };
    const reply = await client.call('POST', `/apis/authorization.k8s.io/v1/${resource}`, { spec });
    expect([reply.code, reply.json()]).toMatchObject([201, { spec, status: { allowed: true } }]);
  });
});

describe('a watch', () => {
  it('behind a list tells what came after it, and what leaves the selection as deleted', async () => {
    const { metadata }: { metadata: { resourceVersion: string } } = (await client.call('GET', MAPS)).json() as never;
    await client.call('POST', MAPS, configMap('w1', {}, { labels: { on: 'yes' } }));
    await client.call('POST', MAPS, configMap('w2'));
    await client.call('PUT', `${MAPS}/w1`, configMap('w1', {}, { labels: { on: 'no' } }));
    const path = `${MAPS}?watch=1&labelSelector=on%3Dyes&resourceVersion=${metadata.resourceVersion}`;
    expect(await take(client.watch(path), 2)).toEqual(['ADDED w1', 'DELETED w1']);
    await client.call('DELETE', `${MAPS}?labelSelector=on`);
    await client.call('DELETE', `${MAPS}/w2`);
  });

  it('as a streaming list sends what is there, the bookmark, then what happens', async () => {
    await client.call('POST', MAPS, configMap('s1'));
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = client.watch(`${MAPS}?${query}&fieldSelector=metadata.name%3Ds1`);
    const first = [(await events.next()).value, (await events.next()).value];
    expect(first).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 's1' } } },
      { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    ]);
    await client.call('PATCH', `${MAPS}/s1`, { data: { x: '1' } }, { 'content-type': 'application/merge-patch+json' });
    expect(await take(events, 1)).toEqual(['MODIFIED s1']);
    await client.call('DELETE', `${MAPS}/s1`);
  });

  it('from a forgotten revision gets 410 as an event, and ends', async () => {
    await client.call('POST', MAPS, configMap('e1'));
    sandbox.api.store.compact();
    const seen = [];
    for await (const event of client.watch(`${MAPS}?watch=1&resourceVersion=1`)) seen.push(event);
    expect(seen).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  });

  it('ends when its time is over', async () => {
    const seen = [];
    for await (const event of client.watch(`${MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dx`))
      seen.push(event);
    expect(seen).toEqual([]);
  });
});

describe('a fault', () => {
  it('refuses with a time to wait', async () => {
    sandbox.setFault(({ method }) =>
      method === 'GET' ? { kind: 'status', reason: 'TooManyRequests', retryAfter: 3 } : undefined,
    );
    const { code, headers } = await client.call('GET', MAPS);
    sandbox.setFault(() => undefined);
    expect([code, headers['retry-after']]).toEqual([429, '3']);
  });

  it('loses the connection before or within an answer', async () => {
    sandbox.setFault(() => ({ kind: 'drop' }));
    await expect(client.call('GET', MAPS)).rejects.toThrow('socket hang up');
    sandbox.setFault(() => ({ kind: 'cut', bytes: 10 }));
    await expect(client.call('GET', MAPS)).rejects.toThrow('aborted');
    sandbox.setFault(() => undefined);
    expect((await client.call('GET', MAPS)).code).toBe(200);
  });
});
