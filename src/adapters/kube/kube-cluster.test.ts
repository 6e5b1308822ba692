import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../../ports/errors.ts';
import type { Exchange, HttpServerOptions } from '../../testing/http-server/http-server.ts';
import { configFor, serve, TestClock, WHERE } from './client.fixture.ts';
import { connectCluster } from './kube-cluster.ts';

async function client(handle: HttpServerOptions['handle']) {
  const server = await serve({ handle });
  const clock = new TestClock();
  const cluster = connectCluster({ config: configFor(server.url), clock });
  onTestFinished(() => cluster.close());
  return { server, clock, cluster };
}

/** A client whose server answers every request with an empty object and keeps what it was asked. */
async function recorded() {
  const asked: Exchange[] = [];
  const { cluster } = await client((exchange) => {
    asked.push(exchange);
    exchange.json(200, { kind: 'Status', status: 'Success' });
  });
  const last = () => {
    const { method, path, headers, body } = asked.at(-1)!;
    return {
      asked: `${method} ${path}`,
      type: headers['content-type'],
      body: body === '' ? undefined : JSON.parse(body),
    };
  };
  return { cluster, last };
}

const PODS = { type: { group: '', version: 'v1', resource: 'pods' }, namespace: 'shop' };
const WEB = { ...PODS, name: 'web' };
const ROLE = { type: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' }, namespace: '' };

describe('a write', () => {
  it('is strict about fields unless it is told otherwise', async () => {
    const { cluster, last } = await recorded();
    await cluster.create(PODS, { kind: 'Pod' }, { dryRun: true, fieldManager: 'convoy' });
    expect(last()).toEqual({
      asked: 'POST /api/v1/namespaces/shop/pods?dryRun=All&fieldManager=convoy&fieldValidation=Strict',
      type: 'application/json',
      body: { kind: 'Pod' },
    });
    await cluster.update(WEB, { kind: 'Pod' }, { fieldValidation: 'Ignore', subresource: 'status' });
    expect(last().asked).toBe('PUT /api/v1/namespaces/shop/pods/web/status?fieldValidation=Ignore');
  });

  it('keeps integers beyond 2^53', async () => {
    const bodies: string[] = [];
    const { cluster } = await client((exchange) => {
      bodies.push(exchange.body);
      exchange.text(200, exchange.body);
    });
    expect(await cluster.update(WEB, { big: 9007199254740993n })).toEqual({ big: 9007199254740993n });
    expect(bodies).toEqual(['{"big":9007199254740993}']);
  });

  it.each([
    ['json', 'application/json-patch+json'],
    ['merge', 'application/merge-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const)('may be a %s patch', async (type, content) => {
    const { cluster, last } = await recorded();
    await cluster.patch(WEB, type, [1]);
    expect(last()).toEqual({
      asked: 'PATCH /api/v1/namespaces/shop/pods/web?fieldValidation=Strict',
      type: content,
      body: [1],
    });
  });

  it('may be an apply', async () => {
    const { cluster, last } = await recorded();
    await cluster.apply(WEB, { kind: 'Pod' }, { fieldManager: 'convoy', force: true });
    expect(last()).toEqual({
      asked: 'PATCH /api/v1/namespaces/shop/pods/web?fieldManager=convoy&fieldValidation=Strict&force=true',
      type: 'application/apply-patch+yaml',
      body: { kind: 'Pod' },
    });
  });

  it('may be an eviction, which is created below its pod', async () => {
    const { cluster, last } = await recorded();
    await cluster.create(PODS, { kind: 'Eviction', metadata: { name: 'web' } }, { subresource: 'eviction' });
    expect(last().asked).toBe('POST /api/v1/namespaces/shop/pods/web/eviction?fieldValidation=Strict');
  });

  it('may be a delete with preconditions and propagation', async () => {
    const { cluster, last } = await recorded();
    await cluster.delete(WEB, {
      propagation: 'Foreground',
      gracePeriodSeconds: 0,
      uid: 'u',
      resourceVersion: '7',
      dryRun: true,
    });
    expect(last()).toMatchObject({
      asked: 'DELETE /api/v1/namespaces/shop/pods/web',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u', resourceVersion: '7' },
        dryRun: ['All'],
      },
    });
    await cluster.deleteCollection(PODS, { labelSelector: 'a in (b,c)' });
    expect(last()).toMatchObject({
      asked: 'DELETE /api/v1/namespaces/shop/pods?labelSelector=a%20in%20(b%2Cc)',
      body: { apiVersion: 'v1', kind: 'DeleteOptions' },
    });
  });
});

describe('names', () => {
  it('may hold every legal character', async () => {
    const { cluster, last } = await recorded();
    await cluster.get({ ...ROLE, name: 'system:node ü?#&+;=@!$\'()*,"\\' });
    const [, path = ''] = last().asked.split(' ');
    expect(new URL(path, 'https://x').search).toBe('');
    expect(decodeURIComponent(path)).toBe(
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node ü?#&+;=@!$\'()*,"\\',
    );
  });

  it.each(['', '.', '..', 'a/b', 'a%2fb'])('that would lead elsewhere are refused: %j', async (name) => {
    const { cluster } = await recorded();
    await expect(async () => cluster.get({ ...PODS, name })).rejects.toThrow(ApiError);
  });
});

describe('a list', () => {
  it('is asked for by page and selector, and its items know their kind', async () => {
    const { cluster, server } = await client((exchange) =>
      exchange.json(200, {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '9', continue: 'next' },
        items: [{ metadata: { name: 'web' } }],
      }),
    );
    const options = {
      labelSelector: 'app=web',
      fieldSelector: 'spec.nodeName=a',
      limit: 500,
      continue: 'a+b',
      resourceVersion: '0',
    };
    expect(await cluster.list(PODS, { ...options, resourceVersionMatch: 'NotOlderThan' })).toEqual({
      items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }],
      resourceVersion: '9',
      continue: 'next',
    });
    expect(server.requests).toEqual([
      'GET /api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Da&limit=500&continue=a%2Bb&resourceVersion=0&resourceVersionMatch=NotOlderThan',
    ]);
  });

  it('may be of metadata alone', async () => {
    const { cluster } = await client((exchange) =>
      exchange.json(200, { items: [], accept: exchange.headers['accept'] }),
    );
    expect((await cluster.list(PODS, { as: 'metadata' })).items).toEqual([]);
  });

  it('is read without managed fields where nobody wants them, and with them otherwise', async () => {
    const items = [{ metadata: { managedFields: [{ manager: 'a' }], name: 'web' }, spec: { managedFields: [1] } }];
    const { cluster } = await client((exchange) => exchange.json(200, { kind: 'PodList', items, metadata: {} }));
    const bare = await cluster.list(PODS, { withoutManagedFields: true });
    expect(bare.items).toEqual([{ kind: 'Pod', metadata: { name: 'web' }, spec: { managedFields: [1] } }]);
    expect((await cluster.list(PODS)).items).toEqual([{ kind: 'Pod', ...items[0] }]);
  });

  it('of large objects leaves the process to others while it is read', async () => {
    const items = Array.from({ length: 40 }, (_, n) => ({
      metadata: { name: `pod-${n}` },
      data: 'x'.repeat(1_500_000),
    }));
    const { cluster, clock } = await client((exchange) => exchange.json(200, { kind: 'List', items, metadata: {} }));
    let turns = 0;
    let listed = false;
    const list = cluster.list(PODS).finally(() => {
      listed = true;
    });
    // Time passes with each look at the clock: each object takes longer than a turn may.
    let time = clock.now();
    clock.now = () => {
      time += 20;
      return time;
    };
    while (!listed) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect((await list).items).toHaveLength(40);
    expect(turns).toBeGreaterThan(40);
  });

  it('of 50,000 objects is read', async () => {
    const items = Array.from({ length: 50_000 }, (_, n) => ({ metadata: { name: `pod-${n}` } }));
    const { cluster } = await client((exchange) => exchange.json(200, { kind: 'PodList', items, metadata: {} }));
    expect((await cluster.list(PODS)).items).toHaveLength(50_000);
  });

  it.each([
    ['no items', { kind: 'Pod' }, `${WHERE}: Pod without items where a Kubernetes answer should be`],
    ['no object', [1], `${WHERE}: JSON that is no object where a Kubernetes answer should be`],
  ])('that holds %s is no answer', async (_what, value, message) => {
    const { cluster } = await client((exchange) => exchange.json(200, value));
    await expect(cluster.list(PODS)).rejects.toThrow(message);
  });
});

