import { asMap, asString } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ResourcePath, WatchEvent, WatchOptions } from '../ports/cluster.ts';
import { ApiError, TransportError } from '../ports/errors.ts';
import { asError } from './as-error.ts';
import { BackOff } from './back-off.ts';
import { isExpired, listAll } from './list-all.ts';
import { keyOf, metadataOf } from './object-key.ts';
import { pause } from './pause.ts';
import { guarded, SilentWatchError, Watchdog } from './watchdog.ts';

/** The server sends a bookmark about once a minute; two that stay away are chance, with the third the stream counts as dead. */
const WATCH_SILENCE = 150_000;
/** Without any event of a streaming list for so long, the server does not know streaming lists. */
const INITIAL_SILENCE = 10_000;
/** An old server passes `sendInitialEvents` over and sends live events forever: behind this it is asked for a LIST. */
const INITIAL_TOTAL = 60_000;
/** Streaming lists that broke off in a row before a LIST is tried: its pages survive what one long stream does not. */
const BROKEN_STREAMS = 3;
/** Codes with which a server refuses the options of a streaming list, or only the watch, while it may still serve a LIST. */
const NO_STREAMING: readonly number[] = [400, 403, 405, 406, 415, 422, 501];
/** A stream that ends sooner and empty is a failure, as in client-go ("very short watch"). */
const SHORT_WATCH = 1_000;
/** A stream that held for so long ends the back-off, also if nothing happened in it. */
const LONG_WATCH = 10_000;

/** What a reflector keeps up to date. */
export interface ReflectorSink {
  /** All that is there now. Nothing else is called until it resolves; when the signal aborts it may leave off half-way. */
  replace(objects: readonly KubernetesObject[], signal: AbortSignal): Promise<void>;
  set(object: KubernetesObject): void;
  /** The object in its last state. */
  remove(object: KubernetesObject): void;
}

export interface ReflectorOptions {
  readonly cluster: Pick<Cluster, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly path: ResourcePath;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** ms for one page of a list and for the beginning of a watch. */
  readonly requestTimeout?: number;
  readonly as?: 'object' | 'metadata';
  /** Objects in one page of a list. Default 500. */
  readonly pageSize?: number;
  readonly sink: ReflectorSink;
  /** What is done to each object first. */
  readonly prepare: (object: KubernetesObject) => KubernetesObject;
  /** A failure, which will be tried again; undefined: reading works again. */
  readonly onProblem: (error: Error | undefined) => void;
}

