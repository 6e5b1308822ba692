import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PrometheusTelemetry } from './prometheus-telemetry.ts';

/** A part of the process, and why it does not work; undefined: it works. */
export type Check = () => string | undefined;

export interface OperationsOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** A process that fails one is to be ended. */
  readonly live: Readonly<Record<string, Check>>;
  /** A process that fails one is not to be asked for anything. */
  readonly ready: Readonly<Record<string, Check>>;
  readonly telemetry: Pick<PrometheusTelemetry, 'text' | 'contentType'>;
}

export interface OperationsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /livez, /readyz and /metrics over plain HTTP, for the machine itself unless asked otherwise. Rejects when the port is taken. */
export async function serveOperations(options: OperationsOptions): Promise<OperationsServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'use GET\n');
    else if (path === '/livez' || path === '/healthz') tell(response, options.live);
    else if (path === '/readyz') tell(response, { ...options.live, ...options.ready });
    else if (path === '/metrics') void metrics(response, options);
    else answer(response, 404, 'there are /livez, /readyz and /metrics\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  // A server on a TCP port has this form of address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One line for each check, as the API server's own `?verbose`; 503 when one fails. */
function tell(response: ServerResponse, checks: Readonly<Record<string, Check>>): void {
  const told = Object.entries(checks).map(([name, check]) => ({ name, problem: check() }));
  const lines = told.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${problem}\n`,
  );
  const failed = told.some(({ problem }) => problem !== undefined);
  answer(response, failed ? 503 : 200, `${lines.join('')}${failed ? 'failed' : 'ok'}\n`);
}

async function metrics(response: ServerResponse, { telemetry }: OperationsOptions): Promise<void> {
  try {
    answer(response, 200, await telemetry.text(), telemetry.contentType);
  } catch {
    answer(response, 500, 'the metrics could not be read\n');
  }
}

function answer(response: ServerResponse, code: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}
