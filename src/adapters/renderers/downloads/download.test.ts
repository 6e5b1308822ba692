import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { certificates } from '../../../testing/http-server/certificates.ts';
import { type Exchange, startHttpServer, type TestHttpServer } from '../../../testing/http-server/http-server.ts';
import { Downloads } from './download.ts';

let server: TestHttpServer;
let other: TestHttpServer;
let seen: [string, unknown][];
const downloads = new Downloads();

beforeAll(async () => {
  const handle = (): void => undefined;
  server = await startHttpServer({ protocol: 'plain', handle });
  other = await startHttpServer({
    protocol: 'plain',
    handle: (exchange) => {
      seen.push([`other ${exchange.method} ${exchange.path}`, exchange.headers['authorization']]);
      exchange.text(200, 'from the other');
    },
  });
});
afterAll(async () => {
  await downloads.close();
  await server.close();
  await other.close();
});
beforeEach(() => {
  seen = [];
});

const { signal } = new AbortController();
function answer(handle: (exchange: Exchange) => void): void {
  server.handle = (exchange) => {
    seen.push([`${exchange.method} ${exchange.path}`, exchange.headers['authorization']]);
    handle(exchange);
  };
}
const ask = (path = '/x', more: object = {}) =>
  downloads.download({ url: new URL(path, server.url), authorization: 'Bearer abc', maxBytes: 1000, signal, ...more });
const textOf = async (path?: string, more?: object) => String(await (await ask(path, more)).bytes());

describe('a download', () => {
  it('gives status, headers and body', async () => {
    answer((exchange) => exchange.text(404, 'gone', { 'x-a': 'b' }));
    const got = await ask();
    expect([got.status, got.header('x-a'), got.header('x-c'), String(await got.bytes())]).toEqual([
      404,
      'b',
      '',
      'gone',
    ]);
  });

  it('follows a redirect with its authorization on the same host, and without it to another', async () => {
    answer((exchange) => {
      if (exchange.path === '/x') exchange.text(302, '', { location: '/y' });
      else exchange.text(307, '', { location: `${other.url}/z?signature=1` });
    });
    expect(await textOf()).toBe('from the other');
    expect(seen).toEqual([
      ['GET /x', 'Bearer abc'],
      ['GET /y', 'Bearer abc'],
      ['other GET /z?signature=1', undefined],
    ]);
  });

  it('does not send the authorization again when another host redirects back', async () => {
    answer((exchange) => {
      if (exchange.path === '/x') exchange.text(302, '', { location: `${other.url}/back` });
      else exchange.text(200, 'home');
    });
    const handle = other.handle;
    other.handle = (exchange) => exchange.text(302, '', { location: `${server.url}/home` });
    expect(await textOf()).toBe('home');
    other.handle = handle;
    expect(seen.at(-1)).toEqual(['GET /home', undefined]);
  });

  it('is asked for once more when the connection had just been closed', async () => {
    answer((exchange) => {
      if (seen.length === 1) exchange.cut();
      else exchange.text(200, 'again');
    });
    expect(await textOf()).toBe('again');
    expect(seen).toHaveLength(2);
  });

  it('ends when the caller does', async () => {
    const stop = new AbortController();
    answer((exchange) => {
      exchange.start();
      exchange.write('drip');
    });
    const got = await ask('/x', { signal: stop.signal });
    const reason = new Error('too late');
    const reading = got.bytes();
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

describe('a download that fails', () => {
  it.each<[string, (exchange: Exchange) => void, string]>([
    ['round and round', (exchange) => exchange.text(302, '', { location: '/x' }), '/x redirects round and round'],
    [
      'to an address without TLS',
      (exchange) => exchange.text(302, '', { location: 'http://example.test/x?token=1' }),
      'http://example.test/x is not encrypted',
    ],
    ['to a file', (exchange) => exchange.text(302, '', { location: 'file:///etc/passwd' }), 'is not encrypted'],
    ['to nonsense', (exchange) => exchange.text(302, '', { location: 'http://[' }), 'redirects to what is no address'],
    ['by its announced size', (exchange) => exchange.text(200, 'x'.repeat(1001)), 'is larger than the 1000 bytes'],
    [
      'by a size that is not announced',
      (exchange) => {
        exchange.start();
        exchange.write('x'.repeat(2000));
      },
      'is larger than the 1000 bytes',
    ],
    [
      'in its middle',
      (exchange) => {
        exchange.start();
        exchange.write('half');
        exchange.cut();
      },
      'the connection broke',
    ],
    ['at once', (exchange) => exchange.cut(), 'the connection broke'],
  ])('%s', async (_what, handle, message) => {
    answer(handle);
    await expect(textOf('/x?secret=1')).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining(message),
    });
    await expect(textOf('/x?secret=1')).rejects.not.toThrow('secret');
  });

  it('because nobody is there', async () => {
    await expect(
      downloads.download({ url: new URL('http://127.0.0.1:1/x'), maxBytes: 1, signal }),
    ).rejects.toMatchObject({
      retry: 'retry',
      message: 'http://127.0.0.1:1/x: nobody listens there; check the address and the port',
    });
  });

  it('because it is not encrypted, before anything is sent', async () => {
    const url = new URL('http://registry.example.test/x');
    await expect(downloads.download({ url, maxBytes: 1, signal })).rejects.toMatchObject({ retry: 'terminal' });
  });
});

describe('a proxy', () => {
  it('is asked for other hosts, with a tunnel, and never for this machine', async () => {
    // It refuses, which is enough to be seen: the test needs no host beyond.
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(String(request.url));
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const through = new Downloads({ proxy: { https: `http://127.0.0.1:${port}` } });
    const far = through.download({ url: new URL('https://registry.example.test/x'), maxBytes: 1, signal });
    await expect(far).rejects.toMatchObject({ retry: 'retry', name: 'SourceError' });
    answer((exchange) => exchange.text(200, 'near'));
    const near = await through.download({ url: new URL(server.url), maxBytes: 10, signal });
    expect([String(await near.bytes()), asked]).toEqual(['near', ['registry.example.test:443']]);
    await through.close();
    proxy.close();
  });
});

describe('a certificate of an own authority', () => {
  it('is trusted with the authority alone', async () => {
    const secure = await startHttpServer({ protocol: 'http/1.1', handle: (exchange) => exchange.text(200, 'ok') });
    const url = new URL(secure.url);
    const got = await downloads.download({ url, certificateAuthority: certificates.authority, maxBytes: 10, signal });
    expect(String(await got.bytes())).toBe('ok');
    await expect(downloads.download({ url, maxBytes: 10, signal })).rejects.toThrow('its certificate is not trusted');
    await secure.close();
  });
});
