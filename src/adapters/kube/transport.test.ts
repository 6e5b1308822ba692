import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { certificates } from '../../testing/http-server/certificates.ts';
import type { Exchange, HttpServerOptions } from '../../testing/http-server/http-server.ts';
import { configFor, serve, TestClock, WHERE } from './client.fixture.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import type { Credential } from './kubeconfig/credential.ts';
import { Transport } from './transport.ts';

const GET = { method: 'GET', path: '/version' } as const;

function transportTo(
  url: string,
  more: Partial<ClusterConfig> = {},
  clock = new TestClock(),
  onWarning?: (text: string) => void,
) {
  const transport = new Transport({ config: configFor(url, more), clock, ...(onWarning ? { onWarning } : {}) });
  onTestFinished(() => transport.close());
  return transport;
}

async function client(options: HttpServerOptions | HttpServerOptions['handle'], more: Partial<ClusterConfig> = {}) {
  const server = await serve(typeof options === 'function' ? { handle: options } : options);
  const clock = new TestClock();
  return { server, clock, transport: transportTo(server.url, more, clock) };
}

async function failure(work: Promise<unknown>): Promise<ApiError | TransportError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError || error instanceof TransportError) {
    expect(error.message).not.toContain('\n');
    expect(error.message.startsWith(`${WHERE}: `)).toBe(true);
    return error;
  }
  throw new Error('no failure of the ports', { cause: error });
}

const status = (code: number, reason: string, message: string, details = {}) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  details,
});

describe('a request', () => {
  it('carries token, impersonation and path of the server URL', async () => {
    const server = await serve({
      handle: (exchange) => exchange.json(200, { path: exchange.path, headers: exchange.headers }),
    });
    const impersonation = { 'impersonate-user': 'eve', 'impersonate-group': ['a', 'b'] };
    const answer = await transportTo(`${server.url}/k8s/clusters/c-1/`, { impersonation }).askJson(GET);
    expect(answer).toMatchObject({
      path: '/k8s/clusters/c-1/version',
      headers: { authorization: 'Bearer abc', 'impersonate-user': 'eve', 'impersonate-group': 'a, b' },
    });
  });

  it('shares few connections with the others', async () => {
    const { server, transport } = await client((exchange) => exchange.json(200, {}));
    for (let n = 0; n < 20; n += 1) await transport.askJson(GET);
    // The pool may find the first one still busy with the end of an answer.
    expect(server.connections).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 60 }, () => transport.askJson(GET)));
    expect(server.connections).toBeLessThanOrEqual(8);
  });

  it('reads integers beyond 2^53 as they are', async () => {
    const { transport } = await client((exchange) => exchange.text(200, '{"a": 9007199254740993, "b": 1.5}'));
    expect(await transport.askJson(GET)).toEqual({ a: 9007199254740993n, b: 1.5 });
  });

  it('tells each warning of the server once', async () => {
    const told: string[] = [];
    const server = await serve({
      handle: (exchange) => exchange.json(200, {}, { warning: '299 - "v1beta1 is old, say \\"v1\\"", 299 - "b"' }),
    });
    const transport = transportTo(server.url, {}, new TestClock(), (text) => told.push(text));
    await transport.ask(GET);
    await transport.ask(GET);
    expect(told).toEqual(['v1beta1 is old, say "v1"', 'b']);
  });

  it('is answered over plain HTTP as well', async () => {
    const { transport } = await client({ protocol: 'plain', handle: (exchange) => exchange.json(200, [1]) });
    expect(await transport.askJson(GET)).toEqual([1]);
  });
});

