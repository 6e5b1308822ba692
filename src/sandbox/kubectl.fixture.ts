import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a tool of Kubernetes is: named by the environment, or in .cache/bin; undefined when it is not here. */
export function toolPath(name: 'kubectl' | 'helm'): string | undefined {
  const named = process.env[`CONVOY_${name.toUpperCase()}`];
  const path = named ?? join(import.meta.dirname, '..', '..', '.cache', 'bin', name);
  return existsSync(path) ? path : undefined;
}

/** Says aloud why tests are skipped. */
export function skipReason(name: 'kubectl' | 'helm'): string {
  return `no ${name}: put it into .cache/bin or name it by CONVOY_${name.toUpperCase()}`;
}

export interface ToolResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Tools {
  run(name: 'kubectl' | 'helm', args: readonly string[], input?: string): Promise<ToolResult>;
  /** Runs kubectl and returns what it printed; throws with its message when it fails. */
  kubectl(command: string, input?: string): Promise<string>;
  readonly folder: string;
  remove(): void;
}

/** kubectl and helm on a sandbox, with a home of their own so that no cache of discovery is shared. */
export function toolsFor(kubeconfig: string): Tools {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-sandbox-'));
  writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
  const run: Tools['run'] = (name, args, input = '') =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') };
      const child = execFile(toolPath(name) ?? name, args, { env, timeout: 50_000 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
      });
      child.stdin?.end(input);
    });
  return {
    folder,
    run,
    kubectl: async (command, input) => {
      const { code, out, err } = await run('kubectl', command.split(' '), input);
      if (code !== 0) throw new Error(`kubectl ${command}: ${err}`);
      return out;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
