/**
 * Judges examples/cluster-dump.yaml as `make demo` does and compares with examples/cluster-dump.expected.txt.
 * With --write it writes the expectation and the capture in README.md from the real output instead.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const expectation = join(root, 'examples', 'cluster-dump.expected.txt');
const readme = join(root, 'README.md');
const ARGS = ['health', '-f', 'examples/cluster-dump.yaml', '--now', '2026-03-02T10:00:00Z'];

/** Longest line of the capture; longer ones end in an ellipsis. */
const CAPTURE_WIDTH = 160;

function judge(): string {
  const { status, stdout, stderr } = spawnSync(join(root, 'bin', 'convoy'), ARGS, { cwd: root, encoding: 'utf8' });
  if (status !== 1) throw new Error(`exit code ${status} where 1 should be: ${stderr}`);
  return stdout;
}

/** README.md with the block between its two marks made anew. */
function withCapture(text: string, output: string): string {
  const short = output
    .trimEnd()
    .split('\n')
    .map((line) => (line.length <= CAPTURE_WIDTH ? line : `${line.slice(0, CAPTURE_WIDTH - 1)}…`));
  const block = ['```console', `$ bin/convoy ${ARGS.join(' ')}`, ...short, '```'].join('\n');
  const marked = /(<!-- capture -->\n)[\s\S]*?(<!-- \/capture -->\n)/;
  if (!marked.test(text)) throw new Error('README.md has lost the marks of its capture');
  return text.replace(marked, (_, open: string, close: string) => `${open}${block}\n${close}`);
}

const output = judge();
const page = readFileSync(readme, 'utf8');
if (process.argv.includes('--write')) {
  writeFileSync(expectation, output);
  writeFileSync(readme, withCapture(page, output));
} else {
  const mend = 'look at the difference, then run `node scripts/check-demo.ts --write`';
  const checks: [string, boolean][] = [
    ['the output of `make demo` is examples/cluster-dump.expected.txt', readFileSync(expectation, 'utf8') === output],
    ['the capture in README.md is real', withCapture(page, output) === page],
  ];
  for (const [law, holds] of checks) console.log(holds ? `ok      ${law}` : `FAILED  ${law}: ${mend}`);
  const failed = checks.filter(([, holds]) => !holds).length;
  if (failed > 0) console.log(output);
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
