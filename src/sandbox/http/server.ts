import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import { requireAllowed } from '../access/authorise.ts';
import { actingUser } from '../access/impersonation.ts';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { StatusError } from '../objects/status-error.ts';
import type { Certificate } from '../tls/certificates.ts';
import type { ChooseFault, Fault } from './faults.ts';
import { forwardRequest, versionOfPath } from './forward-request.ts';
import { type Answer, type ApiRequest, header, headerValues, type StreamAnswer } from './request.ts';
import { attributesOf } from './request-attributes.ts';
import type { Access } from './reviews.ts';
import type { Router } from './router.ts';

/** What kube-apiserver takes for one object: 3 MiB. */
const BODY_LIMIT = 3 * 1024 * 1024;

export interface ServerOptions {
  readonly router: Router;
  readonly aggregator: Aggregator;
  readonly clock: Clock;
  readonly access: Access;
  readonly certificate: Certificate;
  readonly chooseFault: ChooseFault;
}

export interface RunningServer {
  readonly port: number;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Serves HTTPS (HTTP/1.1 and HTTP/2) on 127.0.0.1. Rejects when the port is taken. */
export async function startServer(options: ServerOptions, port: number): Promise<RunningServer> {
  const { certificate, key } = options.certificate;
  const server = createSecureServer({ allowHTTP1: true, cert: certificate, key }, (request, response) => {
    void serve(request, response, options);
  });
  const sockets = new Set<Socket>();
  const remember = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that leaves in the middle of something is no error of the server.
    socket.on('error', () => {});
  };
  server.on('connection', remember);
  server.on('secureConnection', remember);
  server.on('sessionError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A server on a TCP port has this form of address.
  const address = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port: address.port, close };
}

async function serve(
  incoming: Http2ServerRequest,
  response: Http2ServerResponse,
  options: ServerOptions,
): Promise<void> {
  response.on('error', () => {});
  try {
    const request = await read(incoming, options.access);
    const fault = options.chooseFault(request);
    if (fault?.kind === 'delay') await options.clock.sleep(fault.milliseconds);
    if (fault?.kind === 'drop') return lose(incoming);
    if (fault?.kind === 'text') return send(response, { code: fault.code, body: fault.body, contentType: 'text/html' });
    if (fault?.kind === 'status') {
      const details = fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter };
      throw new StatusError(fault.reason, 'a fault of the sandbox', details);
    }
    requireAllowed(options.access.authorise, request.user, request.attributes);
    const { group, version } = versionOfPath(request.path);
    if (options.aggregator.isAggregated(group, version)) {
      return await forwardRequest(request, response, options.aggregator);
    }
    const lag = fault?.kind === 'stale' ? fault.changes : 0;
    const answer = await options.router.answer(lag > 0 ? { ...request, lag } : request);
    const limit = cutOff(incoming, fault);
    if ('start' in answer) stream(incoming, response, answer, limit);
    else send(response, answer, limit);
  } catch (error) {
    refuse(response, error);
  }
}

function refuse(response: Http2ServerResponse, error: unknown): void {
  const told =
    error instanceof StatusError
      ? error
      : new StatusError('InternalError', error instanceof Error ? (error.stack ?? error.message) : String(error));
  const { retryAfterSeconds } = told.details;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  send(response, { code: told.code, body: told.toStatus() });
}

/** All headers by name; what comes several times is a list, for a comma may stand in the value. */
function headersOf({ rawHeaders }: Http2ServerRequest): ApiRequest['headers'] {
  const headers: Record<string, string | string[]> = {};
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const name = (rawHeaders[place] ?? '').toLowerCase();
    const value = rawHeaders[place + 1] ?? '';
    const known = headers[name];
    headers[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return headers;
}

function elementsOf(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    throw new StatusError('BadRequest', `the path is badly escaped: ${path}`);
  }
}

/** By events: an iterator of a stream costs more than the rest of reading it. */
function bodyOf(incoming: Http2ServerRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT) reject(new StatusError('RequestEntityTooLarge', `limit is ${BODY_LIMIT}`));
      else chunks.push(chunk);
    });
    incoming.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    incoming.once('error', reject);
    // Who leaves in the middle of a body waits for no answer; what was read already is resolved.
    incoming.once('close', () => reject(new StatusError('BadRequest', 'the body of the request breaks off')));
  });
}

