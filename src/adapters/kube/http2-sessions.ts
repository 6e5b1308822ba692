import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Clock } from '../../ports/clock.ts';
import { TransportError } from '../../ports/errors.ts';
import { dialInTime } from './connections.ts';
import { inTime } from './deadline.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import type { ClientCertificate } from './kubeconfig/credential.ts';

/** ms between pings, and ms that an answer may take: a dead connection is known within half a minute. */
const PING = 20_000;
const PING_TIMEOUT = 10_000;
/** Bytes that the server may send ahead: for one watch, and for all of a connection (the default of 64 KB is one big object). */
const STREAM_WINDOW = 2 << 20;
const SESSION_WINDOW = 16 << 20;
/** Megabytes that Node lets a session hold before it refuses streams; its default of 10 is less than the window. */
const SESSION_MEMORY = 256;

interface Session {
  readonly http2: ClientHttp2Session;
  readonly certificate: ClientCertificate | undefined;
  streams: number;
}

function mostStreams({ http2 }: Session): number {
  return http2.remoteSettings.maxConcurrentStreams ?? 100;
}

/** A stream of a session, and the way to give its place back. */
export interface OpenStream {
  readonly stream: ClientHttp2Stream;
  readonly status: number;
  readonly header: (name: string) => string;
}

function refusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_HTTP2_GOAWAY_SESSION' || code === 'ERR_HTTP2_INVALID_SESSION') return true;
  return error instanceof Error && error.message.includes('NGHTTP2_REFUSED_STREAM');
}

/**
 * The HTTP/2 connections of one cluster: as many as its streams need, never more streams on one than the server allows. A
 * connection that the server asked to leave (GOAWAY) gets no new streams; one that does not answer pings is destroyed.
 */
export class Http2Sessions {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #sessions = new Set<Session>();
  #dialing: Promise<boolean> | undefined;
  /** Whether the server speaks HTTP/2, as far as is known. */
  #spoken = true;
  #closed = false;

  constructor(config: ClusterConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    if (config.server.protocol === 'http:') this.#spoken = false;
  }

  /** A stream whose answer has begun; undefined when the server does not speak HTTP/2. Rejects with errors of `node:http2`. */
  async open(
    headers: Readonly<Record<string, string | string[]>>,
    certificate: ClientCertificate | undefined,
    signal: AbortSignal,
  ): Promise<OpenStream | undefined> {
    for (let tries = 1; ; tries += 1) {
      const session = await this.#withRoom(certificate);
      if (session === undefined) return undefined;
      if (signal.aborted) {
        session.streams -= 1;
        throw signal.reason;
      }
      try {
        return await this.#request(session, headers, signal);
      } catch (error) {
        // The server had not begun with it: asking again is safe.
        if (!refusal(error) || tries >= 3) throw error;
      }
    }
  }

  close(): void {
    this.#closed = true;
    for (const { http2 } of this.#sessions) http2.destroy();
    this.#sessions.clear();
  }

  async #withRoom(certificate: ClientCertificate | undefined): Promise<Session | undefined> {
    while (this.#spoken) {
      for (const session of this.#sessions) {
        const { http2 } = session;
        if (http2.closed || http2.destroyed) continue;
        if (session.certificate?.certificate !== certificate?.certificate) {
          // Streams that run go on; the last of them closes it.
          if (session.streams === 0) http2.close();
          continue;
        }
        if (session.streams >= mostStreams(session)) continue;
        // Taken at once: others who wait for room look before this one asks.
        session.streams += 1;
        return session;
      }
      this.#dialing ??= this.#dial(certificate).finally(() => {
        this.#dialing = undefined;
      });
      await this.#dialing;
    }
    return undefined;
  }

  async #dial(certificate: ClientCertificate | undefined): Promise<boolean> {
    const socket = await dialInTime(this.#config, this.#clock, certificate, ['h2', 'http/1.1']);
    if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#spoken = false;
      return false;
    }
    const http2 = connect(this.#config.server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY,
    });
    // Streams are told on their own.
    http2.on('error', () => undefined);
    await this.#greeted(http2);
    http2.setLocalWindowSize(SESSION_WINDOW);
    const session: Session = { http2, certificate, streams: 0 };
    if (mostStreams(session) < 1) {
      http2.destroy();
      throw new TransportError(
        'protocol',
        `${this.#config.description}: the server allows no HTTP/2 streams; check it`,
      );
    }
    if (this.#closed) {
      http2.destroy();
      throw new TransportError('unreachable', `${this.#config.description}: the client was closed`);
    }
    this.#sessions.add(session);
    const gone = new AbortController();
    http2.once('close', () => {
      this.#sessions.delete(session);
      gone.abort();
    });
    this.#keepAlive(http2, gone.signal).catch(() => undefined);
    return true;
  }

  /** Waits for the settings of the server: how many streams it allows stands there. */
  #greeted(http2: ClientHttp2Session): Promise<void> {
    return this.#signOfLife((resolve, reject) => {
      http2.once('remoteSettings', () => resolve()).once('error', reject);
      http2.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    }).catch((error: unknown) => {
      http2.destroy();
      throw error;
    });
  }

  async #keepAlive(http2: ClientHttp2Session, gone: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(PING, gone);
      try {
        await this.#signOfLife((resolve, reject) => {
          http2.ping((error) => (error ? reject(error) : resolve()));
        }, gone);
      } catch (error) {
        http2.destroy(error instanceof Error ? error : undefined);
        return;
      }
    }
  }

  /** Waits for a sign of life that calls back, but not for long. */
  #signOfLife(work: (resolve: () => void, reject: (error: Error) => void) => void, gone?: AbortSignal): Promise<void> {
    const late = (): Error => {
      const text = `the connection is silent: no sign of life within ${PING_TIMEOUT / 1000} s; check network and VPN`;
      return new TransportError('timeout', `${this.#config.description}: ${text}`);
    };
    return inTime({ clock: this.#clock, ms: PING_TIMEOUT, late, signals: [gone] }, (signal) => {
      return new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        work(resolve, reject);
      });
    });
  }

  /** Asks in the place that was taken for it. */
  #request(
    session: Session,
    headers: Readonly<Record<string, string | string[]>>,
    signal: AbortSignal,
  ): Promise<OpenStream> {
    let stream: ClientHttp2Stream;
    try {
      stream = session.http2.request(headers, { endStream: true });
    } catch (error) {
      session.streams -= 1;
      return Promise.reject(error);
    }
    stream.once('close', () => {
      session.streams -= 1;
      // Left behind by GOAWAY or a new certificate, or one of many after a rush.
      if (session.streams === 0 && this.#sessions.size > 1) session.http2.close();
    });
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(signal.reason);
      };
      stream.once('response', (answer) => {
        signal.removeEventListener('abort', abort);
        const header = (name: string): string => String(answer[name] ?? '');
        resolve({ stream, status: answer[':status'] ?? 0, header });
      });
      stream.on('error', (error: Error & { code?: string }) => {
        if (error.message.includes('NGHTTP2_HTTP_1_1_REQUIRED')) this.#spoken = false;
        reject(error);
      });
      stream.once('close', () => {
        signal.removeEventListener('abort', abort);
        reject(Object.assign(new Error('closed before an answer'), { code: 'ECONNRESET' }));
      });
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
