import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../tls/certificates.ts';
import type { Endpoint, HandleRequest } from './aggregated-api.ts';
import type { FrontProxy } from './front-proxy.ts';

/** A handler that listens on loopback, for the front proxy alone. */
export interface HandlerServer {
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

/** Serves a handler over TLS, so that it sees what it would see in a cluster: who shows no certificate of the front proxy is cut off. */
export async function serveHandler(
  handle: HandleRequest,
  { certificate, key }: Certificate,
  { authority }: FrontProxy,
): Promise<HandlerServer> {
  const server = createServer({ cert: certificate, key, ca: authority.certificate, requestCert: true }, handle);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // A server on a TCP port has this form of address.
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { host: '127.0.0.1', port, serverName: 'localhost', authority: certificate, verified: true },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
