import { tmpdir } from 'node:os';
import type { RunProgram } from '../../ports/source-tools.ts';

/** ms for a program to say its version. */
const TIMEOUT = 10_000;

async function firstLine(
  run: RunProgram,
  program: string,
  args: readonly string[],
  searchPath: string,
): Promise<string> {
  const folder = tmpdir();
  const env = { PATH: searchPath, HOME: folder, KUBECONFIG: '/dev/null' };
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const { code, stdout } = await run(program, args, { cwd: folder, env, signal, maxOutput: 64 * 1024 });
    return code === 0 ? (/v\d[\w.+-]*/.exec(stdout.toString('utf8'))?.[0] ?? 'unknown') : 'unknown';
  } catch {
    return 'none';
  }
}

/** The versions of the programs that render, in one line; `none` for one that is not here. */
export async function versionsOfPrograms(
  run: RunProgram,
  { helm, kubectl }: { readonly helm: string; readonly kubectl: string },
  searchPath: string,
): Promise<string> {
  const [helmVersion, kubectlVersion] = await Promise.all([
    firstLine(run, helm, ['version', '--short'], searchPath),
    firstLine(run, kubectl, ['version', '--client'], searchPath),
  ]);
  return `helm=${helmVersion} kubectl=${kubectlVersion}`;
}
