import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, type LiveWorld, liveWorld } from './live-world.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'apps', 'cli.ts');

let world: LiveWorld;
const running: ChildProcess[] = [];
beforeAll(async () => {
  world = await liveWorld();
  world.create(deployment('web', 'app:never-ready'));
  await world.pass(5_000);
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await world.close();
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [main, 'health', ...args], {
    env: { ...process.env, KUBECONFIG: world.kubeconfig },
  });
  running.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }));
  return { child, ended };
}

describe('the process of convoy health', () => {
  it('reads the kubeconfig of KUBECONFIG, judges and ends', async () => {
    const { code, out, err } = await start('deploy/web').ended;
    expect(out).toMatch(/^Progressing +Deployment +default +web +0\/1 replicas ready/m);
    expect([code, err]).toEqual([1, '']);
  });

  it('with --watch ends by Ctrl-C, quietly and with 0', async () => {
    const { child, ended } = start('deploy', '--watch');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const { code, out, err } = await ended;
    expect(out).toMatch(/^\S+ Progressing Deployment default\/web .*\n$/);
    expect([code, err]).toEqual([0, '']);
  });

  it('with --wait is ended by Ctrl-C without a word more', async () => {
    const { child, ended } = start('deploy/web', '--wait');
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    const { signal, out, err } = await ended;
    expect(err).toMatch(/^waiting: Deployment default\/web is Progressing: .*\n$/);
    expect([signal, out]).toEqual(['SIGINT', '']);
  });

  it('with --watch ends when nobody reads it any more', async () => {
    const { child, ended } = start('deploy', '--watch');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    world.create(deployment('api'));
    await world.pass(3_000);
    expect((await ended).code).toBe(0);
  });
});
