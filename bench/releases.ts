/**
 * The observer on the sandbox, which runs in a process of its own: each figure with its goal, PASS or FAIL; ends with 1 when a goal is
 * missed. Arguments: names of cases (default: all). Options: --releases N (default 1,000), --resources N of each (10), --changes N
 * (600), --drift (compare with renders as well), --write (puts the results into README.md).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { count, type Figure } from './cluster/figure.ts';
import { CASES, cpu, plain } from './releases/cases.ts';
import { BenchSandbox, startObserver, timeUntil } from './releases/observing.ts';

const { values, positionals } = parseArgs({
  options: {
    releases: { type: 'string', default: '1000' },
    resources: { type: 'string', default: '10' },
    changes: { type: 'string', default: '600' },
    drift: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [releases, resources, changes] = [Number(values.releases), Number(values.resources), Number(values.changes)];
const chosen =
  positionals.length === 0 ? Object.keys(CASES) : Object.keys(CASES).filter((one) => positionals.includes(one));
if (chosen.length === 0) throw new Error(`no such case; there are ${Object.keys(CASES).join(', ')}`);

const figures: Figure[] = [];

function verdict({ met }: Figure): string {
  return met === undefined ? '' : met ? 'PASS' : 'FAIL';
}

function tell(found: readonly Figure[]): void {
  for (const figure of found) {
    const goal = figure.goal === '' ? '' : ` (goal ${figure.goal})`;
    console.log(`${verdict(figure).padEnd(4)} ${figure.what}: ${figure.measured}${goal}`);
  }
  figures.push(...found);
}

function write(): void {
  const file = join(import.meta.dirname, 'README.md');
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} processors (${cpus()[0]?.model}), shared with other work; ${count(releases)} Releases × ${resources} resources.`;
  const rows = figures.map((figure) => `| ${figure.what} | ${figure.goal} | ${figure.measured} | ${verdict(figure)} |`);
  const table = [machine, '', '| figure | goal | measured | |', '|---|---|---|---|', ...rows].join('\n');
  const [begin, end] = ['<!-- releases: written by npm run bench:releases -- --write -->', '<!-- end of releases -->'];
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error('README.md has no place for the results');
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}

const sandbox = await BenchSandbox.start();
try {
  await sandbox.ask({ ask: 'fill', name: 'r', releases, resources });
  const bench = { sandbox, releases, resources, changes, drift: values.drift };
  const used = process.cpuUsage();
  const observing = startObserver(sandbox.cluster, values.drift);
  const time = await timeUntil(async () => (await sandbox.ask<number>({ ask: 'healthy' })) === releases, 200);
  const started = `${(time / 1000).toFixed(1)} s, ${(cpu(used) / 1000).toFixed(1)} s of processor`;
  tell([plain('first start: all objects assessed, all conditions written', started)]);
  for (const name of chosen) tell((await CASES[name]?.(bench, observing)) ?? []);
  await observing.stop();
} finally {
  await sandbox.close();
}
if (values.write) write();
process.exitCode = figures.some(({ met }) => met === false) ? 1 : 0;
