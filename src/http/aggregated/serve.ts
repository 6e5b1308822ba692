import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type AggregatedApiOptions, aggregatedApi } from './aggregated-api.ts';
import type { FrontProxy } from './front-proxy.ts';

/** What the server shows to its clients; PEM. */
interface ShownCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The aggregated API on a port. Until it has a certificate, connections end in the handshake. */
export interface AggregatedServer {
  readonly port: number;
  /** Shows this certificate from the next connection on. */
  show(certificate: ShownCertificate): void;
  /** Believes this front proxy from the next connection on. */
  trust(frontProxy: FrontProxy | undefined): void;
  close(): Promise<void>;
}

export interface ServeOptions extends Omit<AggregatedApiOptions, 'frontProxy' | 'server'> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Serves over HTTPS. Rejects when the port is taken. */
export async function serveAggregatedApi({ host, port, ...options }: ServeOptions): Promise<AggregatedServer> {
  let shown: ShownCertificate | undefined;
  let trusted: FrontProxy | undefined;
  // Who comes without a certificate, or with a foreign one, gets an answer that says so, not a broken handshake.
  const server = createServer({ requestCert: true, rejectUnauthorized: false });
  const app = aggregatedApi({
    ...options,
    frontProxy: () => trusted,
    server: {
      serverFactory: (handle) => server.on('request', handle),
    },
  });
  const renew = (): void => {
    if (shown === undefined) return;
    const { certificate, key } = shown;
    // Without authorities those of the machine would count: whoever has a certificate for a web site would get in.
    server.setSecureContext({ cert: certificate, key, ca: trusted?.authorities ?? [] });
  };
  await app.listen({ host, port });
  // A server on a TCP port has this form of address.
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    show: (certificate) => {
      shown = certificate;
      renew();
    },
    trust: (frontProxy) => {
      trusted = frontProxy;
      renew();
    },
    close: async () => {
      const closed = app.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
