/**
 * The start of dist/convoy.cjs: runs the program, which stands as a text behind it, with the code that earlier runs compiled.
 * Node's own compile cache keeps only what is compiled while a module loads, a quarter of what a run needs, and leaves out the
 * main file; this one keeps every function that ran (bench/startup.ts, docs/adr/0003-start-up.md).
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';

/** What a CommonJS module sees around its code. */
export interface ModuleScope {
  readonly exports: unknown;
  readonly require: unknown;
  readonly module: unknown;
  readonly filename: string;
  readonly dirname: string;
}

/** Runs of a command that add to its cache: the first may have read JSON and the second YAML. */
const LEARNING_RUNS = 4;
/** Caches that are kept; older ones belong to builds that are gone. */
const MOST_CACHES = 12;

/** In the file of a cache: a byte that counts the runs that have added to it, four of the checksum, the code. */
const HEADER = 5;

interface CodeCache {
  readonly runs: number;
  readonly data: Buffer;
}

/**
 * Over a byte of every 64: finds what a crash of the machine or a broken disk leaves, whole blocks of something else, in a
 * fraction of a millisecond. The engine itself tests only the head of its data, and ends the process over a damaged rest.
 */
function checksum(data: Buffer): number {
  let sum = data.length;
  for (let index = 0; index < data.length; index += 64) sum = (Math.imul(sum, 31) + (data[index] ?? 0)) | 0;
  return sum;
}

/** The folder of the caches; undefined where the user has no home or wants no cache (as for Node's own, NODE_DISABLE_COMPILE_CACHE=1). */
function cacheFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const { XDG_CACHE_HOME, HOME, NODE_DISABLE_COMPILE_CACHE } = environment;
  if (NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  // Relative paths count as unset: https://specifications.freedesktop.org/basedir-spec.
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'convoy');
  return HOME && isAbsolute(HOME) ? join(HOME, '.cache', 'convoy') : undefined;
}

/** Code that another user could have written is not run: under sudo the home may still be the caller's. */
function readCache(path: string): CodeCache | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) return undefined;
    const bytes = readFileSync(descriptor);
    const data = bytes.subarray(HEADER);
    return bytes.readInt32LE(1) === checksum(data) ? { runs: bytes[0] ?? 0, data } : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function forgetOldest(folder: string): void {
  // What a run that was killed left unfinished, too.
  const caches = readdirSync(folder).filter((name) => /\.code(?:\.\d+)?$/.test(name));
  const byAge = caches
    .map((name) => ({ name, time: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { name } of byAge.slice(MOST_CACHES)) rmSync(join(folder, name), { force: true });
}

/** Not with all its parents: where there is no home, none is made, and in /proc Node would try for ever. */
function makeFolder(folder: string): void {
  for (const path of [dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** Writes by renaming, so that a run that starts meanwhile reads the old cache or the new one, never a half. */
function writeCache(folder: string, path: string, runs: number, data: Buffer): void {
  try {
    makeFolder(folder);
    // In the folder of another user (sudo keeps HOME) nothing is written: a link there could lead anywhere.
    if (lstatSync(folder).uid !== process.getuid?.()) return;
    const unfinished = `${path}.${process.pid}`;
    const header = Buffer.alloc(HEADER);
    header[0] = runs;
    header.writeInt32LE(checksum(data), 1);
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, Buffer.concat([header, data]), { mode: 0o600, flag: 'wx' });
    try {
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    forgetOldest(folder);
  } catch {
    // A full disk or a home that is read-only: the next start is slower, nothing else.
  }
}

/**
 * Runs the program.
 * @param text CommonJS source
 * @param hash of the text: the engine itself compares only lengths
 */
export function runProgram(text: string, hash: string, scope: ModuleScope): void {
  const folder = process.getuid === undefined ? undefined : cacheFolder(process.env);
  const [, , word = ''] = process.argv;
  const command = /^[a-z_]{1,16}$/i.test(word) ? word : 'other';
  const path = folder && join(folder, `${command}-${hash}-${process.version}-${process.arch}.code`);
  const cache = path === undefined ? undefined : readCache(path);
  const source = `(function(exports,require,module,__filename,__dirname){${text}\n})`;
  const script = new Script(source, { filename: scope.filename, ...(cache ? { cachedData: cache.data } : {}) });
  const runs = cache === undefined || script.cachedDataRejected ? 0 : cache.runs;
  if (folder !== undefined && path !== undefined && runs < LEARNING_RUNS) {
    process.on('exit', () => writeCache(folder, path, runs + 1, script.createCachedData()));
  }
  const { exports, require, module, filename, dirname } = scope;
  script.runInThisContext()(exports, require, module, filename, dirname);
}