describe('a log', () => {
  it('comes line by line, the last also without its newline', async () => {
    const { cluster, server } = await client((exchange) => exchange.text(200, 'one\n\ntwo é\nthree'));
    const lines: string[] = [];
    for await (const text of cluster.logs('shop', 'web', { container: 'app', tailLines: 5, previous: true }))
      lines.push(text);
    expect(lines).toEqual(['one', '', 'two é', 'three']);
    expect(server.requests).toEqual([
      'GET /api/v1/namespaces/shop/pods/web/log?container=app&previous=true&tailLines=5',
    ]);
  });

  it('that is followed ends when the caller has enough', async () => {
    const exchanges: Exchange[] = [];
    const { cluster } = await client((exchange) => {
      exchanges.push(exchange);
      exchange.start();
      exchange.write('one\n');
    });
    const stop = new AbortController();
    const lines: string[] = [];
    for await (const text of cluster.logs('shop', 'web', { follow: true, signal: stop.signal })) {
      lines.push(text);
      stop.abort();
    }
    expect(lines).toEqual(['one']);
    await exchanges[0]?.closed;
  });

  it('that breaks is told', async () => {
    const { cluster } = await client((exchange) => {
      exchange.start();
      exchange.write('one\n');
      setImmediate(() => exchange.cut());
    });
    const lines = cluster.logs('shop', 'web', { follow: true })[Symbol.asyncIterator]();
    await lines.next();
    await expect(lines.next()).rejects.toMatchObject({ name: 'TransportError', fault: 'unreachable' });
  });

  it('of a container that waits is refused with the words of the server', async () => {
    const message = 'container "app" is waiting to start';
    const { cluster } = await client((exchange) =>
      exchange.json(400, { kind: 'Status', code: 400, reason: 'BadRequest', message }),
    );
    const lines = cluster.logs('shop', 'web')[Symbol.asyncIterator]();
    await expect(lines.next()).rejects.toMatchObject({ code: 400, message: `${WHERE}: ${message}` });
  });
});

