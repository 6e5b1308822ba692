import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { SourceCredentials } from '../../../ports/renderer.ts';
import type { ArtifactWriter, Filled, ProgramResult } from '../../../ports/source-tools.ts';
import { gitFailure } from './git-failure.ts';
import type { GitWorkspace } from './git-workspace.ts';

/**
 * Fetches one commit, without its history, into a bare repository that is an artifact of its own: many Releases of one repository, each
 * with its path, fetch a commit once.
 */
export async function fetchCommit(
  workspace: GitWorkspace,
  commit: string,
  credentials: SourceCredentials,
  writer: ArtifactWriter,
): Promise<Filled> {
  const repository = join(workspace.folder, 'repository');
  const { url, shown } = workspace.address;
  const git = (...args: string[]): Promise<ProgramResult> =>
    workspace.git(['-C', repository, ...args], { maxFile: writer.limits.bytes });
  const format = commit.length === 64 ? ['--object-format=sha256'] : [];
  const made = await workspace.git(['init', '--quiet', '--bare', ...format, repository]);
  if (made.code !== 0) throw gitFailure(shown, made.stderr, credentials);
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const one = await git(...fetch, '--depth=1', '--', url.href, commit);
  if (one.code !== 0) {
    if (!/unadvertised object|not our ref/i.test(one.stderr)) throw gitFailure(shown, one.stderr, credentials);
    // An old server gives out only what a branch or tag names: fetch these whole, the commit may be among them.
    const all = await git(...fetch, '--', url.href, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*');
    if (all.code !== 0) throw gitFailure(shown, all.stderr, credentials);
  }
  await copyFolder(repository, writer);
  // Git takes a folder for a repository only with this one, which may be empty.
  await writer.folder('refs');
  return { digest: commit };
}

async function copyFolder(folder: string, writer: ArtifactWriter): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await writer.file(relative(folder, path), createReadStream(path));
  }
}
