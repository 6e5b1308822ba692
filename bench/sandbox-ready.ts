/**
 * How soon a sandbox is ready: from the start of `convoy sandbox` to its line `sandbox ready`, which it prints once its kubeconfig
 * works; also as a ratio to `node -e 0`, measured turn by turn, since a busy machine slows both. Build first (`make build`). Options:
 * --runs N (default 10).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** ms. */
const GOAL = 1_500;
const bundle = join(import.meta.dirname, '..', 'dist', 'convoy.cjs');
const { values } = parseArgs({ options: { runs: { type: 'string', default: '10' } } });
if (!existsSync(bundle)) {
  console.error('dist/convoy.cjs is missing; run `make build`');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'convoy-ready-'));

async function ready(): Promise<number> {
  const start = performance.now();
  const args = [bundle, 'sandbox', '--port', '0', '--kubeconfig', join(folder, 'kubeconfig')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let told = '';
  for await (const chunk of child.stdout) {
    told += String(chunk);
    if (told.includes('sandbox ready')) break;
  }
  const milliseconds = performance.now() - start;
  if (!told.includes('sandbox ready')) throw new Error(`the sandbox ended: ${told}`);
  child.kill('SIGTERM');
  await ended;
  return milliseconds;
}

async function bare(): Promise<number> {
  const start = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - start;
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? Number.NaN;
}

const starts: number[] = [];
const floors: number[] = [];
try {
  await ready(); // Fills the compile cache.
  for (let run = 0; run < Number(values.runs); run += 1) {
    floors.push(await bare());
    starts.push(await ready());
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const [median, longest] = [at(starts, 0.5), at(starts, 1)];
console.log(
  `sandbox ready after: median ${Math.round(median)} ms, longest ${Math.round(longest)} ms (${starts.length} starts), ` +
    `${(median / at(floors, 0.5)).toFixed(1)} times node -e 0 (goal ${GOAL} ms for each): ${longest <= GOAL ? 'met' : 'FAILED'}`,
);