/** A path, however many slashes it begins with, is no name of a host. */
function urlOf(target: string): URL {
  const text = target.startsWith('/') ? `https://sandbox${target}` : target;
  if (URL.canParse(text, 'https://sandbox')) return new URL(text, 'https://sandbox');
  throw new StatusError('BadRequest', `the path is badly escaped: ${target}`);
}

async function read(incoming: Http2ServerRequest, { authenticate, authorise }: Access): Promise<ApiRequest> {
  const body = await bodyOf(incoming);
  const { method } = incoming;
  const url = urlOf(incoming.url);
  const path = elementsOf(url.pathname);
  const headers = headersOf(incoming);
  const requester = authenticate(header({ headers }, 'authorization').replace(/^Bearer\s+/i, ''));
  if (requester === undefined) throw new StatusError('Unauthorized', 'Unauthorized');
  const valuesOf = (name: string): readonly string[] => headerValues({ headers }, name);
  return {
    method,
    url: incoming.url,
    path,
    query: url.searchParams,
    headers,
    body,
    user: actingUser(requester, Object.keys(headers), valuesOf, authorise),
    attributes: attributesOf(method, path, url.searchParams),
  };
}

/** Cuts a text where a fault says so. */
type Limit = (text: string) => { readonly text: string; readonly lost: (() => void) | undefined };

function cutOff(incoming: Http2ServerRequest, fault: Fault | undefined): Limit {
  if (fault?.kind !== 'cut') return (text) => ({ text, lost: undefined });
  let left = fault.bytes;
  return (text) => {
    const bytes = Buffer.from(text);
    const part = bytes.subarray(0, left);
    left -= part.length;
    return { text: part.toString('latin1'), lost: part.length < bytes.length ? () => lose(incoming) : undefined };
  };
}

function lose(incoming: Http2ServerRequest): void {
  // Over HTTP/2 the stream stands for the connection: other requests share the socket.
  if (incoming.httpVersionMajor === 2) incoming.stream.close(2);
  else incoming.socket.destroy();
}

const UNCUT: Limit = (text) => ({ text, lost: undefined });

/** RFC 7234 §5.5, with the code for what is of no particular kind. As in Go, UTF-8 goes out as it is; no header holds control characters. */
function warningText(text: string): string {
  const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const plain = quoted.replace(/[\x00-\x1f\x7f]/g, ' ');
  // Node writes headers byte for byte.
  return `299 - "${Buffer.from(plain).toString('latin1')}"`;
}

function send(
  response: Http2ServerResponse,
  { code, body, contentType, warnings = [] }: Answer,
  limit: Limit = UNCUT,
): void {
  if (warnings.length > 0) response.setHeader('warning', warnings.map(warningText));
  const { text, lost } = limit(typeof body === 'string' ? body : `${JSON.stringify(body)}\n`);
  const length = lost === undefined ? { 'content-length': Buffer.byteLength(text) } : {};
  // With its length known, head and body go out in one piece, and no client has to put chunks together.
  response.writeHead(code, {
    'content-type': contentType ?? 'application/json',
    'cache-control': 'no-cache, private',
    ...length,
  });
  // With a text Node writes the head in the encoding of the text, and what stands for bytes in a warning would be encoded again.
  if (lost === undefined) response.end(warnings.length === 0 ? text : Buffer.from(text));
  else response.write(text, lost);
}

function stream(incoming: Http2ServerRequest, response: Http2ServerResponse, answer: StreamAnswer, limit: Limit): void {
  response.writeHead(answer.code, { 'content-type': answer.contentType, 'cache-control': 'no-cache, private' });
  // The head goes out at once: clients wait for it before the first event.
  if (incoming.httpVersionMajor === 1) (response as unknown as { flushHeaders(): void }).flushHeaders();
  let stop: (() => void) | undefined;
  let closed = false;
  const end = (): void => {
    closed = true;
    stop?.();
    response.end();
  };
  stop = answer.start((whole) => {
    if (closed) return;
    const { text, lost } = limit(whole);
    response.write(text, lost);
    if (lost !== undefined) closed = true;
  }, end);
  response.on('close', () => {
    closed = true;
    stop?.();
  });
  if (closed) stop();
}
