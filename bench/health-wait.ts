/**
 * How long after a Deployment has become healthy `convoy health deploy/NAME --wait` has ended: the whole process, from the write of
 * the status in the sandbox to the exit of the command. Build first (`make build`). Options: --runs N (default 15).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { field } from '../src/core/object/fields.ts';
import { startSandbox } from '../src/sandbox/start-sandbox.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';

const BY = { manager: 'bench' };
const bundle = join(import.meta.dirname, '..', 'dist', 'convoy.cjs');

const { values } = parseArgs({ options: { runs: { type: 'string', default: '15' } } });

// The cluster stands still until the command waits: its clock is moved by hand.
const clock = new FakeClock(1, Date.now());
const sandbox = await startSandbox({ clock, token: 'token-of-the-bench' });
const folder = mkdtempSync(join(tmpdir(), 'convoy-bench-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, sandbox.kubeconfig);
const deployments = sandbox.api.registry.byKind('apps/v1', 'Deployment');
if (deployments === undefined) throw new Error('Deployment is not served');

/** ms from the healthy Deployment to the end of the command. */
async function measure(name: string): Promise<number> {
  if (deployments === undefined) throw new Error('Deployment is not served');
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'app:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
  sandbox.api.create(deployments, 'default', object, BY);
  sandbox.settle();
  const args = [bundle, 'health', `deploy/${name}`, '--wait', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  await once(child.stderr, 'data');
  const isReady = (): boolean =>
    field(sandbox.api.get(deployments, 'default', name)['status'], 'availableReplicas') === 3;
  while (!isReady()) {
    await clock.advance(100);
    sandbox.settle();
  }
  const start = performance.now();
  const [code] = await ended;
  if (code !== 0) throw new Error(`convoy ended with ${code}`);
  return performance.now() - start;
}

const times: number[] = [];
try {
  for (let run = 0; run < Number(values.runs); run += 1) times.push(await measure(`web-${run}`));
} finally {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
times.sort((a, b) => a - b);
const at = (share: number): string => `${Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN)} ms`;
console.log(
  `convoy health --wait ended after the Deployment was healthy: median ${at(0.5)}, 90th percentile ${at(0.9)}, longest ${at(1)} (${times.length} runs)`,
);
