/**
 * Packs convoy as npm would, unpacks it elsewhere, and runs what its README promises from there: nothing but the package and
 * a Node 24 is at hand.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'convoy-package-'));

interface Ended {
  readonly status: number | null;
  readonly out: string;
}

function run(program: string, args: readonly string[], cwd: string): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  return { status, out: `${stdout}${stderr}` };
}

function must(ended: Ended): string {
  if (ended.status !== 0) throw new Error(ended.out);
  return ended.out;
}

try {
  must(run('npm', ['run', '-s', 'build'], root));
  must(run('npm', ['pack', '--silent', '--pack-destination', folder], root));
  const [archive = ''] = readdirSync(folder);
  must(run('tar', ['xzf', archive], folder));
  const unpacked = join(folder, 'package');
  const convoy = join(unpacked, 'bin', 'convoy');
  const dump = join(folder, 'cluster-dump.yaml');
  copyFileSync(join(root, 'examples', 'cluster-dump.yaml'), dump);

  const health = (...args: string[]): Ended => run(convoy, ['health', '-f', 'cluster-dump.yaml', ...args], folder);
  const checks: [string, boolean][] = [
    ['the package holds one bundle and no sources', !readdirSync(unpacked).includes('src')],
    ['the version is printed', /^convoy \d/.test(must(run(convoy, ['version'], folder)))],
    [
      'the cluster dump is judged as in the checkout',
      health('--now', '2026-03-02T10:00:00Z').out ===
        readFileSync(join(root, 'examples', 'cluster-dump.expected.txt'), 'utf8'),
    ],
    [
      'the rule of the worked example passes its cases',
      run(convoy, ['rules', 'test', join(unpacked, 'examples', 'own-kind')], folder).status === 0,
    ],
    ['an unhealthy cluster ends with 1', health().status === 1],
    ['a misspelt flag ends with 2', health('--nwo').status === 2],
    [
      'bash can source its completion',
      run('bash', ['-n', '-c', must(run(convoy, ['completion', 'bash'], folder))], folder).status === 0,
    ],
    [
      'kubectl gets completions',
      run(join(unpacked, 'bin', 'kubectl_complete-convoy'), ['he'], folder).out.endsWith(':4\n'),
    ],
  ];
  for (const [law, holds] of checks) console.log(`${holds ? 'ok    ' : 'FAILED'}  ${law}`);
  const failed = checks.filter(([, holds]) => !holds).length;
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
