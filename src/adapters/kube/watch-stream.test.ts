import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cluster, WatchEvent } from '../../ports/cluster.ts';
import { certificates } from '../../testing/http-server/certificates.ts';
import type { Exchange, HttpServerOptions } from '../../testing/http-server/http-server.ts';
import { configFor, serve, TestClock, WHERE } from './client.fixture.ts';
import { connectCluster } from './kube-cluster.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';

const PODS = { type: { group: '', version: 'v1', resource: 'pods' }, namespace: 'shop' };

async function client(options: HttpServerOptions, more: Partial<ClusterConfig> = {}) {
  const server = await serve(options);
  const clock = new TestClock();
  const cluster = connectCluster({ config: configFor(server.url, more), clock });
  onTestFinished(() => cluster.close());
  return { server, clock, cluster };
}

const pod = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, ...more });
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

function watchOf(cluster: Cluster, signal = new AbortController().signal): AsyncIterator<WatchEvent> {
  return cluster.watch(PODS, { resourceVersion: '5', timeoutSeconds: 300, signal })[Symbol.asyncIterator]();
}

async function collect(cluster: Cluster): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of cluster.watch(PODS, { signal: new AbortController().signal })) events.push(event);
  return events;
}

/** Answers every watch with one event and keeps it open. */
function openEnded(exchanges: Exchange[] = []) {
  return (exchange: Exchange): void => {
    exchanges.push(exchange);
    exchange.start();
    exchange.write(line('ADDED', pod(exchange.version)));
  };
}

