import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'convoy-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = {
  cwd: folder,
  env: { PATH: '/usr/bin:/bin', SEEN: 'yes' },
  signal: new AbortController().signal,
  maxOutput: 1000,
};
const sh = (script: string, more: object = {}) => runProgram('sh', ['-c', script], { ...call, ...more });

describe('a program', () => {
  it('gets its input and gives output, complaint and exit code', async () => {
    const { code, stdout, stderr } = await sh('cat; echo bad >&2; exit 3', { input: 'hello' });
    expect([code, String(stdout), stderr]).toEqual([3, 'hello', 'bad\n']);
  });

  it('sees the surroundings that it is given and no other', async () => {
    const { stdout } = await sh('echo $SEEN; echo ${HOME-none}');
    expect(String(stdout)).toBe('yes\nnone\n');
  });

  it('that is not here is told as missing, with a cap of its files too', async () => {
    for (const more of [{}, { maxFile: 1024 }]) {
      await expect(runProgram('no-such-program', [], { ...call, ...more })).rejects.toMatchObject({
        fault: 'missing',
        message: 'no program no-such-program',
      });
    }
  });

  it('that prints without end is stopped', async () => {
    await expect(sh('yes')).rejects.toMatchObject({ fault: 'output' });
  });

  it('that writes too large a file is stopped by the system', async () => {
    const { code } = await sh('head -c 100000 /dev/zero > large', { maxFile: 4096 });
    expect(code).not.toBe(0);
  });

  it('takes its arguments as they are, with a cap of its files too', async () => {
    const words = ['$(id)', 'a b', '"; exit 1'];
    const { stdout } = await runProgram('printf', ['%s\\n', ...words], { ...call, maxFile: 4096 });
    expect(String(stdout)).toBe(`${words.join('\n')}\n`);
  });

  it('is killed with what it started when the signal aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('too late');
    const run = sh('(trap "" TERM; sleep 300; touch late) & echo up; wait', {
      signal: stop.signal,
      onOutput: () => stop.abort(reason),
    });
    await expect(run).rejects.toBe(reason);
    expect(existsSync(join(folder, 'late'))).toBe(false);
  });

  it('is stopped when what takes its output fails', async () => {
    const full = new Error('full');
    await expect(sh('yes', { maxOutput: 1e9, onOutput: () => Promise.reject(full) })).rejects.toBe(full);
  });

  it('does not start when the signal has aborted', async () => {
    await expect(sh('touch started', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  it('may ignore its input', async () => {
    expect((await sh('exit 0', { input: 'x'.repeat(1_000_000) })).code).toBe(0);
  });
});
