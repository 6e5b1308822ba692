import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from './memory-io.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'apps', 'cli.ts');
const execute = promisify(execFile);

describe('convoy sandbox --demo', () => {
  it('plays on a sandbox that others can look at, by the aggregated API too, and Ctrl-C ends it clean', async () => {
    const child = spawn(process.execPath, [main, 'sandbox', '--demo']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    let kubeconfig = '';
    for await (const line of createInterface({ input: child.stdout })) {
      kubeconfig ||= /KUBECONFIG=(.*)/.exec(line)?.[1] ?? '';
      if (line.includes('wave 0 is applied')) break;
    }
    const words = ['release', 'health', 'shop', '-n', 'shop', '--exit-zero', '--kubeconfig', kubeconfig];
    const { stdout, stderr } = await execute(process.execPath, [main, ...words]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ConfigMap +shop +settings +Healthy/m);
    expect(stdout).toMatch(/^Job +shop +migrate \(preSync hook\) +Healthy/m);
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it.each([
    [['--demo'], 'release'],
    [['--demo=release'], 'release'],
    [[], undefined],
  ])('%j means the demo %s', async (flags, demo) => {
    let asked: unknown;
    await run(['sandbox', ...flags], {
      runSandbox: async (options) => {
        asked = options.demo;
      },
    });
    expect(asked).toBe(demo);
  });

  it('says which demos there are', async () => {
    expect(await run(['sandbox', '--demo', 'opera'])).toEqual({
      code: 2,
      out: '',
      err: 'convoy: there is no demo "opera"; use release\n',
    });
  });
});
