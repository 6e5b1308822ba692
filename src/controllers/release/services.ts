import type { JsonMap } from '../../core/object/fields.ts';
import type { Sha256 } from '../../core/release/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { EventRecorder } from '../../ports/events.ts';
import type { Renderer, SourceFetcher } from '../../ports/renderer.ts';
import type { Targets } from '../../ports/targets.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';
import type { FetchGate } from './source/fetch-gate.ts';

/** What the release controller needs of the world. */
export interface Services {
  readonly clock: Clock;
  /** The cluster of the Releases. */
  readonly home: Cluster;
  readonly targets: Targets;
  readonly fetcher: SourceFetcher;
  readonly renderer: Renderer;
  /** The map that a text of Helm values holds; throws an Error whose message says what is wrong and names no value. */
  readonly readValues: (text: string) => JsonMap;
  readonly events: EventRecorder;
  readonly sha256: Sha256;
  readonly compress: (text: string) => Promise<Uint8Array>;
  readonly decompress: (bytes: Uint8Array) => Promise<string>;
  /** Keeps apart the objects of two home clusters that share a target. */
  readonly installation: string;
  /** Releases by namespace and name, for dependencies. */
  readonly releases: Pick<ObjectReader, 'get'>;
  /** Inventory pages: which ones a Release may have. They are read anew before anything is decided by them. */
  readonly inventories: Pick<ObjectReader, 'inNamespace'>;
  /** How many sources are fetched at once. */
  readonly fetches: Pick<FetchGate, 'enter'>;
  /** Waits for somebody else without taking up a worker. */
  readonly aside: <Value>(waiting: () => Promise<Value>) => Promise<Value>;
  /** Whether a Release may name objects of other namespaces. */
  readonly crossNamespace: boolean;
  /**
   * Whether this process may still act for the Release (`namespace/name`), for as long as a request takes. `uid`: of the Release as it
   * was read; without it the last one that is known of that name.
   */
  readonly mayAct: (key: string, uid?: string) => boolean;
}

/** This process has lost its right to act for the Release: whoever has it now goes on. */
export class NotOwnerError extends Error {
  override readonly name = 'NotOwnerError';
}
