/**
 * Start-up of the bundle: whole processes, as ratios to `node -e 0` of the same Node, measured turn by turn so that a busy
 * machine slows all alike. Run `make build` first. Options: --runs N (default 25).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '25' } } });
const bundle = join(import.meta.dirname, '..', 'dist', 'convoy.cjs');
if (!existsSync(bundle)) {
  console.error('dist/convoy.cjs is missing; run `make build`');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'convoy-startup-'));
const object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', generation: 1 },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
  status: { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
};
const json = join(folder, 'one.json');
const yaml = join(folder, 'one.yaml');
writeFileSync(json, JSON.stringify(object));
writeFileSync(yaml, `---\n${JSON.stringify(object)}\n`);

/** What is run, and the largest ratio that counts as met; undefined: for information. */
const CASES: readonly { name: string; args: readonly string[]; goal?: number; cold?: true }[] = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'convoy health -f one.json', args: [bundle, 'health', '-f', json], goal: 2.5 },
  { name: 'the same, the first time', args: [bundle, 'health', '-f', json], cold: true },
  { name: 'convoy health -f one.yaml', args: [bundle, 'health', '-f', yaml] },
  { name: 'convoy version', args: [bundle, 'version'] },
  { name: 'convoy __complete', args: [bundle, '__complete', 'health', '-'] },
];

/** `cold`: without the code that earlier runs have kept. */
function once(args: readonly string[], cold = false): number {
  const cache = join(folder, 'cache');
  if (cold) rmSync(cache, { recursive: true, force: true });
  const env = cold ? { ...process.env, XDG_CACHE_HOME: cache } : process.env;
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`exit code ${status}: ${String(stderr)}`);
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

try {
  const times = CASES.map((): number[] => []);
  for (const { args } of CASES) once(args); // fills the compile cache and the file cache
  for (let run = 0; run < Number(values.runs); run += 1) {
    for (const [place, { args, cold }] of CASES.entries()) times[place]?.push(once(args, cold));
  }
  const floor = median(times[0] ?? []);
  console.log('median   ratio   goal   command');
  for (const [place, { name, goal }] of CASES.entries()) {
    const middle = median(times[place] ?? []);
    const cells = [
      `${middle.toFixed(0)} ms`.padEnd(7),
      (middle / floor).toFixed(2).padEnd(6),
      (goal ? `≤ ${goal}` : '').padEnd(5),
    ];
    console.log(`${cells.join('  ')}  ${name}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