describe('credentials', () => {
  it('may be a client certificate; a renewed one is used from the next request on', async () => {
    let certificate = certificates.client;
    const credentials = { current: async () => ({ token: undefined, certificate }), refused: () => false };
    const handle: HttpServerOptions['handle'] = (exchange) => exchange.json(200, exchange.client);
    const { transport } = await client({ clientCertificates: true, handle }, { credentials });
    expect(await transport.askJson(GET)).toBe('alice');
    certificate = certificates.clientRenewed;
    expect(await transport.askJson(GET)).toBe('bob');
  });

  it('that the server refuses are renewed, and the request is repeated once', async () => {
    let token = 'old';
    const credentials = {
      current: async (): Promise<Credential> => ({ token, certificate: undefined }),
      refused: () => {
        token = 'new';
        return true;
      },
    };
    const { server, transport } = await client(
      (exchange) =>
        exchange.headers['authorization'] === 'Bearer new'
          ? exchange.json(201, {})
          : exchange.json(401, status(401, 'Unauthorized', 'Unauthorized')),
      { credentials },
    );
    await transport.ask({ method: 'POST', path: '/x', body: { type: 'application/json', text: '{}' } });
    expect(server.requests).toEqual(['POST /x', 'POST /x']);
  });

  it('that a person takes long to give count to no deadline', async () => {
    let give: (credential: Credential) => void = () => undefined;
    const given = new Promise<Credential>((resolve) => {
      give = resolve;
    });
    const credentials = { current: () => given, refused: () => false };
    const { clock, transport } = await client((exchange) => exchange.json(200, 'in'), { credentials });
    const asked = transport.askJson(GET);
    clock.passDeadlines();
    give({ token: 'late', certificate: undefined });
    expect(await asked).toBe('in');
  });

  it('that do not come are not waited for by a caller who gives up', async () => {
    const credentials = { current: () => new Promise<Credential>(() => undefined), refused: () => false };
    const { transport } = await client(() => undefined, { credentials });
    const stop = new AbortController();
    const asked = transport.ask({ ...GET, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('that stay the same are not sent again', async () => {
    const { server, transport } = await client((exchange) =>
      exchange.json(401, status(401, 'Unauthorized', 'Unauthorized')),
    );
    const error = await failure(transport.ask(GET));
    expect(error).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect(error.message).toBe(`${WHERE}: Unauthorized; log in again, or check the user of the context`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('an answer that is no', () => {
  it.each([
    [403, 'Forbidden', 'ask for the permission, or use another context'],
    [409, 'Conflict', 'read it again and repeat the change'],
    [410, 'Expired', 'start again from a new list'],
    [500, 'InternalError', 'try again, and look at the log of the API server if it stays'],
  ])('%i carries the reason of its Status', async (code, reason, mend) => {
    const { transport } = await client((exchange) => exchange.json(code, status(code, reason, 'because\nof x')));
    const error = await failure(transport.ask(GET));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, reason, message: `${WHERE}: because of x; ${mend}` });
  });

  it('500 for a field that the schema does not have is for the user to mend', async () => {
    const why =
      'failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): .spec.replica: field not declared';
    const { transport } = await client((exchange) => exchange.json(500, status(500, '', why)));
    expect((await failure(transport.ask(GET))).message).toBe(`${WHERE}: ${why}; mend the object`);
  });

  it('carries causes', async () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'must be > 0', field: 'spec.replicas' }];
    const { transport } = await client((exchange) => exchange.json(422, status(422, 'Invalid', 'no', { causes })));
    expect(await failure(transport.ask(GET))).toMatchObject({ reason: 'Invalid', causes });
  });

  it('without a Status has the reason of its code', async () => {
    const { transport } = await client((exchange) => exchange.text(404, '404 page not found\n'));
    expect(await failure(transport.ask(GET))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `${WHERE}: 404 page not found`,
    });
  });

  it('not now: a read is repeated after what Retry-After says', async () => {
    let refusals = 2;
    const { clock, server, transport } = await client((exchange) => {
      refusals -= 1;
      if (refusals >= 0) exchange.json(429, status(429, 'TooManyRequests', 'busy'), { 'retry-after': '3' });
      else exchange.json(200, 'done');
    });
    expect(await transport.askJson(GET)).toBe('done');
    expect(clock.rests.filter((ms) => ms > 0)).toEqual([3000, 3000]);
    expect(server.requests).toHaveLength(3);
  });

  it('not now: repeated four times in all with growing rests, then told', async () => {
    const { clock, transport } = await client((exchange) => exchange.text(503, 'shutting down'));
    const error = await failure(transport.ask(GET));
    expect(error).toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
    expect(clock.rests).toEqual([200, 400, 800]);
  });

  it('not now: a write is not repeated', async () => {
    const { server, transport } = await client((exchange) =>
      exchange.json(429, status(429, 'TooManyRequests', 'a budget is used up', { retryAfterSeconds: 10 })),
    );
    expect(await failure(transport.ask({ method: 'POST', path: '/eviction' }))).toMatchObject({ retryAfter: 10 });
    expect(server.requests).toHaveLength(1);
  });

  it('not for a long time: told at once', async () => {
    const { server, transport } = await client((exchange) => exchange.text(503, '', { 'retry-after': '600' }));
    expect(await failure(transport.ask(GET))).toMatchObject({ retryAfter: 600 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('what is no Kubernetes answer', () => {
  it.each([
    ['an HTML page', 200, '<!DOCTYPE html><p>Log in', 'an HTML page (status 200) where a Kubernetes answer should be'],
    ['an HTML error of a gateway', 502, '<html>Bad gateway', 'an HTML page (status 502)'],
    ['half a JSON', 200, '{"kind": "Pod", "meta', 'broken JSON where a Kubernetes answer should be'],
    ['nothing', 200, '', 'an empty answer where a Kubernetes answer should be'],
    ['a redirection', 302, '', 'the server answered 302, a redirection; check that the server URL'],
  ])('%s', async (_what, code, text, message) => {
    const { transport } = await client((exchange) => exchange.text(code, text));
    const error = await failure(transport.askJson(GET));
    expect(error).toMatchObject({ fault: 'protocol' });
    expect(error.message).toContain(message);
  });

  it('bytes that are not HTTP', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(await failure(transportTo(`http://127.0.0.1:${port}`).ask(GET))).toMatchObject({ fault: 'protocol' });
    const tls = await failure(transportTo(`https://127.0.0.1:${port}`).ask(GET));
    expect(tls).toMatchObject({ fault: 'tls' });
    expect(tls.message).toContain('the server does not speak TLS there; check scheme and port');
  });
});

describe('a connection that fails', () => {
  it.each([
    [
      'another authority',
      certificates.server,
      { authority: certificates.otherAuthority },
      'not signed by the certificate authority of the kubeconfig',
    ],
    ['an expired certificate', certificates.serverExpired, {}, 'the certificate of the server has expired; renew it'],
    [
      'another name',
      certificates.server,
      { serverName: 'other.test' },
      'is for other names; use one of them in the server URL, or set tls-server-name',
    ],
  ])('on %s', async (_what, pair, more, message) => {
    const { transport } = await client({ pair, handle: (exchange) => exchange.json(200, {}) }, more);
    const error = await failure(transport.ask(GET));
    expect(error).toMatchObject({ fault: 'tls' });
    expect(error.message).toContain(message);
  });

  it('not on a certificate for tls-server-name, nor on any where insecure', async () => {
    const handle: HttpServerOptions['handle'] = (exchange) => exchange.json(200, 1);
    const named = await client({ handle }, { serverName: 'api.example.test' });
    expect(await named.transport.askJson(GET)).toBe(1);
    const insecure = await client(
      { pair: certificates.serverExpired, handle },
      { insecure: true, authority: undefined },
    );
    expect(await insecure.transport.askJson(GET)).toBe(1);
  });

  it('because the server wants a client certificate', async () => {
    const { transport } = await client({ clientCertificates: true, handle: (exchange) => exchange.json(200, {}) });
    expect((await failure(transport.ask(GET))).message).toMatch(/refused the client certificate|the connection broke/);
  });

  it('because nobody listens: tried four times, then told', async () => {
    const server = await serve({ handle: () => undefined });
    await server.close();
    const clock = new TestClock();
    const error = await failure(transportTo(server.url, {}, clock).ask(GET));
    expect(error).toMatchObject({ fault: 'unreachable' });
    expect(error.message).toBe(
      `${WHERE}: the connection was refused; check that the API server runs and the port is right`,
    );
    expect(clock.rests).toEqual([200, 400, 800]);
  });

  it('because the name does not resolve', async () => {
    const error = await failure(transportTo('https://no-such-host.invalid:6443').ask(GET));
    expect(error.message).toMatch(
      /the name no-such-host\.invalid does not resolve \(\w+\); check the server URL, DNS and VPN/,
    );
  });

  it('at any byte of the answer: a read is repeated', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n';
    const whole = `${head}{"kind":"Pod"}`.slice(0, head.length + 13);
    for (let bytes = 0; bytes < whole.length; bytes += 5) {
      let cuts = 1;
      const server = createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', () => {
            cuts -= 1;
            if (cuts >= 0) socket.write(whole.slice(0, bytes), () => socket.destroy());
            else socket.end(`${head}{"kind":"Po"}`);
          });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const transport = transportTo(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
      expect(await transport.askJson(GET), `cut behind byte ${bytes}`).toEqual({ kind: 'Po' });
      server.close();
    }
  });
});

describe('a TLS connection that is cut', () => {
  it('behind any number of bytes, in the handshake or in the answer: a read is repeated', async () => {
    const server = await serve({ handle: (exchange) => exchange.json(200, { data: 'x'.repeat(2000) }) });
    for (let bytes = 0; bytes < 5000; bytes += 211) {
      let connections = 0;
      const wire = createServer((near) => {
        connections += 1;
        let left = connections === 1 ? bytes : Number.POSITIVE_INFINITY;
        const far = connect(server.port, '127.0.0.1', () => undefined);
        for (const socket of [near, far]) socket.on('error', () => undefined);
        near.pipe(far);
        near.on('close', () => far.destroy());
        far.on('data', (piece) => {
          near.write(piece.subarray(0, left));
          left -= piece.length;
          if (left <= 0) near.destroySoon();
        });
      });
      await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
      const address = wire.address();
      const transport = transportTo(`https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
      expect(await transport.askJson(GET), `cut behind byte ${bytes}`).toEqual({ data: 'x'.repeat(2000) });
      await transport.close();
      wire.close();
    }
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['at all', () => undefined],
    [
      'but for a slow drip',
      (exchange: Exchange) => {
        exchange.start();
        exchange.write('{');
      },
    ],
  ])('%s ends at the deadline', async (_what, handle) => {
    const { clock, server, transport } = await client((exchange) => {
      handle(exchange);
      // The dial is over, so the only deadline left is that of the call.
      clock.passDeadlines();
    });
    const error = await failure(transport.ask({ ...GET, timeout: 20_000 }));
    expect(error).toMatchObject({ fault: 'timeout' });
    expect(error.message).toBe(`${WHERE}: no whole answer to GET within 20 s; try again, or with more time`);
    expect(server.requests).toHaveLength(1);
  });

  it('is given up when the caller gives up, with the reason of the caller', async () => {
    const stop = new AbortController();
    const { transport } = await client(() => stop.abort(new Error('enough')));
    await expect(transport.ask({ ...GET, signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('the breaker', () => {
  it('spares a cluster that failed five times in a row, and sees when it is back', async () => {
    let broken = true;
    const { clock, server, transport } = await client((exchange) =>
      broken ? exchange.cut() : exchange.json(200, 'back'),
    );
    await failure(transport.ask({ method: 'POST', path: '/x' }));
    await failure(transport.ask(GET));
    const asked = server.requests.length;
    expect(asked).toBe(5);
    const open = await failure(transport.ask(GET));
    expect(open).toMatchObject({ fault: 'open' });
    expect(open.message).toContain('(failed 5 times in a row; waiting a moment)');
    expect(server.requests).toHaveLength(asked);
    broken = false;
    clock.offset += 2000;
    expect(await transport.askJson(GET)).toBe('back');
    expect(await transport.askJson(GET)).toBe('back');
  });

  it('does not mind answers that are no', async () => {
    const { transport } = await client((exchange) => exchange.json(404, status(404, 'NotFound', 'no')));
    for (let n = 0; n < 8; n += 1) expect(await failure(transport.ask(GET))).toMatchObject({ code: 404 });
  });
});
