import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The releases of Node that the package promises to run on, besides the one that runs the tests. */
export const OLDER_NODES: readonly string[] = ['20.20.2', '22.23.5'];

const cache = join(import.meta.dirname, '..', '..', '.cache', 'nodes');

/**
 * The binary of a release of Node, kept in .cache; the reason when it is not there. Fetched from the npm registry only where CI is set:
 * it is 190 MB, which a test should not spend unasked.
 */
export function olderNode(version: string): { readonly binary: string } | { readonly unavailable: string } {
  const name = `node-linux-${process.arch}`;
  const folder = join(cache, version);
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(binary)) return { binary };
  if (process.platform !== 'linux') return { unavailable: `no package brings Node ${version} for ${process.platform}` };
  if (!process.env['CI']) return { unavailable: `Node ${version} is fetched only where CI is set` };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 180_000 });
  if (status === 0 && existsSync(binary)) return { binary };
  return { unavailable: `Node ${version} cannot be installed: ${(stderr ?? '').trim().split('\n')[0] ?? 'no answer'}` };
}
