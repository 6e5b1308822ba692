import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request of the front proxy; its connection has shown the front proxy's certificate. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** An API server that serves a group of its own behind the sandbox, as an APIService names it. */
export interface AggregatedApi {
  readonly group: string;
  readonly version: string;
  /** Where it listens, or what answers in this process (the sandbox then listens for it on loopback). */
  readonly server: { readonly url: string; readonly authority: string } | { readonly handle: HandleRequest };
  /** Default 1000, as for kinds of CRDs. */
  readonly groupPriorityMinimum?: number;
  /** Default 15. */
  readonly versionPriority?: number;
}

/** How an aggregated API server is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must bear. */
  readonly serverName: string;
  /** PEM; undefined: the authorities of the system, as without a caBundle. */
  readonly authority: string | undefined;
  readonly verified: boolean;
}
