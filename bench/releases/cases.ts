import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { atMost, count, type Figure } from '../cluster/figure.ts';
import { type BenchSandbox, type Observing, startObserver, timeUntil } from './observing.ts';
import type { Requests } from './sandbox-process.ts';

export interface Bench {
  readonly sandbox: BenchSandbox;
  readonly releases: number;
  readonly resources: number;
  readonly changes: number;
  readonly drift: boolean;
}

/** Measures with a running observer; those that need another one bring it. */
export type Case = (bench: Bench, observing: Observing) => Promise<readonly Figure[]>;

const PER_SECOND = 20;
const STEADY = 20_000;

function heap(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** ms of processor time of this process. */
export function cpu(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function plain(what: string, measured: string): Figure {
  return { what, goal: '', measured, met: undefined };
}

const steady: Case = async ({ sandbox }) => {
  // What the start left behind comes to rest first.
  await sleep(5_000);
  await sandbox.ask<Requests>({ ask: 'requests' });
  const used = process.cpuUsage();
  await sleep(STEADY);
  const share = (cpu(used) / STEADY) * 100;
  const { gets, lists, writes } = await sandbox.ask<Requests>({ ask: 'requests' });
  return [
    atMost('nothing changes: writes', 0, writes, 'requests'),
    atMost('nothing changes: lists', 0, lists, 'requests', 0, `, ${gets} single reads`),
    atMost('nothing changes: processor', 1, share, '% of a core', 2),
  ];
};

const changes: Case = async ({ sandbox, releases, changes: many }) => {
  await sandbox.ask<Requests>({ ask: 'requests' });
  const used = process.cpuUsage();
  const asked = { ask: 'change', name: 'r', releases, count: many, perSecond: PER_SECOND } as const;
  const times = await sandbox.ask<number[]>(asked);
  const each = cpu(used) / many;
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? Number.NaN;
  const { writes } = await sandbox.ask<Requests>({ ask: 'requests' });
  const what = `object changes → Healthy condition written, ${PER_SECOND}/s`;
  return [
    atMost(`${what}: p50`, 100, at(0.5), 'ms'),
    atMost(`${what}: p99`, 500, at(0.99), 'ms', 0, `, longest ${count(at(1))} ms`),
    atMost('writes for a change', 2, writes / many, 'requests', 2, `; ${each.toFixed(1)} ms of processor`),
  ];
};

/** What an observer holds is what is free when it has stopped. */
const memory: Case = async ({ releases, resources }, observing) => {
  // A forced collection works on in the background for a while: behind all that is measured in time.
  const held = heap();
  await observing.stop();
  await sleep(500);
  const each = (held - heap()) / (releases * resources) / 1024;
  return [atMost('heap for each inventory entry, informers warm', 6, each, 'KB', 1)];
};

const restart: Case = async ({ sandbox, releases, drift }, observing) => {
  await observing.stop();
  const used = process.cpuUsage();
  const again = startObserver(sandbox.cluster, drift);
  const time = await timeUntil(() => again.seen.size === releases);
  await again.stop();
  const told = `${(time / 1000).toFixed(1)} s, ${(cpu(used) / 1000).toFixed(1)} s of processor`;
  return [plain('restart to first complete assessment', told)];
};

const large: Case = async ({ sandbox, releases }, observing) => {
  await observing.stop();
  await sandbox.ask({ ask: 'fill', name: 'large', releases: 1, resources: 5000 });
  const again = startObserver(sandbox.cluster, false);
  await timeUntil(() => again.seen.size === releases + 1);
  await sleep(5_000);
  await sandbox.ask<Requests>({ ask: 'requests' });
  const used = process.cpuUsage();
  await sandbox.ask({ ask: 'change', name: 'large', releases: 1, count: 1, perSecond: 1 });
  const spent = cpu(used);
  const { writes } = await sandbox.ask<Requests>({ ask: 'requests' });
  await again.stop();
  return [
    atMost('one Release of 5,000 resources, one changes: processor', 2_000, spent, 'ms'),
    atMost('one Release of 5,000 resources, one changes: writes', 2, writes, 'requests'),
  ];
};

/** In the order in which they may follow each other: the last three stop the observer. */
export const CASES: Readonly<Record<string, Case>> = { steady, changes, memory, restart, large };
