import { nodeClock } from '../../src/apps/node-clock.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { count, type Figure, median } from './figure.ts';
import { eventLine, PODS, smallPod } from './pods.ts';
import { EVENT_PODS, EVENTS } from './served.ts';
import { startTarget, type Target } from './target.ts';

const ROUNDS = 9;
const GOAL = 25_000;

/** Events for a second of processor time of the whole process, garbage collection and TLS included. */
async function followOnce(target: Target): Promise<number> {
  const path = { type: PODS, namespace: 'busy' };
  const informer = new Informer({ cluster: target.cluster, clock: nodeClock, path });
  const stop = new AbortController();
  let events = 0;
  const all = new Promise<void>((resolve) => {
    const seen = (): void => {
      events += 1;
      if (events === EVENTS) resolve();
    };
    informer.addHandler({ added: seen, updated: seen });
  });
  const before = process.cpuUsage();
  const run = informer.run(stop.signal);
  await all;
  const { user, system } = process.cpuUsage(before);
  if (informer.store.size !== EVENT_PODS) throw new Error(`${informer.store.size} pods are in the cache`);
  stop.abort();
  await run;
  return (EVENTS / (user + system)) * 1e6;
}

/** The same objects by `JSON.parse` alone: what no client written for Node stays below. */
function parseOnce(lines: readonly string[]): number {
  const before = process.cpuUsage();
  for (let round = 0; round < EVENTS / lines.length; round += 1) for (const line of lines) JSON.parse(line);
  const { user, system } = process.cpuUsage(before);
  return (EVENTS / (user + system)) * 1e6;
}

/** 20,000 events of one watch over HTTP/2 into the cache of an informer with a handler. */
export async function measureEvents(): Promise<readonly Figure[]> {
  const target = await startTarget();
  const lines = Array.from({ length: EVENT_PODS }, (_, n) => eventLine('MODIFIED', smallPod(n, n + 1)));
  const size = `${(JSON.stringify(smallPod(1, 1)).length / 1000).toFixed(1)} KB`;
  const [rates, ratios]: [number[], number[]] = [[], []];
  try {
    for (let round = -2; round < ROUNDS; round += 1) {
      const floor = parseOnce(lines);
      const rate = await followOnce(target);
      // The first rounds warm up.
      if (round < 0) continue;
      rates.push(rate);
      ratios.push(floor / rate);
    }
  } finally {
    await target.close();
  }
  const best = Math.max(...rates);
  return [
    {
      what: `${count(EVENTS)} events of ${size} into the cache, for a second of processor time`,
      goal: `≥ ${count(GOAL)}`,
      measured: `${count(best)} in the best round, ${count(median(rates))} in the median`,
      met: best >= GOAL,
    },
    {
      what: 'cost of an event, beside JSON.parse of it alone',
      goal: '',
      measured: `${median(ratios).toFixed(2)} ×`,
      met: undefined,
    },
  ];
}
