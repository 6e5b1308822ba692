import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResourcePath, WatchEvent, WatchOptions } from '../../ports/cluster.ts';
import { type Change, metadataOf, type ObjectStore, resourceKey } from './object-store.ts';
import { matcherOf } from './selectors.ts';

/** How one stream ends before its time: quietly, or with an error that the reader gets. */
export type Cut = { readonly error: Error | undefined };

export interface StreamFaults {
  /** ms that the next event is under way. */
  readonly delay: () => number;
  /** How many revisions too early a watch starts: the reader gets events again. */
  readonly replay: () => number;
  /** ms between two bookmarks. */
  readonly bookmarkEvery: number;
  /** Whether `sendInitialEvents` is understood; else it is passed over, as an old server does. */
  readonly streamingLists: boolean;
}

/** What the API server sends to a watch whose start it has forgotten. */
const TOO_OLD = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'too old resource version',
  reason: 'Expired',
  code: 410,
};

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** One open watch on the in-memory cluster. */
export class WatchStream {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #path: ResourcePath;
  readonly #options: WatchOptions;
  readonly #faults: StreamFaults;
  readonly #matches: (object: KubernetesObject) => boolean;
  readonly #closed = new AbortController();
  #wake: () => void = () => {};
  #cut: Cut | undefined;
  #position = 0;
  #bookmarkDue = false;
  /** Sends nothing any more, and does not end either. */
  silent = false;

  constructor(store: ObjectStore, clock: Clock, path: ResourcePath, options: WatchOptions, faults: StreamFaults) {
    this.#store = store;
    this.#clock = clock;
    this.#path = path;
    this.#options = options;
    this.#faults = faults;
    const matches = matcherOf(options);
    const { namespace } = path;
    this.#matches = (object) => (namespace === '' || metadataOf(object)['namespace'] === namespace) && matches(object);
  }

  /** Says that there may be something to send. */
  wake(): void {
    this.#wake();
  }

  cut(error?: Error): void {
    this.#cut ??= { error };
    this.#closed.abort();
    this.wake();
  }

  async *events(): AsyncGenerator<WatchEvent> {
    const { signal, timeoutSeconds } = this.#options;
    const abort = (): void => this.cut();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) this.cut();
    if (timeoutSeconds !== undefined) void this.#at(timeoutSeconds * 1000, () => this.cut());
    void this.#bookmarks();
    try {
      for (const event of this.#first()) yield* this.#sent(event);
      for (;;) {
        if (this.#cut) break;
        const event = this.silent ? undefined : this.#next();
        if (event) yield* this.#sent(event);
        else await new Promise<void>((resolve) => (this.#wake = resolve));
        if (event?.type === 'ERROR') return;
      }
      if (this.#cut?.error && !signal.aborted) throw this.#cut.error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#closed.abort();
    }
  }

  async *#sent(event: WatchEvent): AsyncGenerator<WatchEvent> {
    const delay = this.#faults.delay();
    if (delay > 0) await this.#clock.sleep(delay, this.#closed.signal).catch(() => undefined);
    if (!this.#cut) yield event;
  }

  /** What a stream begins with: the objects that are there, unless it resumes. */
  #first(): WatchEvent[] {
    const { resourceVersion = '', sendInitialEvents = false } = this.#options;
    const streamed = sendInitialEvents && this.#faults.streamingLists;
    if (!streamed && resourceVersion !== '' && resourceVersion !== '0') {
      const asked = Number(resourceVersion);
      const floor = Math.min(asked, this.#store.compacted);
      this.#position = Math.max(floor, asked - this.#faults.replay());
      return [];
    }
    this.#position = this.#store.revision;
    const added = this.#store
      .all(this.#path)
      .filter(this.#matches)
      .map((object) => ({ type: 'ADDED' as const, object }));
    return streamed ? [...added, this.#bookmark({ [INITIAL_EVENTS_END]: 'true' })] : added;
  }

  #next(): WatchEvent | undefined {
    if (this.#position < this.#store.compacted) {
      return { type: 'ERROR', error: TOO_OLD };
    }
    for (;;) {
      const change = this.#store.changeAfter(this.#position, resourceKey(this.#path));
      if (!change) break;
      this.#position = change.revision;
      const event = this.#told(change);
      if (event) return event;
    }
    if (!this.#bookmarkDue) return undefined;
    this.#bookmarkDue = false;
    this.#position = this.#store.revision;
    return this.#bookmark({});
  }

  /** A change as a stream with a selector sees it: what starts to match is ADDED, what ceases to is DELETED. */
  #told({ before, after, revision }: Change): WatchEvent | undefined {
    const was = before !== undefined && this.#matches(before);
    if (after !== undefined && this.#matches(after)) return { type: was ? 'MODIFIED' : 'ADDED', object: after };
    if (!was) return undefined;
    const gone = after ?? before;
    return {
      type: 'DELETED',
      object: { ...gone, metadata: { ...metadataOf(gone), resourceVersion: String(revision) } },
    };
  }

  #bookmark(annotations: Readonly<Record<string, string>>): WatchEvent {
    return {
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: String(this.#store.revision), annotations } },
    };
  }

  async #bookmarks(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#at(this.#faults.bookmarkEvery, () => {
        this.#bookmarkDue = true;
        this.wake();
      });
    }
  }

  async #at(ms: number, then: () => void): Promise<void> {
    await this.#clock.sleep(ms, this.#closed.signal).then(then, () => undefined);
  }
}
