import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../ports/clock.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { Breaker } from './breaker.ts';
import { Connections } from './connections.ts';
import { Deadlines, inTime, unlessAborted } from './deadline.ts';
import { answerError, brokenAnswer, htmlError, isHtml, transportError } from './failures.ts';
import { parseJson } from './json.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import type { Credential } from './kubeconfig/credential.ts';
import type { ImpersonationHeaders } from './kubeconfig/impersonation.ts';
import { Warnings } from './warnings.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, below the server URL. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal?: AbortSignal | undefined;
  /** ms for the whole call, its repetitions included. */
  readonly timeout?: number | undefined;
  /** Not repeated, although it is a GET. */
  readonly once?: boolean;
  /** For whom; undefined: whom the kubeconfig names. */
  readonly as?: ImpersonationHeaders | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface TransportOptions {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  /** Gets each warning of the server once. */
  readonly onWarning?: (text: string) => void;
  /** Gets the time of the server (ms since 1970, whole seconds) with each answer that carries it. */
  readonly onServerTime?: (time: number) => void;
  readonly userAgent?: string;
}

/** ms for a call; the API server itself gives up after 60 s. */
const TIMEOUT = 60_000;
/** Tries of one call, the first included. */
const TRIES = 4;
/** ms before the second try; doubled with each, and half to all of it is waited. */
const FIRST_BACK_OFF = 200;
/** Seconds: a server that asks for a longer rest gets its answer passed on instead. */
const LONGEST_RETRY_AFTER = 30;
/** Longest text of a failed stream that is read, in characters. */
const LONGEST_COMPLAINT = 64 * 1024;

/** Answers that say "not now". Only calls that change nothing are repeated: whether a write may be is for its caller to know. */
const NOT_NOW = new Set([429, 502, 503, 504]);

function written(impersonation: ImpersonationHeaders): Record<string, string | string[]> {
  const entries = Object.entries(impersonation).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? value : [...value],
  ]);
  return Object.fromEntries(entries);
}

function sameCredential(one: Credential, other: Credential): boolean {
  return one.token === other.token && one.certificate?.certificate === other.certificate?.certificate;
}

