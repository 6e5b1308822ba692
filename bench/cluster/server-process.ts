/**
 * An API server with pods, in a process of its own, so that its work is not measured. Argument: `h2` or `http/1.1`. Its parent gets
 * the port, and for the message `connections` how many were opened so far.
 */
import { type Exchange, startHttpServer } from '../../src/testing/http-server/http-server.ts';
import { eventLine, pod } from './pods.ts';

/** Pods of the list, and events of the watch `busy`. */
export const [PODS_LISTED, EVENTS, KEYS] = [5_000, 20_000, 1_000];

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
  if (path.endsWith('/idle/pods')) return exchange.write(bookmark(1, END));
  if (path.endsWith('/busy/pods')) {
    if (query.get('sendInitialEvents') === null) return;
    exchange.write(bookmark(1, END));
    busy ??= Buffer.from(
      Array.from({ length: EVENTS }, (_, n) => eventLine(n < KEYS ? 'ADDED' : 'MODIFIED', pod(n % KEYS, n + 2))).join(''),
    );
    return send(exchange, busy);
  }
  if (query.get('sendInitialEvents') === null) return;
  listed ??= Buffer.from(pods.map((one) => eventLine('ADDED', one)).join('') + bookmark(pods.length, END));
  send(exchange, listed);
}

const server = await startHttpServer({
  settings: { maxConcurrentStreams: 250 },
  protocol: process.argv[2] === 'h2' ? 'h2' : 'http/1.1',
  handle: (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'https://server');
    if (searchParams.get('watch') === 'true') {
      // Servers before 1.32, and those that switched it off, refuse streaming lists.
      const old = pathname.endsWith('/paged/pods') && searchParams.get('sendInitialEvents') !== null;
      if (old) return exchange.json(400, { kind: 'Status', code: 400, reason: 'BadRequest', message: 'not known' });
      return watch(exchange, pathname, searchParams);
    }
    exchange.json(200, pathname.endsWith('/pods') ? list(searchParams) : pods[0]);
  },
});
process.on('message', () => process.send?.(server.connections));
process.on('disconnect', () => process.exit());
process.send?.(server.port);
