import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { at, deployment } from '../../src/testing/contracts/cluster/law.ts';
import { connect } from '../integration/contract-target.ts';
import { buildControlPlane } from './build-control-plane.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'apps', 'cli.ts');
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
let folder: string;

beforeAll(() => {
  buildControlPlane(console.log);
  folder = mkdtempSync(join(tmpdir(), 'convoy-real-sandbox-'));
}, 45 * 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Processes whose command line names a text. */
function processesThatName(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // It has ended since.
    }
  });
}

describe('convoy sandbox --real', () => {
  it('runs pods, breaks them on request, and Ctrl-C leaves no process, no kubeconfig and no folder', async () => {
    const kubeconfig = join(folder, 'access.json');
    const args = ['sandbox', '--real', '--nodes', '2', '--kubeconfig', kubeconfig];
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, TMPDIR: folder } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(line).toBe(`sandbox ready: KUBECONFIG=${kubeconfig}`);
    const own = readdirSync(folder).filter((name) => name.startsWith('convoy-control-plane-'));
    expect(own).toHaveLength(1);
    const cluster = await connect({ kubeconfig });
    const path = { type: DEPLOYMENTS, namespace: 'default' };
    const informer = new Informer({ cluster, clock: nodeClock, path: { ...path, type: { ...DEPLOYMENTS } } });
    const stop = new AbortController();
    const until = (fits: (status: unknown) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (object: unknown): void => {
          if (fits(at(object, 'status'))) resolve();
        };
        informer.addHandler({ added: look, updated: look });
      });
    const run = informer.run(stop.signal);
    await cluster.create(path, deployment('web', {}, { replicas: 2 }));
    await until((status) => at(status, 'availableReplicas') === 2);
    const containers = [{ name: 'main', image: 'app:never-ready' }];
    const patch = { spec: { template: { spec: { containers } } } };
    await cluster.patch({ ...path, name: 'web' }, 'strategic', patch);
    await until((status) => at(status, 'unavailableReplicas') === 1);
    stop.abort();
    await run;
    await cluster.close();
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(kubeconfig)).toBe(false);
    expect(existsSync(join(folder, own[0] ?? ''))).toBe(false);
    expect(processesThatName(own[0] ?? 'no folder')).toEqual([]);
  });
});
