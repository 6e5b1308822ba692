import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type Settings,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { certificates, type KeyPair } from './certificates.ts';

export interface HttpServerOptions {
  /** `h2` also speaks HTTP/1.1 to those who want it; `plain` is HTTP/1.1 without TLS. */
  readonly protocol?: 'h2' | 'http/1.1' | 'plain';
  readonly pair?: KeyPair;
  /** Demands a client certificate of the test authority. */
  readonly clientCertificates?: boolean;
  readonly settings?: Settings;
  readonly handle: (exchange: Exchange) => void | Promise<void>;
}

/** One request and the means to answer it, well or badly. */
export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly version: 'h2' | 'http/1.1';
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
  json(status: number, value: unknown, headers?: Record<string, string>): void;
  text(status: number, text: string, headers?: Record<string, string>): void;
  /** Sends the head of an answer whose body goes on. */
  start(status?: number): void;
  /** Sends a piece of the body. */
  write(piece: string | Buffer): void;
  end(): void;
  /** Breaks the stream (HTTP/2) or the connection (HTTP/1.1). */
  cut(): void;
  /** Resolves when the client has gone, or the answer has ended. */
  readonly closed: Promise<void>;
}

export interface TestHttpServer {
  readonly port: number;
  /** https://127.0.0.1:PORT, or http. */
  readonly url: string;
  /** `METHOD PATH` of every request so far. */
  readonly requests: string[];
  /** Connections opened so far. */
  readonly connections: number;
  readonly sockets: ReadonlySet<Socket>;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  /** Replaces what answers. */
  handle: (exchange: Exchange) => void | Promise<void>;
  close(): Promise<void>;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

async function readBody(request: Request): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}

function commonName(socket: Socket): string | undefined {
  // The socket of an HTTP/2 session is a proxy that answers to names without having them; one without TLS has no such name.
  const subject = (socket as Partial<TLSSocket>).getPeerCertificate?.()?.subject;
  return typeof subject?.CN === 'string' ? subject.CN : undefined;
}

function exchangeOf(request: Request, response: Response, body: string): Exchange {
  // The two answers have the same methods, but their overloads do not unite.
  const answer = response as ServerResponse;
  const reply = (status: number, text: string, headers: Record<string, string>): void => {
    answer.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
    answer.end(text);
  };
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    version: request.httpVersionMajor === 2 ? 'h2' : 'http/1.1',
    client: commonName('stream' in request ? request.stream.session!.socket : request.socket),
    json: (status, value, headers = {}) =>
      reply(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers }),
    text: (status, text, headers = {}) => reply(status, text, { 'content-type': 'text/plain', ...headers }),
    start: (status = 200) => {
      answer.writeHead(status, { 'content-type': 'application/json' });
      answer.flushHeaders?.();
    },
    write: (piece) => void answer.write(piece),
    end: () => void answer.end(),
    cut: () => {
      if ('stream' in request) request.stream.destroy();
      else request.socket.destroy();
    },
    closed: once(response, 'close').then(() => undefined),
  };
}

/** A server on 127.0.0.1 that answers as `handle` says: for tests of the client, with every fault HTTP allows. */
export async function startHttpServer(options: HttpServerOptions): Promise<TestHttpServer> {
  const { protocol = 'h2', pair = certificates.server } = options;
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const requests: string[] = [];
  let connections = 0;
  const listener = (request: Request, response: Response): void => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => undefined);
    readBody(request).then(
      (body) => server.handle(exchangeOf(request, response, body)),
      () => undefined,
    );
  };
  const tls = {
    cert: pair.certificate,
    key: pair.key,
    ...(options.clientCertificates ? { ca: certificates.authority, requestCert: true, rejectUnauthorized: true } : {}),
  };
  const raw =
    protocol === 'plain'
      ? createServer(listener)
      : protocol === 'http/1.1'
        ? createHttpsServer(tls, listener)
        : createSecureServer({ ...tls, allowHTTP1: true, settings: options.settings ?? {} }, listener);
  raw.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  raw.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const { port } = raw.address() as AddressInfo;
  const server: TestHttpServer = {
    port,
    url: `${protocol === 'plain' ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    sockets,
    sessions,
    handle: options.handle,
    async close() {
      const closed = once(raw, 'close');
      raw.close();
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return server;
}
