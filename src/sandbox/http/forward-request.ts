import type { Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import type { Aggregator } from '../aggregation/aggregator.ts';
import type { ApiRequest } from './request.ts';

/** Headers of the connection behind; HTTP/2 forbids them. */
const NOT_PASSED_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'trailer',
]);

/** The group and the version that a path is about; '' where it is about none. */
export function versionOfPath([root, group = '', version = '']: readonly string[]): {
  readonly group: string;
  readonly version: string;
} {
  return root === 'apis' ? { group, version } : { group: '', version: '' };
}

/** As http.Error of Go writes it: what kube-aggregator says of its own failures is no Status object. */
function unavailable(response: Http2ServerResponse, why: string): void {
  response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(`${why}\n`);
}

/** Hands a request on to the server of its group, and the answer back as it comes. */
export async function forwardRequest(
  request: ApiRequest,
  response: Http2ServerResponse,
  aggregator: Aggregator,
): Promise<void> {
  const left = new AbortController();
  response.on('close', () => left.abort());
  const { group, version } = versionOfPath(request.path);
  try {
    const answer = await aggregator.send(group, version, request, left.signal);
    if (answer === undefined) return unavailable(response, 'service unavailable');
    const headers = Object.entries(answer.headers).filter(([name]) => !NOT_PASSED_BACK.has(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
    await pipeline(answer, response);
  } catch (error) {
    // Half an answer ends with its connection, as a client of the server itself would see it.
    if (left.signal.aborted || response.headersSent) return;
    const why = error instanceof Error ? error.message : String(error);
    unavailable(response, `error trying to reach service: ${why}`);
  }
}
