import { atMost, type Figure } from './figure.ts';
import { keptHeap } from './list.ts';
import { PODS } from './pods.ts';
import { startTarget, type Target } from './target.ts';

const WATCHES = 1_000;
const MOST = 30;

async function open(target: Target, watches: number, signal: AbortSignal): Promise<void> {
  const path = { type: PODS, namespace: 'idle' };
  for (let n = 0; n < watches; n += 1) {
    const watch = target.cluster.watch(path, { sendInitialEvents: true, signal })[Symbol.asyncIterator]();
    await watch.next();
    // Waits for the next event, as an informer does, until the end of the bench.
    watch.next().catch(() => undefined);
  }
}

async function measure(): Promise<{ readonly resident: number; readonly heap: number }> {
  const target = await startTarget();
  const stop = new AbortController();
  // The young generation of the heap grows to its size with the first work, whatever it is.
  for (let n = 0; n < 500; n += 1) await target.cluster.get({ type: PODS, namespace: 'shop', name: 'web' });
  await open(target, 50, stop.signal);
  const [heap, { rss }] = [keptHeap(), process.memoryUsage()];
  await open(target, WATCHES, stop.signal);
  const [heapAfter, { rss: rssAfter }] = [keptHeap(), process.memoryUsage()];
  stop.abort();
  await target.close();
  return { resident: (rssAfter - rss) / WATCHES / 1024, heap: (heapAfter - heap) / WATCHES / 1024 };
}

/** Memory of 1,000 watches in which nothing happens. */
export async function measureIdleWatches(): Promise<readonly Figure[]> {
  const http2 = await measure();
  const more = ` (${http2.heap.toFixed(0)} KB of it heap)`;
  return [atMost(`resident memory of an idle watch over HTTP/2, at ${WATCHES}`, MOST, http2.resident, 'KB', 0, more)];
}
