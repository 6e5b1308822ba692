import { describe, expect, it } from 'vitest';
import { certificates } from '../../../testing/http-server/certificates.ts';
import { loadClusterConfig } from './load-kubeconfig.ts';
import { runProgram } from './run-program.ts';
import { kubeconfigText, type TestSurroundings, testSurroundings } from './surroundings.fixture.ts';

const V1 = 'client.authentication.k8s.io/v1';

function plugin(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { apiVersion: V1, command: 'login', args: ['token'], interactiveMode: 'IfAvailable', ...more };
}

function answer(status: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status, ...more });
}

async function credentials(around: TestSurroundings, exec = plugin(), cluster: Record<string, unknown> = {}) {
  around.files.set('/home/ann/.kube/config', kubeconfigText({ user: { exec }, cluster }));
  return (await loadClusterConfig({}, around)).credentials;
}

function printing(output: string): TestSurroundings {
  const around = testSurroundings();
  around.program = async () => ({ exitCode: 0, output, complaint: '' });
  return around;
}

describe('an exec plugin', () => {
  it('is told what it is asked for, and gives a token', async () => {
    const around = printing(answer({ token: 'abc' }));
    around.environment['PATH'] = '/bin';
    const exec = plugin({ env: [{ name: 'REGION', value: 'east' }], provideClusterInfo: true, command: './bin/login' });
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    const source = await credentials(around, exec, { extensions });
    expect(await source.current()).toEqual({ token: 'abc', certificate: undefined });
    const [call] = around.calls;
    expect(call).toMatchObject({ command: '/home/ann/.kube/bin/login', args: ['token'], terminal: false });
    expect(call?.environment).toMatchObject({ PATH: '/bin', REGION: 'east' });
    expect(JSON.parse(call?.environment['KUBERNETES_EXEC_INFO'] ?? '')).toEqual({
      apiVersion: V1,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://api.example.test:6443', config: { audience: 'x' } } },
    });
  });

  it('may give a certificate instead', async () => {
    const { certificate, key } = certificates.client;
    const source = await credentials(printing(answer({ clientCertificateData: certificate, clientKeyData: key })));
    expect(await source.current()).toEqual({ token: undefined, certificate: { certificate, key } });
  });

  it('runs once for many who ask at the same time, and not again while its token is good', async () => {
    const around = printing(answer({ token: 'abc' }));
    const source = await credentials(around);
    await Promise.all([source.current(), source.current(), source.current()]);
    await source.current();
    expect(around.calls).toHaveLength(1);
  });

  it('runs again shortly before its token expires', async () => {
    const around = printing(answer({ token: 'abc', expirationTimestamp: '2026-03-02T10:05:00Z' }));
    const source = await credentials(around);
    await source.current();
    await around.clock.advance(4 * 60_000 + 29_000);
    await source.current();
    expect(around.calls).toHaveLength(1);
    await around.clock.advance(1000);
    await source.current();
    expect(around.calls).toHaveLength(2);
  });

  it('runs again when its token was refused, but once for many refusals of one token', async () => {
    const around = printing(answer({ token: 'abc' }));
    const source = await credentials(around);
    const first = await source.current();
    expect(source.refused(first)).toBe(true);
    await source.current();
    source.refused(first);
    await source.current();
    expect(around.calls).toHaveLength(2);
  });

  it('gets the terminal when there is one and it may', async () => {
    const around = printing(answer({ token: 'abc' }));
    around.interactive = true;
    await (await credentials(around)).current();
    await (await credentials(around, plugin({ interactiveMode: 'Never' }))).current();
    expect(around.calls.map((call) => call.terminal)).toEqual([true, false]);
  });

  it('of v1beta1 needs no interactiveMode', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const around = printing(answer({ token: 'abc' }, { apiVersion }));
    const source = await credentials(around, { apiVersion, command: 'login' });
    expect((await source.current()).token).toBe('abc');
  });
});

describe('an exec plugin that does not do its work is told in one line', () => {
  const name = 'context "prod", cluster "east", user "ann": exec plugin login';

  it.each([
    ['prints nothing', '', 'printed nothing where an ExecCredential should be; run it by hand to see why'],
    ['prints rubbish', 'secret!', 'printed no JSON where an ExecCredential should be; run it by hand to see why'],
    ['prints half an answer', answer({ token: 'secret' }).slice(0, -3), 'printed no JSON where'],
    ['prints another kind', '{"kind":"secret"}', 'printed JSON that is no ExecCredential'],
    ['answers in another version', answer({ token: 'secret' }, { apiVersion: 'v0' }), 'answered in "v0", not'],
    ['gives nothing', answer({}), 'gave neither a token nor a certificate; log in again with it'],
    [
      'gives half a pair',
      answer({ clientKeyData: 'secret' }),
      'gave only one of clientCertificateData and clientKeyData',
    ],
    [
      'gives a time that is none',
      answer({ token: 'secret', expirationTimestamp: 'soon' }),
      'gave an expirationTimestamp',
    ],
  ])('%s', async (_situation, output, message) => {
    const source = await credentials(printing(output));
    await expect(source.current()).rejects.toThrow(`${name} ${message}`);
    await expect(source.current()).rejects.not.toThrow('secret');
  });

  it('fails', async () => {
    const around = testSurroundings();
    around.program = async () => ({ exitCode: 3, output: 'secret', complaint: 'warming up\nyour session ended\n' });
    const source = await credentials(around);
    await expect(source.current()).rejects.toThrow(
      `${name} failed with exit code 3 (your session ended); log in again with it`,
    );
  });

  it('is not installed', async () => {
    const around = testSurroundings();
    around.program = () => Promise.reject(Object.assign(new Error('spawn'), { code: 'ENOENT' }));
    const hinted = await credentials(around, plugin({ installHint: 'brew install\nlogin' }));
    await expect(hinted.current()).rejects.toThrow(`${name} is not installed; brew install login`);
  });

  it('needs a terminal where there is none', async () => {
    const around = testSurroundings();
    const source = await credentials(around, plugin({ interactiveMode: 'Always' }));
    await expect(source.current()).rejects.toThrow(`${name} needs a terminal and there is none`);
    expect(around.calls).toEqual([]);
  });

  it('hangs, and is asked again at the next request', async () => {
    const around = testSurroundings();
    around.program = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const source = await credentials(around);
    const told = expect(source.current()).rejects.toThrow(`${name} did not end within 60 s; run it by hand to see why`);
    await around.clock.advance(60_000);
    await told;
    around.program = async () => ({ exitCode: 0, output: answer({ token: 'abc' }), complaint: '' });
    expect((await source.current()).token).toBe('abc');
  });
});

describe('a program', () => {
  const run = (script: string, signal = new AbortController().signal) =>
    runProgram({ command: process.execPath, args: ['-e', script], environment: {}, terminal: false, signal });

  it('is run to its end, with what it wrote', async () => {
    const script =
      'process.stdin.on("end", () => { console.log("out"); console.error("err"); process.exit(4); }).resume()';
    expect(await run(script)).toEqual({ exitCode: 4, output: 'out\n', complaint: 'err\n' });
  });

  it('that hangs is killed', async () => {
    const stop = new AbortController();
    const running = run('setInterval(() => {}, 1000)', stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('that writes without end is killed', async () => {
    await expect(run('const more = () => process.stdout.write("x".repeat(10000), more); more()')).rejects.toThrow(
      'wrote more than 1048576 bytes',
    );
  });

  it('that is not there is an error of its own', async () => {
    const call = { command: '/no/such', args: [], environment: {}, terminal: false };
    await expect(runProgram({ ...call, signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
