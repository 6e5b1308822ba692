import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificates, type KeyPair } from '../../testing/http-server/certificates.ts';
import { configFor, serve, TestClock } from './client.fixture.ts';
import { Transport } from './transport.ts';

async function listen(serveSocket: (socket: Socket) => void, pair?: KeyPair): Promise<number> {
  const serveQuietly = (socket: Socket): void => serveSocket(socket.on('error', () => undefined));
  const server: Server = pair
    ? createTlsServer({ cert: pair.certificate, key: pair.key }, serveQuietly).on('tlsClientError', () => undefined)
    : createServer(serveQuietly);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function joinTo(port: number, socket: Socket): void {
  const target = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pipe(target).pipe(socket);
}

/** Asks a server named api.example.test, which only the proxy can find. */
async function askThrough(proxy: string): Promise<unknown> {
  const config = configFor('https://api.example.test:6443', { proxy: new URL(proxy) });
  const transport = new Transport({ config, clock: new TestClock() });
  onTestFinished(() => transport.close());
  return transport.askJson({ method: 'POST', path: '/x' });
}

const api = () => serve({ handle: (exchange) => exchange.json(200, 'through') });

describe('through an HTTP proxy', () => {
  it('TLS goes end to end, with user and password for the proxy alone', async () => {
    const { port } = await api();
    const heads: string[] = [];
    const proxy = await listen((socket) =>
      socket.once('data', (head) => {
        heads.push(head.toString());
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        joinTo(port, socket);
      }),
    );
    expect(await askThrough(`http://ann:p%40ss@127.0.0.1:${proxy}`)).toBe('through');
    const basic = Buffer.from('ann:p@ss').toString('base64');
    expect(heads).toEqual([
      `CONNECT api.example.test:6443 HTTP/1.1\r\nHost: api.example.test:6443\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
    ]);
  });

  it.each([
    ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'the proxy refused the connection (407)'],
    ['is none', 'SSH-2.0\r\n\r\n', 'the proxy refused the connection (no HTTP status)'],
    ['hangs up', '', 'the proxy closed the connection'],
  ])('that %s, the proxy is blamed', async (_what, answer, message) => {
    const proxy = await listen((socket) => socket.once('data', () => socket.end(answer)));
    await expect(askThrough(`http://127.0.0.1:${proxy}`)).rejects.toThrow(
      `${message}; check proxy-url and HTTPS_PROXY`,
    );
  });

  it('that itself speaks TLS, TLS goes within TLS', async () => {
    const { port } = await api();
    const heads: string[] = [];
    const proxy = await listen((socket) => {
      socket.once('data', (head) => {
        heads.push(head.toString());
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        joinTo(port, socket);
      });
    }, certificates.server);
    expect(await askThrough(`https://127.0.0.1:${proxy}`)).toBe('through');
    expect(heads).toEqual(['CONNECT api.example.test:6443 HTTP/1.1\r\nHost: api.example.test:6443\r\n\r\n']);
  });

  it('whose own certificate has expired, the proxy is blamed', async () => {
    const proxy = await listen(() => undefined, certificates.serverExpired);
    await expect(askThrough(`https://127.0.0.1:${proxy}`)).rejects.toThrow(
      `the proxy 127.0.0.1:${proxy} cannot be reached (CERT_HAS_EXPIRED); check proxy-url and HTTPS_PROXY`,
    );
  });

  it('that is not there, the proxy is blamed', async () => {
    await expect(askThrough('http://127.0.0.1:1')).rejects.toThrow(
      'the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED); check proxy-url and HTTPS_PROXY',
    );
  });
});

describe('through a SOCKS5 proxy', () => {
  /** Answers the steps of the handshake one after the other, then joins to the port; keeps what it was sent. */
  async function socks(steps: number[][], port: number): Promise<{ proxy: number; sent: string[] }> {
    const sent: string[] = [];
    const proxy = await listen((socket) => {
      const left = [...steps];
      const next = (bytes: Buffer): void => {
        sent.push(bytes.toString('latin1'));
        socket.write(Buffer.from(left.shift() ?? []));
        if (left.length > 0) socket.once('data', next);
        else joinTo(port, socket);
      };
      socket.once('data', next);
    });
    return { proxy, sent };
  }
  const granted = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

  it('the proxy resolves the name', async () => {
    const { port } = await api();
    const { proxy, sent } = await socks([[5, 0], granted], port);
    expect(await askThrough(`socks5://127.0.0.1:${proxy}`)).toBe('through');
    expect(sent).toEqual(['\x05\x01\x00', '\x05\x01\x00\x03\x10api.example.test\x19\x2b']);
  });

  it('with user and password', async () => {
    const { port } = await api();
    const { proxy, sent } = await socks([[5, 2], [1, 0], granted], port);
    expect(await askThrough(`socks5://ann:pass@127.0.0.1:${proxy}`)).toBe('through');
    expect(sent[1]).toBe('\x01\x03ann\x04pass');
  });

  it.each([
    [
      'refuses the target',
      [
        [5, 0],
        [5, 5, 0, 1],
      ],
      'the proxy refused the connection (SOCKS5 reply 5)',
    ],
    ['wants a log-in', [[5, 255]], 'the proxy wants a way to log in that it was not given'],
    ['speaks HTTP', [[72, 84]], 'the proxy does not speak SOCKS5'],
  ])('that %s, the proxy is blamed', async (_what, steps, message) => {
    const { proxy } = await socks(steps, 1);
    await expect(askThrough(`socks5://127.0.0.1:${proxy}`)).rejects.toThrow(message);
  });
});
