import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './memory-io.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'apps', 'cli.ts');

let folder: string;
const running: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'convoy-sandbox-test-'));
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly firstLine: Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly err: string }>;
  signal(name: NodeJS.Signals): void;
}

function start(...args: string[]): Started {
  const child = spawn(process.execPath, [main, 'sandbox', ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
  });
  running.push(child);
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  return {
    firstLine: new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, err }))),
    signal: (name) => child.kill(name),
  };
}

describe('convoy sandbox', () => {
  it('says when its kubeconfig works, and Ctrl-C ends it clean and takes the kubeconfig away', async () => {
    const file = join(folder, 'access.json');
    const sandbox = start('--port', '0', '--kubeconfig', file);
    expect(await sandbox.firstLine).toBe(`sandbox ready: KUBECONFIG=${file}`);
    expect(statSync(file).mode & 0o077).toBe(0);
    const { clusters } = JSON.parse(readFileSync(file, 'utf8'));
    expect(clusters[0].cluster.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    sandbox.signal('SIGINT');
    expect(await sandbox.ended).toEqual({ code: 0, err: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('without a file writes one into a folder of its own', async () => {
    const sandbox = start();
    const [, file = ''] = /KUBECONFIG=(.*)/.exec(await sandbox.firstLine) ?? [];
    expect(existsSync(file)).toBe(true);
    sandbox.signal('SIGTERM');
    expect((await sandbox.ended).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('does not write over a kubeconfig of other clusters', async () => {
    const file = join(folder, 'precious');
    writeFileSync(file, 'apiVersion: v1\nkind: Config\n');
    const { code, err } = await start('--kubeconfig', file).ended;
    expect(code).toBe(2);
    expect(err).toContain('precious is there and is no kubeconfig of a sandbox; name a file that does not exist');
    expect(readFileSync(file, 'utf8')).toBe('apiVersion: v1\nkind: Config\n');
  });

  it('tells a folder that is not there and a port that is taken, in one line', async () => {
    const lost = await start('--kubeconfig', join(folder, 'none', 'x')).ended;
    expect(lost.err).toMatch(/^convoy: \S+ cannot be written \(ENOENT\); name a file in a folder that exists.*\n$/);
    const first = start('--kubeconfig', join(folder, 'first'));
    await first.firstLine;
    const { server } = JSON.parse(readFileSync(join(folder, 'first'), 'utf8')).clusters[0].cluster;
    const port = new URL(server).port;
    const second = await start('--port', port, '--kubeconfig', join(folder, 'second')).ended;
    expect(second).toEqual({
      code: 2,
      err: `convoy: port ${port} cannot be listened on (EADDRINUSE); choose another, or leave --port out for any free one\n`,
    });
    const third = await start('--port', port).ended;
    expect(third.code).toBe(2);
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(0);
    // What each made for its kubeconfig is gone, whether it started or not.
    expect(readdirSync(folder).filter((name) => name.startsWith('convoy-sandbox-'))).toEqual([]);
  });

  it.each([
    ['--port', '70000'],
    ['--port', 'http'],
    ['--nodes', '-1'],
  ])('refuses %s %s', async (flag, value) => {
    const { code, err } = await run(['sandbox', flag, value]);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`^convoy: ${flag} is no whole number from 0 to \\d+: ${value};`));
  });
});
