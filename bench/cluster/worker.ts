/** One case in a process of its own, so that none measures the memory of another. Argument: its name. Its parent gets the figures. */
import type { Figure } from './figure.ts';

const CASES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  reads: async () => (await import('./reads.ts')).measureReads(),
  list: async () => (await import('./list.ts')).measureList(),
  events: async () => (await import('./events.ts')).measureEvents(),
  'idle-watches': async () => (await import('./idle-watches.ts')).measureIdleWatches(),
  restart: async () => (await import('./restart.ts')).measureRestart(),
};

const run = CASES[process.argv[2] ?? ''];
if (run === undefined) throw new Error(`no such case; there are ${Object.keys(CASES).join(', ')}`);
process.send?.(await run());
process.disconnect();
