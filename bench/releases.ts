/**
 * The observer on the sandbox, which runs in a process of its own: each figure with its goal, PASS or FAIL.
 * Options: --releases N (default 1,000), --resources N of each (10), --changes N (600), --drift (compare with renders as well).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { atMost, count, type Figure } from './cluster/figure.ts';
import { BenchSandbox, startObserver, timeUntil } from './releases/observing.ts';
import type { Requests } from './releases/sandbox-process.ts';

const { values } = parseArgs({
  options: {
    releases: { type: 'string', default: '1000' },
    resources: { type: 'string', default: '10' },
    changes: { type: 'string', default: '600' },
    drift: { type: 'boolean', default: false },
  },
});
const [releases, resources, changes] = [Number(values.releases), Number(values.resources), Number(values.changes)];
const PER_SECOND = 20;
const STEADY = 20_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function cpu(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function told(figure: Figure): void {
  const verdict = figure.met === undefined ? '' : figure.met ? 'PASS' : 'FAIL';
  const goal = figure.goal === '' ? '' : ` (goal ${figure.goal})`;
  console.log(`${verdict.padEnd(4)} ${figure.what}: ${figure.measured}${goal}`);
  if (figure.met === false) process.exitCode = 1;
}

const plain = (what: string, measured: string): Figure => ({ what, goal: '', measured, met: undefined });

const sandbox = await BenchSandbox.start();
try {
  await sandbox.ask({ ask: 'fill', name: 'r', releases, resources });
  const empty = heap();
  let used = process.cpuUsage();
  let observing = startObserver(sandbox.cluster, values.drift);
  const healthy = async (): Promise<boolean> => (await sandbox.ask<number>({ ask: 'healthy' })) === releases;
  const first = await timeUntil(healthy, 200);
  const what = `${count(releases)} Releases × ${resources} resources`;
  told(plain(`${what}: start to all Healthy written`, `${(first / 1000).toFixed(1)} s, ${count(cpu(used))} ms of CPU`));

  // What the start left behind comes to rest first.
  await sleep(5_000);
  await sandbox.ask<Requests>({ ask: 'requests' });
  used = process.cpuUsage();
  await sleep(STEADY);
  const share = (cpu(used) / STEADY) * 100;
  const { gets, lists, writes } = await sandbox.ask<Requests>({ ask: 'requests' });
  told(atMost('steady state: writes', 0, writes, 'requests'));
  told(atMost('steady state: lists', 0, lists, 'requests', 0, `, ${gets} single reads`));
  told(atMost('steady state: CPU', 1, share, '% of a core', 2));

  used = process.cpuUsage();
  const times = await sandbox.ask<number[]>({
    ask: 'change',
    name: 'r',
    releases,
    count: changes,
    perSecond: PER_SECOND,
  });
  const perChange = cpu(used) / changes;
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? Number.NaN;
  told(atMost(`object changes → Healthy written, ${PER_SECOND}/s, p50`, 100, at(0.5), 'ms'));
  told(
    atMost(
      `object changes → Healthy written, ${PER_SECOND}/s, p99`,
      500,
      at(0.99),
      'ms',
      0,
      `, longest ${count(at(1))}`,
    ),
  );
  const sent = await sandbox.ask<Requests>({ ask: 'requests' });
  told(atMost('writes per change', 2, sent.writes / changes, 'requests', 2, `; ${count(perChange)} ms of CPU`));

  // Behind all that is measured in time: a forced collection works on in the background.
  const entries = releases * resources;
  told(atMost('memory per inventory entry, informers warm', 6, (heap() - empty) / entries / 1024, 'KB', 1));

  await observing.stop();
  used = process.cpuUsage();
  observing = startObserver(sandbox.cluster, values.drift);
  const again = await timeUntil(() => observing.seen.size === releases);
  told(plain('restart to first complete assessment', `${(again / 1000).toFixed(1)} s, ${count(cpu(used))} ms of CPU`));
  await observing.stop();

  await sandbox.ask({ ask: 'fill', name: 'large', releases: 1, resources: 5000 });
  observing = startObserver(sandbox.cluster, false);
  await timeUntil(() => observing.seen.size === releases + 1);
  await sleep(5_000);
  await sandbox.ask<Requests>({ ask: 'requests' });
  used = process.cpuUsage();
  await sandbox.ask({ ask: 'change', name: 'large', releases: 1, count: 1, perSecond: 1 });
  told(atMost('one Release of 5,000 resources: a pass', 2_000, cpu(used), 'ms of CPU'));
  const large = await sandbox.ask<Requests>({ ask: 'requests' });
  told(atMost('one Release of 5,000 resources: writes of a change', 2, large.writes, 'requests'));
  await observing.stop();
} finally {
  await sandbox.close();
}