describe.each(['h2', 'http/1.1', 'plain'] as const)('a watch over %s', (protocol) => {
  const version = protocol === 'h2' ? 'h2' : 'http/1.1';

  it('gives events in order until the server ends it', async () => {
    const { cluster, server } = await client({
      protocol,
      handle: (exchange) => {
        exchange.start();
        exchange.write(line('ADDED', pod(exchange.version)) + line('MODIFIED', pod('ü')));
        exchange.write(line('BOOKMARK', pod('')));
        exchange.end();
      },
    });
    expect(await collect(cluster)).toEqual([
      { type: 'ADDED', object: pod(version) },
      { type: 'MODIFIED', object: pod('ü') },
      { type: 'BOOKMARK', object: pod('') },
    ]);
    expect(server.requests).toEqual(['GET /api/v1/namespaces/shop/pods?watch=true&allowWatchBookmarks=true']);
  });

  it('is the same wherever its bytes are cut into pieces, and told where the stream breaks inside an event', async () => {
    const bytes = Buffer.from(line('ADDED', pod('a')) + line('DELETED', pod('é€')));
    const first = bytes.indexOf(10) + 1;
    const { cluster, server } = await client({ protocol, handle: () => undefined });
    for (let place = 1; place < bytes.length; place += 3) {
      server.handle = (exchange) => {
        exchange.start();
        exchange.write(bytes.subarray(0, place));
        setImmediate(() => {
          exchange.write(bytes.subarray(place));
          exchange.end();
        });
      };
      expect(await collect(cluster), `piece of ${place}`).toHaveLength(2);
      server.handle = (exchange) => {
        exchange.start();
        exchange.write(bytes.subarray(0, place));
        exchange.end();
      };
      const whole = [first - 1, first, bytes.length - 1].includes(place);
      const cut = collect(cluster);
      if (whole) expect((await cut).length, `end behind ${place}`).toBeGreaterThan(0);
      else await expect(cut, `end behind ${place}`).rejects.toMatchObject({ fault: 'unreachable' });
    }
  });

  it('carries an object of 1.5 MB', async () => {
    const large = pod('large', { data: 'x'.repeat(1_500_000) });
    const { cluster } = await client({
      protocol,
      handle: (exchange) => {
        exchange.start();
        exchange.write(line('ADDED', large));
        exchange.end();
      },
    });
    expect(await collect(cluster)).toEqual([{ type: 'ADDED', object: large }]);
  });

  it('ends behind an ERROR, with its Status', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired' };
    const { cluster } = await client({
      protocol,
      handle: (exchange) => {
        exchange.start();
        exchange.write(line('ERROR', status) + line('ADDED', pod('never')));
      },
    });
    expect(await collect(cluster)).toEqual([{ type: 'ERROR', error: status }]);
  });

  it('ends quietly when it is given up, and the server sees it', async () => {
    const exchanges: Exchange[] = [];
    const { cluster } = await client({ protocol, handle: openEnded(exchanges) });
    const stop = new AbortController();
    const watch = watchOf(cluster, stop.signal);
    await watch.next();
    const next = watch.next();
    stop.abort();
    expect(await next).toMatchObject({ done: true });
    await exchanges[0]?.closed;
  });

  it('that nobody reads on is closed', async () => {
    const exchanges: Exchange[] = [];
    const { cluster } = await client({ protocol, handle: openEnded(exchanges) });
    for await (const _event of cluster.watch(PODS, { signal: new AbortController().signal })) break;
    await exchanges[0]?.closed;
  });

  it('that the server refuses is an ApiError', async () => {
    const { cluster } = await client({
      protocol,
      handle: (exchange) => exchange.json(410, { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
    });
    await expect(watchOf(cluster).next()).rejects.toMatchObject({
      name: 'ApiError',
      code: 410,
      message: `${WHERE}: too old; start again from a new list`,
    });
  });

  it('breaks where its connection is cut', async () => {
    const { cluster, server } = await client({ protocol, handle: openEnded() });
    const watch = watchOf(cluster);
    await watch.next();
    const next = watch.next();
    for (const socket of server.sockets) socket.destroy();
    await expect(next).rejects.toMatchObject({ name: 'TransportError', fault: 'unreachable' });
  });

  it('opened with a token that has expired is opened again with a new one', async () => {
    let token = 'old';
    const credentials = {
      current: async () => ({ token, certificate: undefined }),
      refused: () => {
        token = 'new';
        return true;
      },
    };
    const handle = (exchange: Exchange): void => {
      if (exchange.headers['authorization'] === 'Bearer new') openEnded()(exchange);
      else exchange.json(401, { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    };
    const { cluster } = await client({ protocol, handle }, { credentials });
    expect((await watchOf(cluster).next()).value).toMatchObject({ type: 'ADDED' });
  });

  it('that is not answered ends at a deadline', async () => {
    const { cluster, clock } = await client({ protocol, handle: () => clock.passDeadlines() });
    await expect(watchOf(cluster).next()).rejects.toMatchObject({ fault: 'timeout' });
  });

  it('ends when the client is closed', async () => {
    const { cluster } = await client({ protocol, handle: openEnded() });
    const watch = watchOf(cluster);
    await watch.next();
    const next = watch.next().then(
      () => 'ended',
      () => 'broke',
    );
    await cluster.close();
    expect(await next).toMatch(/ended|broke/);
  });

  it.each([
    ['HTML', '<html>\n'],
    ['half a JSON', '{"type": "ADD\n'],
    ['an unknown type', '{"type": "SECRET"}\n'],
  ])('that sends %s is told so', async (_what, text) => {
    const handle = (exchange: Exchange): void => {
      exchange.start();
      exchange.write(text);
    };
    const { cluster } = await client({ protocol, handle });
    await expect(watchOf(cluster).next()).rejects.toMatchObject({ fault: 'protocol' });
  });
});

/** A wire to a port that can be frozen: its connections stay open, and nothing comes through any more. */
async function wireTo(port: number): Promise<{ readonly port: number; freeze(): void }> {
  const pairs: Socket[][] = [];
  const wire = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    wire.close();
    for (const socket of pairs.flat()) socket.destroy();
  });
  const address = wire.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    freeze: () => {
      for (const socket of pairs.flat()) socket.unpipe().pause();
    },
  };
}