function header(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Asks one API server over HTTP: log-in, deadline, repetition, breaker, and failures in the words of the ports. */
export class Transport {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly #connections: Connections;
  readonly #deadlines: Deadlines;
  readonly #warnings: Warnings;
  readonly #onServerTime: ((time: number) => void) | undefined;
  readonly #userAgent: string;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #closed = new AbortController();

  constructor({ config, clock, onWarning, onServerTime, userAgent = 'convoy' }: TransportOptions) {
    this.config = config;
    this.clock = clock;
    this.breaker = new Breaker(clock);
    this.#connections = new Connections(config, clock);
    this.#deadlines = new Deadlines(clock);
    this.#warnings = new Warnings(onWarning);
    this.#onServerTime = onServerTime;
    this.#userAgent = userAgent;
    this.#impersonation = written(config.impersonation);
  }

  /** The whole answer. @throws ApiError, TransportError, or the reason of the signal */
  async ask(call: Call): Promise<Answer> {
    const timeout = call.timeout ?? TIMEOUT;
    const late = `no whole answer to ${call.method} within ${timeout / 1000} s; try again, or with more time`;
    const credential = await this.credential(call.signal);
    return this.#inTime(call, timeout, late, async (signal) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await this.breaker.run(() =>
            this.#translated(() => this.#askOnce(call, signal, tries === 1 ? credential : undefined), signal),
          );
        } catch (error) {
          const wait =
            tries < TRIES && call.method === 'GET' && !call.once ? this.#restBefore(tries, error) : undefined;
          if (wait === undefined || signal.aborted) throw error;
          await this.clock.sleep(wait, signal).catch(() => {
            throw call.signal?.aborted ? call.signal.reason : error;
          });
        }
      }
    });
  }

  /** The answer as a value. @throws also TransportError (`protocol`) for what is no JSON */
  async askJson(call: Call): Promise<unknown> {
    return this.parse(await this.ask(call));
  }

  parse(answer: Answer): unknown {
    return this.reading(answer, () => parseJson(answer.bytes.toString('utf8')));
  }

  /** Reads an answer that should be JSON. @throws TransportError (`protocol`) where `read` throws */
  reading<Result>(answer: Answer, read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      const { description } = this.config;
      if (isHtml(answer.contentType, answer.bytes.toString('utf8', 0, 200)))
        throw htmlError(answer.status, description);
      throw brokenAnswer(description, answer.bytes.length === 0 ? 'an empty answer' : 'broken JSON', error);
    }
  }

  /** An answer that goes on; its bytes come as they arrive. Not repeated: whoever reads it knows where to go on. */
  async open(call: Call): Promise<Readable> {
    const timeout = call.timeout ?? TIMEOUT;
    const late = `no answer within ${timeout / 1000} s; try again`;
    await this.credential(call.signal);
    return this.breaker.run(() =>
      this.#inTime(call, timeout, late, async (signal) => {
        const { statusCode, headers, body } = await this.#exchange(call, signal, 'streams');
        // Aborting ends the answer also after this call is over; the deadline is for its start alone.
        const stop = (): void => void body.destroy();
        body.on('error', () => undefined);
        call.signal?.addEventListener('abort', stop, { once: true });
        body.once('close', () => call.signal?.removeEventListener('abort', stop));
        if (statusCode < 300) return body;
        const text = await readSome(body);
        throw answerError(failed(statusCode, headers, text), this.config.description);
      }),
    );
  }

  /** A credential that is good now. Asked for before a deadline begins to run: a person may have to log in for it. */
  credential(signal: AbortSignal | undefined): Promise<Credential> {
    return unlessAborted(this.config.credentials.current(), signal);
  }

  /** Another credential after the server refused one; undefined where there is no other. */
  async otherCredential(refused: Credential): Promise<Credential | undefined> {
    if (!this.config.credentials.refused(refused)) return undefined;
    const next = await this.config.credentials.current();
    return sameCredential(next, refused) ? undefined : next;
  }

  headersFor(call: Call, credential: Credential): Record<string, string | string[]> {
    return {
      'user-agent': this.#userAgent,
      ...(call.as ? written(call.as) : this.#impersonation),
      accept: call.accept ?? 'application/json',
      ...(call.body ? { 'content-type': call.body.type } : {}),
      ...(credential.token === undefined ? {} : { authorization: `Bearer ${credential.token}` }),
    };
  }

  /** Path below the server URL, which may have one of its own: many clusters behind one gateway. */
  pathOf(call: Call): string {
    return this.config.server.pathname.replace(/\/$/, '') + call.path;
  }

  translate(error: unknown): Error {
    return transportError(error, this.config.description, this.config.server);
  }

  /** Aborts when the client is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  async close(): Promise<void> {
    this.#closed.abort(new TransportError('unreachable', `${this.config.description}: the client was closed`));
    await this.#connections.close();
  }

  async #askOnce(call: Call, signal: AbortSignal, good?: Credential): Promise<Answer> {
    const { statusCode, headers, body } = await this.#exchange(call, signal, 'requests', good);
    const bytes = Buffer.from(await body.arrayBuffer());
    this.#warnings.take(headers['warning']);
    const time = Date.parse(header(headers, 'date'));
    if (!Number.isNaN(time)) this.#onServerTime?.(time);
    if (statusCode >= 300) throw answerError(failed(statusCode, headers, bytes.toString()), this.config.description);
    return { status: statusCode, contentType: header(headers, 'content-type'), bytes };
  }

  /** One exchange, with a credential that was just asked for, if there is one; a second with another when it was refused. */
  async #exchange(
    call: Call,
    signal: AbortSignal,
    kind: 'requests' | 'streams',
    good?: Credential,
  ): Promise<Dispatcher.ResponseData> {
    const credential = good ?? (await this.credential(signal));
    const answer = await this.#send(call, credential, signal, kind);
    if (answer.statusCode !== 401) return answer;
    const next = await this.otherCredential(credential);
    if (next === undefined) return answer;
    await answer.body.dump();
    return this.#send(call, next, signal, kind);
  }

  #send(call: Call, credential: Credential, signal: AbortSignal, kind: 'requests' | 'streams') {
    return this.#connections[kind](credential.certificate).request({
      method: call.method,
      path: this.pathOf(call),
      headers: this.headersFor(call, credential),
      ...(call.body ? { body: call.body.text } : {}),
      signal,
    });
  }

  /** Works with a signal that also aborts at the deadline, and with errors in the words of the ports. */
  #inTime<Result>(
    call: Call,
    timeout: number,
    late: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const deadline = {
      clock: this.clock,
      deadlines: this.#deadlines,
      ms: timeout,
      late: () => new TransportError('timeout', `${this.config.description}: ${late}`),
      signals: [call.signal, this.closed],
    };
    return inTime(deadline, (signal) => this.#translated(() => work(signal), signal));
  }

  async #translated<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError || error instanceof TransportError) throw error;
      throw signal.aborted ? signal.reason : this.translate(error);
    }
  }

  /** ms to wait before the next try; undefined: there is none. */
  #restBefore(tries: number, error: unknown): number | undefined {
    const backOff = FIRST_BACK_OFF * 2 ** (tries - 1) * (0.5 + this.clock.random() / 2);
    if (error instanceof ApiError) {
      if (!NOT_NOW.has(error.code)) return undefined;
      if (error.retryAfter === undefined) return backOff;
      return error.retryAfter <= LONGEST_RETRY_AFTER ? Math.max(backOff, error.retryAfter * 1000) : undefined;
    }
    if (!(error instanceof TransportError)) return undefined;
    return error.fault === 'unreachable' || error.fault === 'protocol' ? backOff : undefined;
  }
}

function failed(status: number, headers: Dispatcher.ResponseData['headers'], text: string) {
  return {
    status,
    contentType: header(headers, 'content-type'),
    retryAfter: header(headers, 'retry-after') || undefined,
    text,
  };
}

async function readSome(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > LONGEST_COMPLAINT) break;
  }
  return text;
}
