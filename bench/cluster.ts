/**
 * The client of clusters and the informers on it: each figure with its goal, PASS or FAIL. The servers run in processes of their own.
 * Arguments: names of cases (default: all). `--write` puts the results into README.md. Ends with 1 when a goal is missed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from './cluster/figure.ts';

const CASES = ['reads', 'list', 'events', 'idle-watches', 'restart'];

async function figuresOf(name: string): Promise<readonly Figure[]> {
  const child = fork(join(import.meta.dirname, 'cluster', 'worker.ts'), [name], { execArgv: ['--expose-gc'] });
  const ended = once(child, 'exit');
  const told = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  await ended;
  if (told === undefined) throw new Error(`the case ${name} ended without figures`);
  return told[0];
}

function verdict({ met }: Figure): string {
  if (met === undefined) return '';
  return met ? 'PASS' : 'FAIL';
}

function writeResults(figures: readonly Figure[]): void {
  const file = join(import.meta.dirname, 'README.md');
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} processors (${cpus()[0]?.model}), shared with other work.`;
  const rows = figures.map((figure) => `| ${figure.what} | ${figure.goal} | ${figure.measured} | ${verdict(figure)} |`);
  const table = [machine, '', '| figure | goal | measured | |', '|---|---|---|---|', ...rows].join('\n');
  const [begin, end] = ['<!-- cluster: written by npm run bench:cluster -- --write -->', '<!-- end of cluster -->'];
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error('README.md has no place for the results');
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}

const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true });
const figures: Figure[] = [];
for (const name of positionals.length > 0 ? positionals : CASES) {
  for (const figure of await figuresOf(name)) {
    figures.push(figure);
    const goal = figure.goal === '' ? '' : ` (goal ${figure.goal})`;
    console.log(`${verdict(figure).padEnd(4)} ${figure.what}: ${figure.measured}${goal}`);
  }
}
if (values.write) writeResults(figures);
process.exitCode = figures.some(({ met }) => met === false) ? 1 : 0;