describe('any other path', () => {
  it('gives JSON as a value and text as text', async () => {
    const { cluster } = await client((exchange) =>
      exchange.path === '/readyz'
        ? exchange.text(200, 'ok')
        : exchange.json(200, { method: exchange.method, body: exchange.body }),
    );
    expect(await cluster.raw('GET', '/readyz')).toBe('ok');
    expect(await cluster.raw('post', '/apis/x', { a: 1 })).toEqual({ method: 'POST', body: '{"a":1}' });
    await expect(cluster.raw('TRACE', '/')).rejects.toMatchObject({ code: 400 });
  });

  it('that answers with a page is no answer', async () => {
    const { cluster } = await client((exchange) => exchange.text(200, '<html>', { 'content-type': 'text/html' }));
    await expect(cluster.raw('GET', '/version')).rejects.toMatchObject({ fault: 'protocol' });
  });
});

it('a resource that is gone makes discovery ask again', async () => {
  const { cluster, server } = await client((exchange) => {
    if (/\/web|watch=/.test(exchange.path)) exchange.text(404, '404 page not found\n');
    else exchange.json(200, { kind: 'APIGroupDiscoveryList', items: [] });
  });
  await cluster.discovery.all();
  await expect(cluster.get(WEB)).rejects.toMatchObject({ code: 404 });
  await cluster.discovery.all();
  const watch = cluster.watch(PODS, { signal: new AbortController().signal })[Symbol.asyncIterator]();
  await expect(watch.next()).rejects.toMatchObject({ code: 404 });
  await cluster.discovery.all();
  expect(server.requests.filter((request) => request === 'GET /apis')).toHaveLength(3);
});

it('a client that is closed leaves no connection and takes no calls', async () => {
  const { cluster, server } = await client((exchange) => exchange.json(200, {}));
  await cluster.get(WEB);
  await cluster.close();
  await expect.poll(() => server.sockets.size).toBe(0);
  await expect(cluster.get(WEB)).rejects.toThrow(`${WHERE}: the client was closed`);
});

describe('the same cluster for somebody else', () => {
  async function asked() {
    const headers: Exchange['headers'][] = [];
    const { cluster, server } = await client((exchange) => {
      headers.push(exchange.headers);
      if (!exchange.path.includes('watch=')) return exchange.json(200, { items: [], metadata: {} });
      exchange.start();
      exchange.end();
    });
    return { cluster, server, headers };
  }

  it('is asked in that name by every call, watches and logs included, over the same connections', async () => {
    const { cluster, server, headers } = await asked();
    const other = cluster.as({
      user: 'system:serviceaccount:shop:deployer',
      groups: ['a', 'b'],
      uid: '7',
      extra: { 'Example.com/Why': ['x'] },
    });
    await other.list(PODS);
    await other.apply(WEB, {}, { fieldManager: 'test' });
    for await (const _event of other.watch(PODS, { signal: new AbortController().signal }));
    for await (const _line of other.logs('shop', 'web'));
    expect(headers).toHaveLength(4);
    for (const one of headers) {
      expect(one).toMatchObject({
        authorization: 'Bearer abc',
        'impersonate-user': 'system:serviceaccount:shop:deployer',
        'impersonate-uid': '7',
        'impersonate-extra-example.com%2fwhy': 'x',
      });
      expect(String(one['impersonate-group']).split(/, ?/)).toEqual(['a', 'b']);
    }
    await cluster.list(PODS);
    expect(headers.at(-1)?.['impersonate-user']).toBeUndefined();
    expect(server.connections).toBeLessThanOrEqual(4);
    expect(other.description).toBe(`${WHERE} as system:serviceaccount:shop:deployer`);
  });

  it('goes on when the other is closed, and is over when the first one is', async () => {
    const { cluster } = await asked();
    const other = cluster.as({ user: 'a' });
    await other.close();
    expect((await cluster.list(PODS)).items).toEqual([]);
    await cluster.close();
    await expect(other.list(PODS)).rejects.toThrow('the client was closed');
  });

  it.each(['', 'a\nb', 'jürgen'])('is refused for a name that no header carries: %j', async (user) => {
    const { cluster } = await asked();
    expect(() => cluster.as({ user })).toThrow(ApiError);
  });
});