describe('many watches over HTTP/2', () => {
  it('share connections, never more on one than the server allows', async () => {
    const { cluster, server } = await client({ settings: { maxConcurrentStreams: 10 }, handle: openEnded() });
    const watches = Array.from({ length: 35 }, () => watchOf(cluster));
    const events = await Promise.all(watches.map((watch) => watch.next()));
    expect(events.every((event) => !event.done)).toBe(true);
    expect(server.connections).toBe(4);
  });

  it('move to a new connection when the server asks them to leave, and those that run go on', async () => {
    const exchanges: Exchange[] = [];
    const { cluster, server } = await client({ handle: openEnded(exchanges) });
    const old = watchOf(cluster);
    await old.next();
    const [session] = server.sessions;
    session?.goaway();
    // A ping behind it comes back when the client has read it.
    await new Promise((resolve) => session?.ping(resolve));
    await watchOf(cluster).next();
    expect(server.connections).toBe(2);
    exchanges[0]?.write(line('MODIFIED', pod('still')));
    expect((await old.next()).value).toMatchObject({ object: pod('still') });
  });

  it('a connection that does not answer pings breaks its watches, and the next dials anew', async () => {
    const server = await serve({ handle: openEnded() });
    const wire = await wireTo(server.port);
    const clock = new TestClock();
    const cluster = connectCluster({ config: configFor(`https://127.0.0.1:${wire.port}`), clock });
    onTestFinished(() => cluster.close());
    const watch = watchOf(cluster);
    await watch.next();
    let broken: unknown;
    watch.next().catch((error: unknown) => {
      broken = error;
    });
    wire.freeze();
    // The time between pings passes, then the time for the answer.
    const passed = () => {
      clock.passDeadlines();
      return broken;
    };
    await expect.poll(passed).toMatchObject({ name: 'TransportError' });
    expect((await watchOf(cluster).next()).done).toBe(false);
    expect(server.connections).toBe(2);
  });

  it('go on after the server was restarted', async () => {
    const { cluster, server } = await client({ handle: openEnded() });
    const watch = watchOf(cluster);
    await watch.next();
    const next = watch.next().catch(() => 'broken');
    for (const session of server.sessions) session.destroy();
    await next;
    expect((await watchOf(cluster).next()).done).toBe(false);
  });

  it('a consumer that does not read holds nobody else up', async () => {
    const piece = line('ADDED', pod('x', { data: 'x'.repeat(1 << 20) }));
    const { cluster, server } = await client({
      handle: async (exchange) => {
        exchange.start();
        if (server.requests.length > 1) return exchange.write(line('ADDED', pod('quick')));
        for (let n = 0; n < 8; n += 1) exchange.write(piece);
      },
    });
    const slow = watchOf(cluster);
    await slow.next();
    expect((await watchOf(cluster).next()).value).toMatchObject({ object: pod('quick') });
    await slow.return?.();
  });
});

it('a stream that ends between two events loses neither', async () => {
  const { cluster } = await client({
    handle: async (exchange) => {
      exchange.start();
      exchange.write(line('ADDED', pod('a')));
      exchange.write(line('ADDED', pod('b')).trimEnd());
      exchange.end();
      await exchange.closed;
    },
  });
  expect(await collect(cluster)).toHaveLength(2);
});

it('a renewed client certificate means a new connection, and the old one is let go', async () => {
  let certificate = certificates.client;
  const credentials = { current: async () => ({ token: undefined, certificate }), refused: () => false };
  const handle = (exchange: Exchange): void => {
    exchange.start();
    exchange.write(line('ADDED', pod(exchange.client ?? '')));
    exchange.end();
  };
  const { cluster, server } = await client({ clientCertificates: true, handle }, { credentials });
  expect(await collect(cluster)).toMatchObject([{ object: pod('alice') }]);
  certificate = certificates.clientRenewed;
  expect(await collect(cluster)).toMatchObject([{ object: pod('bob') }]);
  await expect.poll(() => server.sessions.size).toBe(1);
});
