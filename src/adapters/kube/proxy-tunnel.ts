import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Longest answer of an HTTP proxy to CONNECT that is read, in bytes. */
const LONGEST_ANSWER = 16 * 1024;

/** A fault of the proxy, not of the cluster behind it. */
export class ProxyError extends Error {}

/** Reads from a socket that nobody else reads yet. */
class SocketReader {
  readonly socket: Socket;
  readonly signal: AbortSignal;
  bytes: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, signal: AbortSignal) {
    this.socket = socket;
    this.signal = signal;
  }

  /** The next piece, put behind what is there. */
  more(): Promise<void> {
    const { socket, signal } = this;
    return new Promise((resolve, reject) => {
      const end = (work: () => void): void => {
        socket.off('data', data).off('error', reject).off('close', closed);
        socket.pause();
        signal.removeEventListener('abort', abort);
        work();
      };
      const data = (chunk: Buffer): void => {
        this.bytes = Buffer.concat([this.bytes, chunk]);
        end(resolve);
      };
      const closed = (): void => end(() => reject(new ProxyError('the proxy closed the connection')));
      const abort = (): void => end(() => reject(signal.reason));
      socket.on('data', data).on('error', reject).on('close', closed);
      socket.resume();
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  async take(length: number): Promise<Buffer> {
    while (this.bytes.length < length) await this.more();
    const taken = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    return taken;
  }

  /** Gives back what was read too much. */
  release(): void {
    if (this.bytes.length > 0) this.socket.unshift(this.bytes);
  }
}

function login(proxy: URL): { user: string; password: string } | undefined {
  if (proxy.username === '') return undefined;
  return { user: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
}

/** CONNECT (RFC 9110 §9.3.6). */
async function connectByHttp(proxy: URL, reader: SocketReader, host: string, port: number): Promise<void> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const who = login(proxy);
  const basic = who && Buffer.from(`${who.user}:${who.password}`).toString('base64');
  const authorization = basic === undefined ? '' : `Proxy-Authorization: Basic ${basic}\r\n`;
  reader.socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  for (;;) {
    const end = reader.bytes.indexOf('\r\n\r\n');
    if (end >= 0) {
      const [line = ''] = reader.bytes.subarray(0, end).toString('latin1').split('\r\n');
      reader.bytes = reader.bytes.subarray(end + 4);
      if (/^HTTP\/1\.[01] 2\d\d/.test(line)) return;
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 'no HTTP status';
      throw new ProxyError(`the proxy refused the connection (${status})`);
    }
    if (reader.bytes.length > LONGEST_ANSWER) throw new ProxyError('the proxy does not speak HTTP');
    await reader.more();
  }
}

/** SOCKS5 (RFC 1928) with user and password (RFC 1929); the proxy resolves the name. */
async function connectBySocks(proxy: URL, reader: SocketReader, host: string, port: number): Promise<void> {
  const who = login(proxy);
  reader.socket.write(Buffer.from(who ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await reader.take(2);
  if (version !== 5) throw new ProxyError('the proxy does not speak SOCKS5');
  if (method === 2 && who) {
    const user = Buffer.from(who.user);
    const password = Buffer.from(who.password);
    reader.socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
    const [, refused] = await reader.take(2);
    if (refused !== 0) throw new ProxyError('the proxy refused its user and password');
  } else if (method !== 0) throw new ProxyError('the proxy wants a way to log in that it was not given');
  const name = Buffer.from(host);
  const target = Buffer.from([port >> 8, port & 0xff]);
  reader.socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, target]));
  const [, reply, , type] = await reader.take(4);
  if (reply !== 0) throw new ProxyError(`the proxy refused the connection (SOCKS5 reply ${reply})`);
  const length = type === 1 ? 4 : type === 4 ? 16 : ((await reader.take(1))[0] ?? 0);
  await reader.take(length + 2);
}

/**
 * A connection through the proxy to a host.
 *
 * @param authorities PEM; whom to trust for the certificate of an `https://` proxy. Asked for only then.
 * @throws ProxyError, or the error of the socket
 */
export async function tunnelThrough(
  proxy: URL,
  host: string,
  port: number,
  signal: AbortSignal,
  authorities: () => readonly string[],
): Promise<Socket> {
  const socks = proxy.protocol.startsWith('socks5');
  const at = {
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxy.port) || (socks ? 1080 : proxy.protocol === 'https:' ? 443 : 80),
  };
  // SNI carries names, not addresses.
  const tls = () => connectTls({ ...at, servername: isIP(at.host) === 0 ? at.host : '', ca: [...authorities()] });
  const socket = proxy.protocol === 'https:' ? tls() : connectTcp(at);
  const reader = new SocketReader(socket, signal);
  try {
    await (socks ? connectBySocks : connectByHttp)(proxy, reader, host, port);
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    if (error instanceof ProxyError || signal.aborted) throw error;
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
    throw new ProxyError(`the proxy ${at.host}:${at.port} cannot be reached (${reason})`, { cause: error });
  }
  reader.release();
  return socket;
}
