import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { type Artifact, SourceError } from '../../../ports/renderer.ts';
import type { ArtifactCache, ArtifactKey, ArtifactWriter, Filled, SourceLimits } from '../../../ports/source-tools.ts';
import { CacheFolder, codeOf, type Stored } from './cache-folder.ts';
import { diskFailure } from './disk-failure.ts';
import { FolderWriter } from './folder-writer.ts';

export interface DiskCacheOptions {
  /** Made when it is not there, for the owner alone. */
  readonly folder: string;
  /** Bytes of all artifacts; those in use stay beyond it. */
  readonly maxBytes: number;
  readonly limits: SourceLimits;
}

type Fill = (writer: ArtifactWriter, signal: AbortSignal) => Promise<Filled>;

/** One fetch that several wait for. It ends early only when all of them gave up. */
interface Flight {
  readonly result: Promise<Stored>;
  readonly stop: AbortController;
  waiting: number;
}

/** Bytes that are written between two looks at the whole folder, which other processes fill too. */
const TRUST = 8;

/** A cache of artifacts on a disk that several processes may share. What a kill leaves behind is removed by the next start. */
export class DiskArtifactCache implements ArtifactCache {
  readonly #options: DiskCacheOptions;
  readonly #folder: CacheFolder;
  readonly #flights = new Map<string, Flight>();
  /** How often each entry is in use here. */
  readonly #uses = new Map<string, number>();
  /** Marks that are being removed: a new one has to come after. */
  readonly #leaving = new Map<string, Promise<void>>();
  #written = Number.POSITIVE_INFINITY;

  constructor(options: DiskCacheOptions) {
    this.#options = options;
    this.#folder = new CacheFolder(options.folder);
  }

  /** How many calls wait for a fetch at this moment. */
  get waiting(): number {
    return [...this.#flights.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  async use(key: ArtifactKey, signal: AbortSignal, fill: Fill): Promise<Artifact> {
    signal.throwIfAborted();
    try {
      return await this.#use(key, signal, fill);
    } catch (error) {
      // Somebody emptied the folder (a cleaner of temporary files): it is made anew.
      if (codeOf(error) !== 'ENOENT' || (await this.#folder.isWhole()))
        throw signal.aborted ? error : diskFailure(error, this.#options.folder);
    }
    try {
      this.#folder.reopen();
      return await this.#use(key, signal, fill);
    } catch (error) {
      throw signal.aborted ? error : diskFailure(error, this.#options.folder);
    }
  }

  async #use(key: ArtifactKey, signal: AbortSignal, fill: Fill): Promise<Artifact> {
    const id = await this.#folder.idOf(key.scope);
    await this.#take(id);
    try {
      return await this.#artifact(id, key, await this.#stored(id, signal, fill));
    } catch (error) {
      this.#give(id);
      throw error;
    }
  }

  async #stored(id: string, signal: AbortSignal, fill: Fill): Promise<Stored> {
    const flight = this.#flights.get(id) ?? this.#start(id, fill);
    flight.waiting += 1;
    const abandon = Promise.withResolvers<never>();
    const abort = (): void => abandon.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([flight.result, abandon.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        // The next asker begins anew instead of joining a fetch that is being stopped.
        if (this.#flights.get(id) === flight) this.#flights.delete(id);
        flight.stop.abort(signal.reason);
      }
    }
  }

  #start(id: string, fill: Fill): Flight {
    const stop = new AbortController();
    const result = this.#findOrFill(id, stop.signal, fill);
    const flight: Flight = { result, stop, waiting: 0 };
    this.#flights.set(id, flight);
    const end = (): void => {
      if (this.#flights.get(id) === flight) this.#flights.delete(id);
    };
    result.then(end, end);
    return flight;
  }

  async #findOrFill(id: string, signal: AbortSignal, fill: Fill): Promise<Stored> {
    const there = await this.#folder.find(id);
    if (there) return there;
    const work = await this.#folder.begin();
    try {
      const writer = new FolderWriter(join(work, 'files'), this.#options.limits);
      const { digest, path = '' } = await fill(writer, signal);
      await writer.finish();
      signal.throwIfAborted();
      const stored = await this.#folder.commit(work, id, { digest, path, bytes: writer.bytes });
      await this.#makeRoom(writer.bytes);
      return stored;
    } catch (error) {
      await this.#folder.discard(work).catch(() => undefined);
      throw error;
    }
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { maxBytes } = this.#options;
    this.#written += bytes;
    if (this.#written < maxBytes / TRUST) return;
    const total = await this.#folder.evict(maxBytes);
    // Near the cap each write looks again; far from it a part of the room may be filled first.
    this.#written = Math.max(0, total - maxBytes + maxBytes / TRUST);
  }

  async #artifact(id: string, key: ArtifactKey, stored: Stored): Promise<Artifact> {
    const root = this.#folder.files(id);
    const below = key.path ?? stored.path;
    const path = join(root, below);
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) {
      throw new SourceError(`${key.revision} has no folder ${plainLine(below)}; mend path`, 'terminal');
    }
    let released = false;
    return {
      digest: stored.digest,
      revision: key.revision,
      root,
      path,
      release: () => {
        if (!released) this.#give(id);
        released = true;
      },
    };
  }

  async #take(id: string): Promise<void> {
    const uses = this.#uses.get(id) ?? 0;
    this.#uses.set(id, uses + 1);
    try {
      await this.#leaving.get(id);
      await this.#folder.mark(id);
    } catch (error) {
      this.#give(id);
      throw error;
    }
  }

  #give(id: string): void {
    const uses = (this.#uses.get(id) ?? 1) - 1;
    if (uses > 0) {
      this.#uses.set(id, uses);
      return;
    }
    this.#uses.delete(id);
    // A mark that stays is removed once this process is dead.
    const left = this.#folder.unmark(id).catch(() => undefined);
    this.#leaving.set(id, left);
    void left.then(() => {
      if (this.#leaving.get(id) === left) this.#leaving.delete(id);
    });
  }
}
