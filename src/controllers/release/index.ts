import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { SyncReason } from '../../core/release/attempt/index.ts';
import { Controller, type Outcome, type Reconciler } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import {
  BucketRateLimiter,
  ExponentialRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
} from '../../runtime/rate-limiter.ts';
import { Seats } from '../../runtime/seats.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { Memories } from './memory.ts';
import { ReleaseReconciler, type ReleaseReconcilerOptions } from './release-reconciler.ts';
import type { Services } from './services.ts';
import { FetchGate } from './source/fetch-gate.ts';
import { inventoryHandler, releaseHandler, sourceHandler } from './watches.ts';

export type { Services } from './services.ts';
export { RELEASE_INDEXES } from './watches.ts';

export interface ReleaseControllerOptions
  extends Omit<Services, 'sha256' | 'compress' | 'decompress' | 'releases' | 'inventories' | 'fetches' | 'aside'> {
  /** Followed by whoever runs the controller; that of Releases with the indexes `RELEASE_INDEXES`. */
  readonly informers: {
    readonly releases: Informer;
    readonly inventories: Informer;
    /** What sources are read from: a change is seen at once; without them at the interval. */
    readonly configMaps?: Informer;
    readonly secrets?: Informer;
  };
  /** Releases at once. Default 4. */
  readonly workers?: number;
  readonly onStep?: ReleaseReconcilerOptions['onStep'];
  readonly onOutcome?: (key: string, outcome: Outcome, duration: number) => void;
}

/** The release controller, and the door by which others in the process ask it to look. */
export interface ReleaseController {
  readonly controller: Controller<string>;
  readonly queue: WorkQueue<string>;
  /** As POST …/sync: the Release (`namespace/name`) is looked at now. */
  requestSync(key: string, reason: SyncReason): void;
  /** This process may act for the Release from now on: what it remembers of an earlier term counts no more. */
  gained(key: string): void;
}

/** Sources that are fetched at once, and of those from one server. A fetch may take a minute, and a server that hangs takes it. */
const FETCHES = 16;
const FETCHES_OF_ONE = 4;

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** The parts of Services that are the same everywhere. */
export const NODE_PARTS: Pick<Services, 'sha256' | 'compress' | 'decompress'> = {
  sha256,
  compress: (text) => gzipBytes(Buffer.from(text, 'utf8')),
  decompress: async (bytes) => (await gunzipBytes(bytes)).toString('utf8'),
};

/** A cluster that cannot be reached is asked every five minutes; many Releases of one that comes back do not wait for each other. */
function releaseRateLimiter(clock: Services['clock']): RateLimiter<string> {
  return new MaxOfRateLimiter(
    new ExponentialRateLimiter<string>(5, 300_000),
    new BucketRateLimiter<string>(clock, 50, 500),
  );
}

export function releaseController(options: ReleaseControllerOptions): ReleaseController {
  const { informers, workers = 4, onStep, onOutcome, clock } = options;
  const memories = new Memories();
  const queue = new WorkQueue<string>({ clock, rateLimiter: releaseRateLimiter(clock) });
  // Another replica's Release is that one's business.
  const enqueue = (key: string): void => {
    if (options.mayAct(key)) queue.add(key);
  };
  const seats = new Seats(workers);
  const services: Services = {
    ...options,
    ...NODE_PARTS,
    releases: informers.releases.store,
    inventories: informers.inventories.store,
    fetches: new FetchGate({ most: FETCHES, perServer: FETCHES_OF_ONE, wake: enqueue }),
    aside: (waiting) => seats.off(waiting),
  };
  informers.releases.addHandler(releaseHandler(informers.releases.store, enqueue));
  informers.inventories.addHandler(inventoryHandler(enqueue));
  const { configMaps, secrets } = informers;
  configMaps?.addHandler(sourceHandler('ConfigMap', informers.releases.store, memories, enqueue));
  secrets?.addHandler(sourceHandler('Secret', informers.releases.store, memories, enqueue));
  const releases = new ReleaseReconciler({ services, memories, ...(onStep === undefined ? {} : { onStep }) });
  const reconciler: Reconciler<string> = {
    reconcile: (key, signal) => seats.on(() => releases.reconcile(key, signal)),
  };
  const all = Object.values(informers);
  const controller = new Controller<string>({
    name: 'release',
    clock,
    queue,
    reconciler,
    // Those that wait for a source are beside those that work.
    workers: workers + FETCHES,
    ready: async (signal) => (await Promise.all(all.map((informer) => informer.synced(signal)))).every(Boolean),
    ...(onOutcome === undefined ? {} : { onOutcome }),
  });
  return {
    controller,
    queue,
    gained: (key) => {
      memories.forget(key);
      queue.add(key);
    },
    requestSync: (key, reason) => {
      const memory = memories.of(key);
      memory.requests.add(reason);
      // Who asks for an attempt means what the source says now.
      if (reason === 'Manual') memory.forgetSource();
      queue.add(key);
    },
  };
}