/**
 * Keeps a sink equal to what the server has: a list, then watches, each from where the last one ended. Whatever breaks is tried
 * again, with growing waits, until the signal aborts; only 410 and an error that the server sends within a stream lead to a new
 * list. Resource versions are opaque.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backOff: BackOff;
  /** Where the next watch begins; undefined: a list is needed. */
  #version: string | undefined;
  #streaming = true;
  #brokenStreams = 0;
  #failing = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backOff = new BackOff(options.clock);
  }

  /** Ends when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(signal);
      } catch (error) {
        if (signal.aborted) return;
        const wait = this.#afterFailure(asError(error));
        if (wait > 0) await pause(this.#options.clock, wait, signal);
      }
    }
  }

  /** One list, if it is needed, and one stream. */
  async #round(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined && !this.#streaming) await this.#list(signal);
    await this.#stream(signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { cluster, path, sink, prepare, pageSize } = this.#options;
    const { items, resourceVersion } = await listAll(cluster, path, { ...this.#reading(), signal }, prepare, pageSize);
    if (signal.aborted) return;
    await sink.replace(items, signal);
    this.#reached({ metadata: { resourceVersion } });
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const { cluster, clock, path } = this.#options;
    const version = this.#version;
    const dog =
      version === undefined ? new Watchdog(clock, INITIAL_SILENCE, INITIAL_TOTAL) : new Watchdog(clock, WATCH_SILENCE);
    const options = {
      ...this.#reading(),
      ...(version === undefined ? { sendInitialEvents: true } : { resourceVersion: version }),
      timeoutSeconds: 290 + Math.floor(clock.random() * 291),
    };
    const start = clock.now();
    const initial = new Map<string, KubernetesObject>();
    let events = 0;
    try {
      const open = (stream: AbortSignal): AsyncIterable<WatchEvent> =>
        cluster.watch(path, { ...options, signal: stream, onOpen: () => void this.#opened(stream) });
      await guarded(open, dog, signal, (event) => {
        events += 1;
        if (this.#version === undefined) return this.#takeInitial(event, initial, dog, signal);
        this.#takeLive(event);
        return undefined;
      });
    } finally {
      if (clock.now() - start >= LONG_WATCH) this.#backOff.reset();
    }
    if (signal.aborted) return;
    if (this.#version === undefined)
      throw new TransportError('protocol', 'the watch ended before its list was complete');
    if (events === 0 && clock.now() - start < SHORT_WATCH)
      throw new TransportError('protocol', 'the watch ended at once');
  }

  /** A stream that goes on where the last one ended, and holds, is the end of a failure, also if it has nothing to tell yet. */
  async #opened(stream: AbortSignal): Promise<void> {
    if (!this.#failing || this.#version === undefined) return;
    if (await pause(this.#options.clock, SHORT_WATCH, stream)) this.#works();
  }

  /** Gathers what is there until the bookmark that says that it was all. */
  #takeInitial(
    event: WatchEvent,
    initial: Map<string, KubernetesObject>,
    dog: Watchdog,
    signal: AbortSignal,
  ): Promise<void> | undefined {
    if (event.type === 'ERROR') throw statusError(event.error);
    const { object } = event;
    if (event.type === 'DELETED') initial.delete(keyOf(object));
    else if (event.type !== 'BOOKMARK') initial.set(keyOf(object), this.#options.prepare(object));
    else if (asMap(metadataOf(object)['annotations'])['k8s.io/initial-events-end'] === 'true') {
      dog.relax(WATCH_SILENCE);
      return this.#begin(object, initial, signal);
    }
    return undefined;
  }

  async #begin(end: KubernetesObject, initial: Map<string, KubernetesObject>, signal: AbortSignal): Promise<void> {
    await this.#options.sink.replace([...initial.values()], signal);
    initial.clear();
    this.#brokenStreams = 0;
    this.#reached(end);
  }

  #takeLive(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      const error = statusError(event.error);
      // 429 is about load and says nothing about the version.
      if (error.code !== 429) this.#version = undefined;
      throw error;
    }
    const { sink, prepare } = this.#options;
    if (event.type === 'DELETED') sink.remove(prepare(event.object));
    else if (event.type !== 'BOOKMARK') sink.set(prepare(event.object));
    this.#backOff.reset();
    this.#reached(event.object);
  }

  /** Everything up to this object's version is in the sink. */
  #reached(object: KubernetesObject): void {
    const version = asString(metadataOf(object)['resourceVersion']);
    if (version !== '') this.#version = version;
    this.#works();
  }

  #works(): void {
    if (this.#failing) this.#options.onProblem(undefined);
    this.#failing = false;
  }

  /** ms to wait before the next round. */
  #afterFailure(error: Error): number {
    const listing = this.#version === undefined && this.#streaming;
    if (error instanceof SilentWatchError) {
      if (listing) this.#streaming = false;
      return 0;
    }
    if (listing && error instanceof ApiError && NO_STREAMING.includes(error.code)) {
      this.#streaming = false;
      return 0;
    }
    if (listing && ++this.#brokenStreams >= BROKEN_STREAMS) this.#streaming = false;
    if (isExpired(error) || isAhead(error)) this.#version = undefined;
    this.#failing = true;
    this.#options.onProblem(error);
    return this.#backOff.after(error);
  }

  /** What list and watch have in common. What a sink has no use for need not be read. */
  #reading(): Pick<WatchOptions, 'labelSelector' | 'fieldSelector' | 'timeout' | 'as' | 'withoutManagedFields'> {
    const { labelSelector, fieldSelector, requestTimeout, as } = this.#options;
    return {
      withoutManagedFields: true,
      ...(requestTimeout !== undefined && { timeout: requestTimeout }),
      ...(as !== undefined && { as }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }
}

/** The server's history is behind the version it is asked for: it was restored from a backup. */
function isAhead(error: Error): boolean {
  return error instanceof ApiError && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}

/** The Status object of an ERROR event as an error. */
function statusError(status: unknown): ApiError {
  if (status instanceof ApiError) return status;
  const { message, code, reason, details } = asMap(status);
  const seconds = asMap(details)['retryAfterSeconds'];
  return new ApiError(
    asString(message) || 'the watch ended with an error',
    typeof code === 'number' ? code : 500,
    asString(reason),
    [],
    typeof seconds === 'number' ? seconds : undefined,
  );
}
