/**
 * An API server with pods, in a process of its own, so that its work is not measured. Argument: `all`, or `reads` for nothing but reads.
 * Its parent gets the port, and for the message `connections` how many were opened so far.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificates } from '../../src/testing/http-server/certificates.ts';
import { type Exchange, startHttpServer } from '../../src/testing/http-server/http-server.ts';
import { eventLine, pod, smallPod } from './pods.ts';
import { EVENT_PODS, EVENTS, PODS_LISTED } from './served.ts';

const bookmark = (version: number, annotations = {}): string =>
  eventLine('BOOKMARK', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { resourceVersion: String(version), annotations },
  });
const END = { 'k8s.io/initial-events-end': 'true' };

const pods = Array.from({ length: PODS_LISTED }, (_, index) => pod(index, index + 1));
let listed: Buffer | undefined;
let busy: Buffer | undefined;

function list(query: URLSearchParams): unknown {
  const from = Number(query.get('continue') ?? 0);
  const limit = Number(query.get('limit') ?? pods.length);
  const more = from + limit < pods.length ? String(from + limit) : '';
  const metadata = { resourceVersion: String(pods.length), continue: more };
  const items = pods.slice(from, from + limit).map(({ apiVersion: _version, kind: _kind, ...rest }) => rest);
  return { kind: 'PodList', apiVersion: 'v1', metadata, items };
}

/** As fast as the reader takes it. */
function send(exchange: Exchange, all: Buffer): void {
  const piece = 64 * 1024;
  for (let from = 0; from < all.length; from += piece) exchange.write(all.subarray(from, from + piece));
}

function watch(exchange: Exchange, path: string, query: URLSearchParams): void {
  exchange.start();
  if (path.endsWith('/idle/pods')) {
    exchange.write(bookmark(1, END));
    return;
  }
  if (path.endsWith('/busy/pods')) {
    if (query.get('sendInitialEvents') === null) return;
    exchange.write(bookmark(1, END));
    busy ??= Buffer.from(
      Array.from({ length: EVENTS }, (_, n) =>
        eventLine(n < EVENT_PODS ? 'ADDED' : 'MODIFIED', smallPod(n % EVENT_PODS, n + 2)),
      ).join(''),
    );
    send(exchange, busy);
    return;
  }
  if (query.get('sendInitialEvents') === null) return;
  listed ??= Buffer.from(pods.map((one) => eventLine('ADDED', one)).join('') + bookmark(pods.length, END));
  send(exchange, listed);
}

/** Nothing but reads of one Pod, as fast as Node serves them: what it takes would blur the difference of its clients. */
async function serveReads(): Promise<{ readonly port: number; readonly connections: number }> {
  const { certificate: cert, key } = certificates.server;
  const body = Buffer.from(JSON.stringify(pods[0]));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const server = createServer({ cert, key }, (_, response) => {
    response.writeHead(200, headers).end(body);
  });
  const opened = { port: 0, connections: 0 };
  server.on('connection', () => {
    opened.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.port = (server.address() as AddressInfo).port; // It listens on TCP.
  return opened;
}

async function serveAll(): Promise<{ readonly port: number; readonly connections: number }> {
  return startHttpServer({
    settings: { maxConcurrentStreams: 250 },
    handle: (exchange) => {
      const { pathname, searchParams } = new URL(exchange.path, 'https://server');
      if (searchParams.get('watch') === 'true') {
        // Servers before 1.32, and those that switched it off, refuse streaming lists.
        const old = pathname.endsWith('/paged/pods') && searchParams.get('sendInitialEvents') !== null;
        if (old) exchange.json(400, { kind: 'Status', code: 400, reason: 'BadRequest', message: 'not known' });
        else watch(exchange, pathname, searchParams);
        return;
      }
      exchange.json(200, pathname.endsWith('/pods') ? list(searchParams) : pods[0]);
    },
  });
}

const server = await (process.argv[2] === 'reads' ? serveReads() : serveAll());
process.on('message', () => process.send?.(server.connections));
process.on('disconnect', () => process.exit());
process.send?.(server.port);
