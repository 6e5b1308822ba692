import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { builtControlPlane, startRealSandbox } from './real-sandbox.ts';

/** An executable that says something and ends. */
function program(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-real-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'control-plane');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** A folder of its own for what is temporary. */
function ownTemporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-real-test-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

describe('a real sandbox', () => {
  it('that was never built tells how it is', () => {
    expect(() => builtControlPlane([])).toThrow(/has been built here.*`make real-control-plane`/);
  });

  it('whose first component ends tells which, and its last words in one line, and leaves nothing behind', async () => {
    const executable = program('echo first; echo "no room on the disk" >&2; exit 3');
    const temporary = ownTemporary();
    const starting = startRealSandbox(executable, 0, 1);
    await expect(starting).rejects.toThrow(
      /^the control plane did not start: etcd ended with 3: no room on the disk; [^\n]*$/,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('that is given up while it starts ends at once and leaves nothing behind', async () => {
    const executable = program('echo started >&2; exec sleep 600');
    const temporary = ownTemporary();
    const stop = new AbortController();
    const starting = startRealSandbox(executable, 0, 1, stop.signal);
    const log = (): string => {
      const [folder = ''] = readdirSync(temporary);
      const path = join(temporary, folder, 'logs', 'etcd.log');
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    await vi.waitFor(() => expect(log()).toContain('started'), 30_000);
    stop.abort(new Error('given up'));
    await expect(starting).rejects.toThrow('given up');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('on a port that is taken says so before it starts anything', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(startRealSandbox(program('exit 1'), port, 1)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
