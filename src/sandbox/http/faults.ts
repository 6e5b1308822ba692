import type { StatusReason } from '../objects/status-error.ts';
import type { ApiRequest } from './request.ts';

/** What goes wrong with one request. */
export type Fault =
  /** The server refuses. `retryAfter`: seconds. */
  | { readonly kind: 'status'; readonly reason: StatusReason; readonly retryAfter?: number }
  /** The answer comes later, by this many ms. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The connection is lost before an answer. */
  | { readonly kind: 'drop' }
  /** The connection is lost behind this many bytes of the answer. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** Reads of objects are answered as they were so many changes of the cluster ago, as from a cache that lags. */
  | { readonly kind: 'stale'; readonly changes: number }
  /** The answer is something else than JSON, as a proxy would send it. */
  | { readonly kind: 'text'; readonly code: number; readonly body: string };

/** Decides for each request whether something goes wrong; undefined: nothing does. Tests replace it. */
export type ChooseFault = (request: ApiRequest) => Fault | undefined;
