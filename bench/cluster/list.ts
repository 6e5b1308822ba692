import { nodeClock } from '../../src/apps/node-clock.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { atMost, type Figure, median } from './figure.ts';
import { LoopWatch } from './loop.ts';
import { PODS, pod } from './pods.ts';
import { PODS_LISTED } from './served.ts';
import { startTarget, type Target } from './target.ts';

const ROUNDS = 5;
const LONGEST_BLOCK = 50;
const MOST_HEAP = 10;

/** What garbage collection leaves, in bytes. The process runs with --expose-gc. */
export function keptHeap(): number {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Listing {
  readonly blocked: number;
  readonly blockedOfProcessor: number;
  readonly seconds: number;
  /** KB for each pod. */
  readonly kept: number;
}

async function listOnce(target: Target, namespace: string): Promise<Listing> {
  const before = keptHeap();
  const stop = new AbortController();
  const informer = new Informer({ cluster: target.cluster, clock: nodeClock, path: { type: PODS, namespace } });
  const loop = new LoopWatch();
  const start = performance.now();
  const run = informer.run(stop.signal);
  await informer.synced(stop.signal);
  const seconds = (performance.now() - start) / 1000;
  const { byClock, ofProcessor } = await loop.stop();
  const kept = (keptHeap() - before) / informer.store.size / 1024;
  if (informer.store.size !== PODS_LISTED) throw new Error(`${informer.store.size} pods are in the cache`);
  stop.abort();
  await run;
  return { blocked: byClock, blockedOfProcessor: ofProcessor, seconds, kept };
}

/** 5,000 pods into the cache of an informer, as a streaming list and as pages. */
export async function measureList(): Promise<readonly Figure[]> {
  const target = await startTarget();
  const figures: Figure[] = [];
  const size = `${(JSON.stringify(pod(1, 1)).length / 1000).toFixed(1)} KB`;
  try {
    for (const [way, namespace] of [
      ['a streaming list', 'shop'],
      ['pages', 'paged'],
    ] as const) {
      const rounds: Listing[] = [];
      for (let round = -1; round < ROUNDS; round += 1) {
        const listing = await listOnce(target, namespace);
        if (round >= 0) rounds.push(listing);
      }
      const what = `${PODS_LISTED} pods of ${size} by ${way}`;
      const each = (name: keyof Listing): number[] => rounds.map((round) => round[name]);
      const worst = Math.max(...each('blockedOfProcessor')).toFixed(0);
      const seconds = `${median(each('seconds')).toFixed(1)} s in all`;
      const more = ` (${worst} ms of processor at most, ${seconds})`;
      figures.push(
        atMost(`longest block of the loop, ${what}`, LONGEST_BLOCK, Math.min(...each('blocked')), 'ms', 0, more),
      );
      figures.push(atMost(`kept heap of a pod, ${what}`, MOST_HEAP, median(each('kept')), 'KB', 1));
    }
  } finally {
    await target.close();
  }
  return figures;
}
