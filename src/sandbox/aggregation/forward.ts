import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { User } from '../access/user.ts';
import type { Endpoint } from './aggregated-api.ts';
import { type FrontProxy, userHeaders } from './front-proxy.ts';

/** A request as it is handed on. */
export interface Forwarded {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly user: User;
}

/** Headers of one connection, and those by which somebody is told: the front proxy speaks for itself and names the user. */
const NOT_HANDED_ON =
  /^(?::.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|authorization|x-remote-.*|impersonate-.*)$/;

function handedOn(headers: Forwarded['headers']): Record<string, string | readonly string[]> {
  const kept: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !NOT_HANDED_ON.test(name)) kept[name] = value;
  }
  return kept;
}

/** Connections to one aggregated API server, made with the front proxy's certificate. */
export class BackendConnections {
  readonly #endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint, { client }: FrontProxy) {
    const { serverName, authority, verified } = endpoint;
    this.#endpoint = endpoint;
    this.#agent = new Agent({
      keepAlive: true,
      cert: client.certificate,
      key: client.key,
      ...(serverName === '' ? {} : { servername: serverName }),
      rejectUnauthorized: verified,
      ...(authority === undefined ? {} : { ca: authority }),
    });
  }

  /** Sends a request in the name of its user. Rejects when no answer begins, or when the signal aborts before. */
  send({ method, url, headers, body, user }: Forwarded, signal: AbortSignal): Promise<IncomingMessage> {
    const { host, port } = this.#endpoint;
    const hasBody = body.length > 0;
    const all = {
      ...handedOn(headers),
      ...userHeaders(user),
      'x-forwarded-proto': 'https',
      ...(hasBody ? { 'content-length': String(body.length) } : {}),
    };
    return new Promise((resolve, reject) => {
      const options = {
        method,
        host,
        port,
        path: url,
        agent: this.#agent,
        headers: all as Record<string, string>,
        signal,
      };
      request(options, resolve)
        .on('error', reject)
        .end(hasBody ? body : undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
