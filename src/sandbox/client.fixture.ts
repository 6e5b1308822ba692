import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { Sandbox } from './start-sandbox.ts';

export interface Reply {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The body as JSON; what a test expects of it, it says itself. */
  readonly json: () => Record<string, never>;
}

export interface Client {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Events of a watch as they come; the stream ends with the server's or by `return`. */
  watch(path: string): AsyncGenerator<{ type: string; object: Record<string, never> }>;
}

/** A plain HTTPS client of a sandbox. */
export function clientOf(sandbox: Sandbox, token = sandbox.token): Client {
  const open = (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const options = {
        method,
        ca: sandbox.authority,
        agent: false,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      } as const;
      const sent = request(`${sandbox.url}${path}`, options, resolve).on('error', reject);
      sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    });
  return {
    call: async (method, path, body, headers = {}) => {
      const response = await open(method, path, body, headers);
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      return { code: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) };
    },
    watch: async function* (path) {
      const response = await open('GET', path, undefined, {});
      try {
        for await (const line of createInterface({ input: response })) yield JSON.parse(line);
      } finally {
        response.destroy();
      }
    },
  };
}
