import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scratch } from '../../../ports/source-tools.ts';
import { diskFailure } from './disk-failure.ts';
import { mayLive, newOwner } from './owners.ts';

/** What a killed process left may hold credentials, so it goes first. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const age = await stat(path).then(
      (stats) => Date.now() - stats.mtimeMs,
      () => 0,
    );
    if (!mayLive(name, age)) await rm(path, { recursive: true, force: true });
  }
}

/** Folders for single works below `root`, which is made when it is not there. */
export function scratchIn(root: string): Scratch {
  const owner = newOwner();
  let swept: Promise<void> | undefined;
  let count = 0;
  const prepare = async (): Promise<void> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await sweep(root);
  };
  const begin = async (): Promise<string> => {
    swept ??= prepare().catch((error: unknown) => {
      swept = undefined;
      throw error;
    });
    await swept;
    count += 1;
    const folder = join(root, `${owner}~${count}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return async (work) => {
    let folder: string | undefined;
    try {
      folder = await begin();
      return await work(folder);
    } catch (error) {
      throw diskFailure(error, root);
    } finally {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    }
  };
}
