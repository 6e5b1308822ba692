import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isLoopback, shownAddress } from '../../../core/source/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import type { Download, Downloaded, DownloadRequest } from '../../../ports/source-tools.ts';
import { downloadFailure } from './download-failure.ts';

export interface DownloadsOptions {
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly no?: string };
  readonly userAgent?: string;
}

/** Redirects that are followed: as many as Go's client. */
const MOST_REDIRECTS = 10;
/** Authorities of Secrets whose connections are kept. */
const MOST_AGENTS = 32;
/** ms for TCP and TLS. */
const CONNECT_TIMEOUT = 10_000;

const THIS_MACHINE = 'localhost,127.0.0.1,::1';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Asks sources by HTTP. What a caller of it may rely on stands at `Download` in the ports. */
export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #agents = new Map<string, Dispatcher>();

  constructor(options: DownloadsOptions = {}) {
    this.#options = options;
  }

  readonly download: Download = async (wanted) => {
    let { url, method = 'GET', body } = wanted;
    let { authorization } = wanted;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      checkEncrypted(url);
      const ask = () => this.#ask(wanted, url, method, body, authorization);
      const answer = await ask().catch((error: unknown) => {
        if (method !== 'GET' || !isStale(error)) throw error;
        return ask();
      });
      const location = answer.headers['location'];
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') return downloaded(answer, url, wanted);
      discard(answer);
      const next = nextUrl(url, location);
      // What was meant for one host is not for another, nor for another port of it.
      if (next.origin !== url.origin) authorization = undefined;
      if (answer.statusCode === 303 || (method === 'POST' && answer.statusCode < 303)) {
        method = 'GET';
        body = undefined;
      }
      url = next;
    }
    throw new SourceError(`${shownAddress(wanted.url)} redirects round and round`, 'retry');
  };

  /** Ends the connections. */
  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  async #ask(
    { headers, certificateAuthority, signal }: DownloadRequest,
    url: URL,
    method: 'GET' | 'POST',
    body: string | undefined,
    authorization: string | undefined,
  ): Promise<Dispatcher.ResponseData> {
    signal.throwIfAborted();
    try {
      return await request(url, {
        method,
        headers: {
          'user-agent': this.#options.userAgent ?? 'convoy',
          ...headers,
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: body ?? null,
        signal,
        dispatcher: this.#agent(certificateAuthority),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw downloadFailure(shownAddress(url), error);
    }
  }

  #agent(authority = ''): Dispatcher {
    let agent = this.#agents.get(authority);
    if (agent === undefined) {
      agent = this.#newAgent(authority);
      const [oldest] = this.#agents.keys();
      if (this.#agents.size >= MOST_AGENTS && oldest !== undefined) {
        this.#agents
          .get(oldest)
          ?.close()
          .catch(() => undefined);
        this.#agents.delete(oldest);
      }
      this.#agents.set(authority, agent);
    }
    return agent;
  }

  #newAgent(authority: string): Dispatcher {
    // The authority of a Secret is added: registries redirect to stores with public certificates.
    const ca = [
      ...getCACertificates('default'),
      ...getCACertificates('system'),
      ...(authority === '' ? [] : [authority]),
    ];
    const { http = '', https = '', no = '' } = this.#options.proxy ?? {};
    if (http === '' && https === '') return new Agent({ connect: { ca, timeout: CONNECT_TIMEOUT } });
    return new EnvHttpProxyAgent({
      httpProxy: http,
      httpsProxy: https,
      // As in Go's clients, this machine is never asked by way of another.
      noProxy: `${no},${THIS_MACHINE}`,
      connect: { ca, timeout: CONNECT_TIMEOUT },
      requestTls: { ca },
    });
  }
}

/** Whether a connection broke before there was an answer: a server may close one that was kept, just when it is used again. */
function isStale(error: unknown): boolean {
  const cause = error instanceof SourceError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function checkEncrypted(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return;
  throw new SourceError(`${shownAddress(url)} is not encrypted, and so not asked; it has to be https://`, 'terminal');
}

function nextUrl(url: URL, location: string): URL {
  if (!URL.canParse(location, url.href)) {
    throw new SourceError(`${shownAddress(url)} redirects to what is no address`, 'retry');
  }
  const next = new URL(location, url);
  // A server elsewhere must not lead us to what listens on this machine alone.
  if (isLoopback(next) && !isLoopback(url)) {
    throw new SourceError(`${shownAddress(url)} redirects to this machine, which is not followed`, 'terminal');
  }
  return next;
}

function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

function downloaded(answer: Dispatcher.ResponseData, url: URL, { maxBytes, signal }: DownloadRequest): Downloaded {
  const shown = shownAddress(url);
  const tooLarge = (): SourceError =>
    new SourceError(`${shown} is larger than the ${maxBytes} bytes that are allowed`, 'terminal');
  const header = (name: string): string => {
    const value = answer.headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  if (Number(header('content-length')) > maxBytes) {
    discard(answer);
    throw tooLarge();
  }
  async function* body(): AsyncGenerator<Uint8Array> {
    let length = 0;
    try {
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        length += piece.length;
        if (length > maxBytes) throw tooLarge();
        yield piece;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof SourceError ? error : downloadFailure(shown, error);
    }
  }
  return {
    status: answer.statusCode,
    header,
    url,
    body: body(),
    bytes: async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body()) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    discard: () => discard(answer),
  };
}
