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

/** Whoever tries things out loses one controller's work on one object, and not the cluster. */
function tellDefect(error: unknown, what: string): void {
  const reason = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  process.stderr.write(`convoy: ${new ConvoyError('Internal', { reason }).message}\n`);
}

async function start(
  { port, nodes, real }: SandboxOptions,
  stop: AbortSignal,
): Promise<Pick<Sandbox, 'kubeconfig' | 'close'>> {
  try {
    if (real) {
      const { builtControlPlane, startRealSandbox } = await import('./real-sandbox.ts');
      return await startRealSandbox(builtControlPlane(), port, nodes, stop);
    }
    const token = randomBytes(24).toString('base64url');
    return await startSandbox({ clock: nodeClock, token, port, nodes, onDefect: tellDefect });
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error)))
      throw new ConvoyError('PortTaken', { port, reason: codeOf(error) });
    throw error;
  }
}

/** Aborts when the process is asked to end. */
function askedToEnd(): AbortSignal {
  const asked = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => asked.abort());
  return asked.signal;
}

/** Runs the sandbox between its start and its end, its kubeconfig at `path`. */
async function serve(
  path: string,
  options: SandboxOptions,
  ready: (path: string) => Promise<void>,
  tell: Parameters<RunSandbox>[2],
): Promise<void> {
  const stop = askedToEnd();
  const sandbox = await start(options, stop).catch(async (error: unknown) => {
    // Ctrl-C in a terminal also ends what is being waited for, whose failure comes before the signal does.
    await new Promise((resolve) => setTimeout(resolve));
    if (!stop.aborted) throw error;
    return undefined;
  });
  if (sandbox === undefined) return;
  try {
    if (stop.aborted) return;
    attempt(path, () => writeWhole(path, sandbox.kubeconfig));
    await ready(path);
    if (options.demo === undefined) await aborted(stop);
    else await (await import('./sandbox-demo.ts')).playDemo(options.demo, path, tell, stop);
  } finally {
    await sandbox.close();
    // Another sandbox may have written there since.
    if (existsSync(path) && readFileSync(path, 'utf8') === sandbox.kubeconfig) rmSync(path);
  }
}

/** The sandbox of `convoy sandbox`, simulated or real: runs until SIGINT or SIGTERM, and takes its kubeconfig away with it. */
export const runSandbox: RunSandbox = async (options, ready, tell) => {
  const { kubeconfig } = options;
  const folder = kubeconfig === undefined ? mkdtempSync(join(tmpdir(), 'convoy-sandbox-')) : undefined;
  const path = folder === undefined ? resolve(kubeconfig ?? '') : join(folder, 'kubeconfig');
  try {
    attempt(path, () => refuseForeign(path));
    await serve(path, options, ready, tell);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
};
