import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import type { ClientCertificate } from './kubeconfig/credential.ts';
import { tunnelThrough } from './proxy-tunnel.ts';

export interface Dial {
  readonly config: Pick<ClusterConfig, 'server' | 'authority' | 'serverName' | 'insecure' | 'proxy'>;
  readonly certificate: ClientCertificate | undefined;
  /** Protocols offered by ALPN, the best first. */
  readonly protocols: readonly ('h2' | 'http/1.1')[];
  readonly signal: AbortSignal;
}

/** ms between probes of TCP on an idle connection: below the idle limit of common load balancers (350 s, 240 s, 60 s). */
const KEEP_ALIVE = 30_000;

/** Waits for one event of a socket. Rejects with the error of the socket, or the reason of the signal; the socket is then gone. */
export function untilReady<Kind extends Socket>(socket: Kind, event: string, signal: AbortSignal): Promise<Kind> {
  return new Promise((resolve, reject) => {
    const end = (work: () => void): void => {
      socket.off(event, ready).off('error', fail).off('close', closed);
      signal.removeEventListener('abort', abort);
      work();
    };
    const ready = (): void => end(() => resolve(socket));
    const fail = (error: Error): void => {
      socket.destroy();
      // Errors that come later have nobody to tell: the socket is gone.
      end(() => socket.on('error', () => undefined));
      reject(error);
    };
    const closed = (): void => fail(Object.assign(new Error('closed during the handshake'), { code: 'ECONNRESET' }));
    const abort = (): void => fail(signal.reason);
    socket.on(event, ready).on('error', fail).on('close', closed);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

let known: string[] | undefined;

/** Authorities of Node and of this machine: where the kubeconfig names none, kubectl trusts those of the machine. Read once. */
function publicAuthorities(): string[] {
  known ??= [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
  return known;
}

const contexts = new WeakMap<
  Dial['config'],
  { readonly certificate: string | undefined; readonly context: SecureContext }
>();

/** Certificates parsed once for each cluster, not for each connection: 150 public authorities take tens of milliseconds. */
function secureContext({ config, certificate }: Dial): SecureContext {
  const cached = contexts.get(config);
  if (cached && cached.certificate === certificate?.certificate) return cached.context;
  const context = createSecureContext({
    ca: config.authority ?? publicAuthorities(),
    ...(certificate ? { cert: certificate.certificate, key: certificate.key } : {}),
    minVersion: 'TLSv1.2',
  });
  contexts.set(config, { certificate: certificate?.certificate, context });
  return context;
}

function startTls(call: Dial, host: string, port: number, socket?: Socket): TLSSocket {
  const { config, protocols } = call;
  const name = config.serverName;
  return connectTls({
    ...(socket ? { socket } : {}),
    host,
    port,
    // SNI carries names, not addresses.
    servername: name !== undefined && isIP(name) === 0 ? name : isIP(host) === 0 ? host : '',
    checkServerIdentity: (given, peer) => checkServerIdentity(name ?? (given || host), peer),
    rejectUnauthorized: !config.insecure,
    secureContext: secureContext(call),
    ALPNProtocols: [...protocols],
  });
}

/** A connection to the API server, through the proxy where there is one, with TLS done. Rejects with the error of the socket. */
export async function dial(call: Dial): Promise<Socket> {
  const { server, proxy } = call.config;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port) || (server.protocol === 'https:' ? 443 : 80);
  // As client-go: what the kubeconfig trusts is trusted for the proxy as well.
  const authorities = (): string[] => [
    ...publicAuthorities(),
    ...(call.config.authority === undefined ? [] : [call.config.authority]),
  ];
  const tunnel = proxy ? await tunnelThrough(proxy, host, port, call.signal, authorities) : undefined;
  const tls = server.protocol === 'https:';
  const socket = tls ? startTls(call, host, port, tunnel) : (tunnel ?? connectTcp({ host, port }));
  if (tls) await untilReady(socket, 'secureConnect', call.signal);
  else if (socket.connecting) await untilReady(socket, 'connect', call.signal);
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE);
}
