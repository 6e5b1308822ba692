import { listObjects, revisionOf, selectorOf } from '../api/listing.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { asVersion } from '../api/versions.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { apiVersionOf, type Resource, storageKey } from '../resources/resource.ts';
import type { Selects } from '../store/selectors.ts';
import type { StoreEvent } from '../store/store.ts';
import { present } from './presentation.ts';
import type { Accept, StreamAnswer } from './request.ts';

/** Set on the bookmark that ends the initial events of a streaming list (KEP-3157). */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };
/** ms between bookmarks; kube-apiserver sends about one a minute. */
const BOOKMARK_INTERVAL = 5_000;

export interface WatchQuery {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean;
  /** Seconds; 0: until the client leaves. */
  readonly timeoutSeconds: number;
  readonly included: string;
}

/** Repeats or delays on a clock that may be simulated. Returns what ends it. */
export type After = (milliseconds: number, run: () => void) => () => void;

/** A change as one watcher sees it: what leaves the selection is deleted for it, what enters is added. */
function asSeen(
  event: StoreEvent,
  resource: Resource,
  selects: Selects,
): { type: string; object: ApiObject } | undefined {
  const object = asVersion(event.object, resource);
  const previous = event.previous && asVersion(event.previous, resource);
  const before = previous !== undefined && selects(previous);
  const after = event.type !== 'DELETED' && selects(object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return undefined;
  if (event.type === 'DELETED') return { type: 'DELETED', object };
  // The object as it was when it last fitted, with the revision of the change, as the watch cache sends it.
  const metadata = { ...previous.metadata, resourceVersion: object.metadata.resourceVersion };
  return { type: 'DELETED', object: { ...previous, metadata } };
}

/** The stream of a watch. Throws 400 for a wrong query; 410 goes into the stream as an ERROR event, as Kubernetes sends it. */
export function watchObjects(
  api: ObjectApi,
  resource: Resource,
  query: WatchQuery,
  accept: Accept,
  after: After,
): StreamAnswer {
  const selects = selectorOf(resource, query);
  const key = storageKey(resource);
  const apiVersion = apiVersionOf(resource);
  if (query.resourceVersion !== '') revisionOf(query.resourceVersion);
  const start: StreamAnswer['start'] = (write, end) => {
    const { store } = api;
    let sent = store.revision;
    const send = (type: string, object: ApiObject): void => {
      const body = present(object, resource, accept, api.world.now(), query.included);
      write(`${JSON.stringify({ type, object: body })}\n`);
    };
    const bookmark = (annotations?: Readonly<Record<string, string>>): void => {
      const metadata = {
        resourceVersion: String(store.revision),
        creationTimestamp: null,
        ...(annotations && { annotations }),
      };
      write(`${JSON.stringify({ type: 'BOOKMARK', object: { kind: resource.kind, apiVersion, metadata } })}\n`);
      sent = store.revision;
    };
    const tell = (event: StoreEvent): void => {
      if (event.key !== key) return;
      const seen = asSeen(event, resource, selects);
      if (seen !== undefined) send(seen.type, seen.object);
      sent = event.revision;
    };
    try {
      sendPast(api, resource, query, send, tell);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      write(`${JSON.stringify({ type: 'ERROR', object: error.toStatus() })}\n`);
      end();
      return () => {};
    }
    if (query.sendInitialEvents) bookmark(INITIAL_EVENTS_END);
    const timeOut = (): void => {
      if (query.bookmarks) bookmark();
      end();
    };
    const unsubscribe = store.subscribe(tell);
    let stopBookmarks = (): void => {};
    const tick = (): void => {
      if (sent < store.revision) bookmark();
      stopBookmarks = after(BOOKMARK_INTERVAL, tick);
    };
    if (query.bookmarks) stopBookmarks = after(BOOKMARK_INTERVAL, tick);
    const stopTimeout = query.timeoutSeconds > 0 ? after(query.timeoutSeconds * 1000, timeOut) : undefined;
    return () => {
      unsubscribe();
      stopBookmarks();
      stopTimeout?.();
    };
  };
  return { code: 200, contentType: 'application/json', start };
}

/** What is there, where the watch begins without a revision or asks for it; else the changes behind the revision. */
function sendPast(
  api: ObjectApi,
  resource: Resource,
  query: WatchQuery,
  send: (type: string, object: ApiObject) => void,
  tell: (event: StoreEvent) => void,
): void {
  const { resourceVersion, sendInitialEvents } = query;
  if (sendInitialEvents || resourceVersion === '' || resourceVersion === '0') {
    const all = { ...query, limit: 0, continue: '', resourceVersion: '', resourceVersionMatch: '' };
    for (const object of listObjects(api.store, resource, all).items) send('ADDED', object);
    return;
  }
  for (const event of api.store.since(Number(resourceVersion))) tell(event);
}
