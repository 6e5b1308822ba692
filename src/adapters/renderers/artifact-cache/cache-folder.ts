import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { mayLive, newOwner } from './owners.ts';

/** What is known of a stored artifact. */
export interface Stored {
  readonly digest: string;
  readonly bytes: number;
  /** Below the root of the artifact. */
  readonly path: string;
}

interface Entry {
  readonly id: string;
  readonly bytes: number;
  /** ms since 1970. */
  readonly used: number;
}

/** Clusters of a disk: even an empty file takes one. */
const LEAST_BYTES = 4096;
/** ms between two looks at a lock, and looks before it is passed over. */
const LOCK_PAUSE = 5;
const LOCK_LOOKS = 1000;
/** ms after which a lock counts for nothing: what is done under it takes a second. Its holder stops by half of it. */
const LOCK_LIFE = 60_000;

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The value, or undefined when the file is not there. */
async function unlessMissing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Sticky, and writable for everybody: /tmp. */
const SHARED_FOLDER = 0o1002;

/** In a shared folder anybody may have made ours before us, to put artifacts of theirs into it. */
async function refuseForeignFolder(root: string): Promise<void> {
  const parent = await unlessMissing(stat(dirname(root)));
  const stats = await unlessMissing(stat(root));
  if (stats === undefined || parent === undefined || (parent.mode & SHARED_FOLDER) !== SHARED_FOLDER) return;
  if (stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) {
    throw Object.assign(new Error(`${root} is not ours alone`), { code: 'EACCES' });
  }
}

/**
 * The folder of the cache as several processes share it:
 * - `entries/ID/{meta.json,files}`: whole artifacts, only ever renamed into place; mtime of meta.json: last use
 * - `work/OWNER~n`: what is being written, or deleted; of no account once the owner is dead
 * - `uses/ID~OWNER`: somebody needs the entry
 * - `evicting`: names the owner that evicts. A user marks its entry first, waits until nobody evicts, then looks whether it is there;
 *   who evicts looks at the marks under the lock. So an entry is gone before it is taken, or it stays.
 * - `key`: makes the IDs; nothing can be learned from them without it
 */
export class CacheFolder {
  readonly #root: string;
  readonly #owner = newOwner();
  #counter = 0;
  #key: Promise<Buffer> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Forgets what was read of the folder. */
  reopen(): void {
    this.#key = undefined;
  }

