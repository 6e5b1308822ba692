import { constants } from 'node:http2';
import type { Readable } from 'node:stream';
import { asMap } from '../../core/object/fields.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { inTime } from './deadline.ts';
import { answerError, brokenAnswer } from './failures.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { parseJson } from './json.ts';
import { eventWithoutManagedFields } from './json-scan.ts';
import type { Credential } from './kubeconfig/credential.ts';
import { LineSplitter } from './line-splitter.ts';
import type { Call, Transport } from './transport.ts';
import { Turn } from './turn.ts';

/** ms until the answer to a watch must have begun; the API server answers before the first event. */
const BEGIN_TIMEOUT = 30_000;
/** Longest text of a refusal that is read, in characters. */
const LONGEST_COMPLAINT = 64 * 1024;

export interface WatchCall extends Call {
  readonly signal: AbortSignal;
  /** ms until the answer must have begun. */
  readonly timeout?: number | undefined;
  readonly withoutManagedFields?: boolean | undefined;
  readonly onOpen?: (() => void) | undefined;
}

type ReadLine = (line: Buffer) => string;

/** Opens watches: over HTTP/2, many on one connection; over HTTP/1.1, each on its own, where the server speaks nothing else. */
export class WatchStreams {
  readonly #transport: Transport;
  readonly #sessions: Http2Sessions;

  readonly #onRefused: (error: unknown) => void;

  /** @param onRefused gets what the server answered instead of a watch */
  constructor(transport: Transport, onRefused: (error: unknown) => void) {
    this.#transport = transport;
    this.#onRefused = onRefused;
    this.#sessions = new Http2Sessions(transport.config, transport.clock);
  }

  /** Events until the server ends the stream. Ends quietly when the signal aborts. @throws ApiError, TransportError */
  async *watch(call: WatchCall): AsyncGenerator<WatchEvent> {
    const { signal } = call;
    let stream: Readable | undefined;
    try {
      if (signal.aborted) return;
      stream = await this.#open(call);
      // Aborted while the stream was handed over, when nobody listened.
      if (signal.aborted) return;
      call.onOpen?.();
      const read = call.withoutManagedFields ? eventWithoutManagedFields : (line: Buffer) => line.toString('utf8');
      const turn = new Turn(this.#transport.clock);
      const splitter = new LineSplitter();
      // One generator for all: each further one would cost every event several turns of the queue of promises.
      for await (const piece of stream) {
        for (const line of this.#lines(splitter, piece)) {
          const event = this.#event(line, read);
          if (event === undefined) continue;
          yield event;
          if (event.type === 'ERROR') return;
          if (turn.isOverAfter(line.length)) await turn.next();
        }
      }
      const last = this.#last(stream, splitter.rest(), read);
      if (last !== undefined) yield last;
    } catch (error) {
      if (signal.aborted) return;
      this.#onRefused(error);
      throw this.#transport.translate(error);
    } finally {
      stream?.destroy();
    }
  }

  close(): void {
    this.#sessions.close();
  }

  async #open(call: WatchCall): Promise<Readable> {
    const { signal } = call;
    const stream = await this.#transport.breaker.run(async () => {
      try {
        return await this.#openHttp2(call);
      } catch (error) {
        if (signal.aborted) throw error;
        throw this.#transport.translate(error);
      }
    });
    return stream ?? this.#transport.open({ ...call, timeout: call.timeout ?? BEGIN_TIMEOUT });
  }

  async #openHttp2(call: WatchCall): Promise<Readable | undefined> {
    const { clock, config, closed } = this.#transport;
    const { signal, timeout: ms = BEGIN_TIMEOUT } = call;
    const text = `no answer to a watch within ${ms / 1000} s; try again`;
    const late = (): Error => new TransportError('timeout', `${config.description}: ${text}`);
    const credential = await this.#transport.credential(signal);
    return inTime({ clock, ms, late, signals: [signal, closed] }, async (begin) => {
      try {
        return await this.#attempt(call, credential, begin);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 401) throw error;
        const next = await this.#transport.otherCredential(credential);
        if (next === undefined) throw error;
        return await this.#attempt(call, next, begin);
      }
    });
  }

  /** @returns undefined when the server speaks no HTTP/2. @throws ApiError for every answer but 200 */
  async #attempt(call: Call, credential: Credential, begin: AbortSignal): Promise<Readable | undefined> {
    const headers = {
      ':method': 'GET',
      ':path': this.#transport.pathOf(call),
      ...this.#transport.headersFor(call, credential),
    };
    const open = await this.#sessions.open(headers, credential.certificate, begin);
    if (open === undefined) return undefined;
    const { stream, status, header } = open;
    if (status === 200) {
      const stop = (): void => void stream.destroy();
      call.signal?.addEventListener('abort', stop, { once: true });
      stream.once('close', () => call.signal?.removeEventListener('abort', stop));
      return stream;
    }
    const text = await readSome(stream);
    const retryAfter = header('retry-after') || undefined;
    throw answerError(
      { status, contentType: header('content-type'), retryAfter, text },
      this.#transport.config.description,
    );
  }

  /** What stands behind the last newline. */
  #last(stream: Readable, rest: Buffer, read: ReadLine): WatchEvent | undefined {
    // Node ends a stream of HTTP/2 in peace also when its connection broke.
    if ('rstCode' in stream && stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    }
    // The end of the stream, where a connection breaks, may come in the middle of an event, or just before its newline.
    if (rest.length === 0) return undefined;
    try {
      return this.#event(rest, read);
    } catch {
      const text = 'the connection broke in the middle of an event; watch again from the last resourceVersion';
      throw new TransportError('unreachable', `${this.#transport.config.description}: ${text}`);
    }
  }

  #lines(splitter: LineSplitter, piece: Buffer): Buffer[] {
    try {
      return splitter.push(piece);
    } catch (error) {
      throw this.#broken('an event without end', error);
    }
  }

  #event(line: Buffer, read: ReadLine): WatchEvent | undefined {
    if (line.length === 0) return undefined;
    let value: unknown;
    try {
      value = parseJson(read(line));
    } catch (error) {
      throw this.#broken('an event that is no JSON', error);
    }
    const { type, object } = asMap(value);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
      case 'BOOKMARK':
        return { type, object: asMap(object) };
      case 'ERROR':
        return { type, error: object };
      default:
        throw this.#broken('an event of an unknown type');
    }
  }

  #broken(what: string, cause?: unknown): TransportError {
    return brokenAnswer(this.#transport.config.description, what, cause);
  }
}

async function readSome(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) {
    text += String(piece);
    if (text.length > LONGEST_COMPLAINT) break;
  }
  return text;
}
