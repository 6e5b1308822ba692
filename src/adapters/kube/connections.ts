import type { Socket } from 'node:net';
import { Pool } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import { TransportError } from '../../ports/errors.ts';
import { inTime } from './deadline.ts';
import { dial } from './dial.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import type { ClientCertificate } from './kubeconfig/credential.ts';

/** Most connections for requests: client-go multiplexes over one, browsers take six; more than eight did not make lists faster. */
const MOST_CONNECTIONS = 8;
/** ms that an idle connection is kept: the API server keeps it for 90 s. */
const IDLE = 60_000;
/** ms for TCP, proxy and TLS together. */
const DIAL_TIMEOUT = 10_000;

/** Dials with a deadline. @throws TransportError (`timeout`), or the error of the socket */
export function dialInTime(
  config: ClusterConfig,
  clock: Clock,
  certificate: ClientCertificate | undefined,
  protocols: readonly ('h2' | 'http/1.1')[],
): Promise<Socket> {
  const late = (): Error => {
    const text = `no connection within ${DIAL_TIMEOUT / 1000} s; check the server URL, network and VPN`;
    return new TransportError('timeout', `${config.description}: ${text}`);
  };
  return inTime({ clock, ms: DIAL_TIMEOUT, late }, (signal) => dial({ config, certificate, protocols, signal }));
}

/** The HTTP/1.1 connections of one cluster: a bounded pool for requests, and one without bound for streams (logs, watches). */
export class Connections {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  #certificate: ClientCertificate | undefined;
  #requests: Pool | undefined;
  #streams: Pool | undefined;

  constructor(config: ClusterConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  requests(certificate: ClientCertificate | undefined): Pool {
    this.#renew(certificate);
    this.#requests ??= this.#pool(MOST_CONNECTIONS);
    return this.#requests;
  }

  streams(certificate: ClientCertificate | undefined): Pool {
    this.#renew(certificate);
    this.#streams ??= this.#pool(null);
    return this.#streams;
  }

  /** Ends everything, also what is still running. */
  async close(): Promise<void> {
    await Promise.all([this.#requests?.destroy(), this.#streams?.destroy()]);
  }

  /** A connection speaks for the certificate it was opened with: another certificate means other connections. */
  #renew(certificate: ClientCertificate | undefined): void {
    if (certificate?.certificate === this.#certificate?.certificate) return;
    this.#certificate = certificate;
    for (const pool of [this.#requests, this.#streams]) pool?.close().catch(() => undefined);
    this.#requests = undefined;
    this.#streams = undefined;
  }

  #pool(connections: number | null): Pool {
    const certificate = this.#certificate;
    return new Pool(this.#config.server.origin, {
      connections,
      allowH2: false,
      keepAliveTimeout: IDLE,
      // Deadlines are kept by the transport, on its own clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        dialInTime(this.#config, this.#clock, certificate, ['http/1.1']).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
        );
      },
    });
  }
}