  /** Whether the folder is as it was opened. */
  async isWhole(): Promise<boolean> {
    const parts = ['entries', 'work', 'uses', 'key'].map((part) => unlessMissing(stat(join(this.#root, part))));
    return (await Promise.all(parts)).every((part) => part !== undefined);
  }

  files(id: string): string {
    return join(this.#root, 'entries', id, 'files');
  }

  async idOf(scope: readonly string[]): Promise<string> {
    this.#key ??= this.#open();
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return createHmac('sha256', key).update(JSON.stringify(scope)).digest('hex');
  }

  /** An empty folder for one artifact. */
  async begin(): Promise<string> {
    const work = this.#work();
    await mkdir(join(work, 'files'), { recursive: true });
    return work;
  }

  /** Puts a whole artifact into its place, unless another process was faster. */
  async commit(work: string, id: string, stored: Stored): Promise<Stored> {
    await writeFile(join(work, 'meta.json'), JSON.stringify(stored));
    try {
      await rename(work, join(this.#root, 'entries', id));
    } catch (error) {
      if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
      await rm(work, { recursive: true, force: true });
    }
    return (await this.find(id)) ?? stored;
  }

  async discard(work: string): Promise<void> {
    await rm(work, { recursive: true, force: true });
  }

  async find(id: string): Promise<Stored | undefined> {
    const text = await unlessMissing(readFile(this.#meta(id), 'utf8'));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Stored;
    } catch {
      // The machine lost power before the disk had it all.
      await this.discard(join(this.#root, 'entries', id));
      return undefined;
    }
  }

  /** Says that the entry is needed, before looking whether it is there. */
  async mark(id: string): Promise<void> {
    await writeFile(this.#use(id), '');
    await this.#whileEvicting();
    const now = new Date();
    await unlessMissing(utimes(this.#meta(id), now, now));
  }

  async unmark(id: string): Promise<void> {
    await unlessMissing(unlink(this.#use(id)));
  }

  /** Deletes what was not used for longest, until no more than `most` bytes are there. Returns the bytes that stay. */
  async evict(most: number): Promise<number> {
    const lock = join(this.#root, 'evicting');
    if (!(await this.#lock(lock))) return most;
    const doomed: string[] = [];
    let total = 0;
    const end = Date.now() + LOCK_LIFE / 2;
    try {
      const entries = await this.#entries();
      const used = await this.#used();
      total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { id, bytes } of entries.sort((a, b) => a.used - b.used)) {
        if (total <= most || Date.now() > end) break;
        if (used.has(id)) continue;
        const work = this.#work();
        await unlessMissing(rename(join(this.#root, 'entries', id), work));
        doomed.push(work);
        total -= bytes;
      }
    } finally {
      await unlessMissing(unlink(lock));
    }
    for (const work of doomed) await this.discard(work);
    return total;
  }

  async #open(): Promise<Buffer> {
    await refuseForeignFolder(this.#root);
    for (const folder of ['entries', 'work', 'uses']) {
      await mkdir(join(this.#root, folder), { recursive: true, mode: 0o700 });
    }
    await this.#sweep();
    const path = join(this.#root, 'key');
    const there = await unlessMissing(readFile(path));
    if (there) return there;
    const fresh = this.#work();
    await writeFile(fresh, randomBytes(32), { mode: 0o600 });
    try {
      await link(fresh, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await unlessMissing(unlink(fresh));
    }
    return readFile(path);
  }

  /** Removes what dead owners left. */
  async #sweep(): Promise<void> {
    const work = join(this.#root, 'work');
    for (const name of await readdir(work)) {
      if (!(await this.#lives(join(work, name), name))) await this.discard(join(work, name));
    }
    await this.#used();
  }

  /** The entries that somebody needs; marks of the dead are removed. */
  async #used(): Promise<Set<string>> {
    const uses = join(this.#root, 'uses');
    const ids = new Set<string>();
    for (const name of await readdir(uses)) {
      const cut = name.indexOf('~');
      if (await this.#lives(join(uses, name), name.slice(cut + 1))) ids.add(name.slice(0, cut));
      else await unlessMissing(unlink(join(uses, name)));
    }
    return ids;
  }

  async #lives(path: string, owner: string): Promise<boolean> {
    const stats = await unlessMissing(stat(path));
    return stats !== undefined && mayLive(owner, Date.now() - stats.mtimeMs);
  }

  async #entries(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const id of await readdir(join(this.#root, 'entries'))) {
      const stats = await unlessMissing(stat(this.#meta(id)));
      const stored = await this.find(id);
      if (stats && stored) entries.push({ id, bytes: Math.max(stored.bytes, LEAST_BYTES), used: stats.mtimeMs });
    }
    return entries;
  }

  async #lock(path: string): Promise<boolean> {
    for (let tries = 0; tries < 2; tries += 1) {
      try {
        await writeFile(path, this.#owner, { flag: 'wx' });
        return true;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        if (await this.#isHeld(path)) return false;
        await unlessMissing(unlink(path));
      }
    }
    return false;
  }

  async #isHeld(path: string): Promise<boolean> {
    const stats = await unlessMissing(stat(path));
    const owner = await unlessMissing(readFile(path, 'utf8'));
    if (stats === undefined || owner === undefined) return false;
    const age = Date.now() - stats.mtimeMs;
    // Empty: its owner is about to write its name.
    return age < LOCK_LIFE && (owner === '' || mayLive(owner, age));
  }

  async #whileEvicting(): Promise<void> {
    const lock = join(this.#root, 'evicting');
    for (let look = 0; look < LOCK_LOOKS && (await this.#isHeld(lock)); look += 1) await pause(LOCK_PAUSE);
  }

  #meta(id: string): string {
    return join(this.#root, 'entries', id, 'meta.json');
  }

  #use(id: string): string {
    return join(this.#root, 'uses', `${id}~${this.#owner}`);
  }

  #work(): string {
    this.#counter += 1;
    return join(this.#root, 'work', `${this.#owner}~${this.#counter}`);
  }
}
