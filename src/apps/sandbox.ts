import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { RunSandbox, SandboxOptions } from '../cli/sandbox.ts';
import { ConvoyError } from '../core/errors/index.ts';
import { aborted } from '../runtime/pause.ts';
import { type Sandbox, startSandbox } from '../sandbox/start-sandbox.ts';
import { nodeClock } from './node-clock.ts';

/** What the one context of a sandbox's kubeconfig is called: a file without it is somebody's. */
const OWN = /"current-context": "convoy-sandbox"/;

/** Refuses to write over a file that is no sandbox's: it may be the only access to somebody's clusters. */
function refuseForeign(path: string): void {
  if (existsSync(path) && !OWN.test(readFileSync(path, 'utf8'))) throw new ConvoyError('KubeconfigTaken', { path });
}

/** Whole or not at all, and for its owner alone: whoever reads it may do everything in the sandbox. */
function writeWhole(path: string, text: string): void {
  const part = join(dirname(path), `.${randomBytes(6).toString('hex')}.part`);
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, path);
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConvoyError) throw error;
    throw new ConvoyError('FileUnwritable', { path, reason: codeOf(error) });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

async function start({ port, nodes, real }: SandboxOptions): Promise<Pick<Sandbox, 'kubeconfig' | 'close'>> {
  try {
    if (real) {
      const { builtControlPlane, startRealSandbox } = await import('./real-sandbox.ts');
      return await startRealSandbox(builtControlPlane(), port, nodes);
    }
    return await startSandbox({ clock: nodeClock, token: randomBytes(24).toString('base64url'), port, nodes });
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error)))
      throw new ConvoyError('PortTaken', { port, reason: codeOf(error) });
    throw error;
  }
}

/** The sandbox of `convoy sandbox`, simulated or real: runs until SIGINT or SIGTERM, and takes its kubeconfig away with it. */
export const runSandbox: RunSandbox = async (options, ready, tell) => {
  const { kubeconfig } = options;
  const folder = kubeconfig === undefined ? mkdtempSync(join(tmpdir(), 'convoy-sandbox-')) : undefined;
  const path = folder === undefined ? resolve(kubeconfig ?? '') : join(folder, 'kubeconfig');
  attempt(path, () => refuseForeign(path));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const sandbox = await start(options);
  try {
    attempt(path, () => writeWhole(path, sandbox.kubeconfig));
    await ready(path);
    if (options.demo === undefined) await aborted(stop.signal);
    else await (await import('./sandbox-demo.ts')).playDemo(options.demo, path, tell, stop.signal);
  } finally {
    await sandbox.close();
    // Another sandbox may have written there since.
    if (existsSync(path) && readFileSync(path, 'utf8') === sandbox.kubeconfig) rmSync(path);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
};
