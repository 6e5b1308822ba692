/**
 * The start of dist/convoy.cjs: runs the program, a text beside it, with the code that earlier runs compiled. What not every run needs
 * (packages, large tables) is a part of its own, read when it is asked for: the engine scans a text from end to end before it runs any of it.
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
  readonly module: { exports: unknown };
  readonly filename: string;
  readonly dirname: string;
}

/** Runs of a command that add to its cache: the first may have read JSON and the second YAML. */
const LEARNING_RUNS = 4;
/** Caches that are kept, one for each part that a command uses; older ones belong to builds that are gone. */
const MOST_CACHES = 24;

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

/** By name: the hash of the part's text, under which its file stands and its code is kept. The engine itself compares only lengths. */
export type Parts = Readonly<Record<string, string>>;

/** Where the code of a part is kept between runs of a command; undefined where nothing is. */
type CachePath = (hash: string) => string | undefined;

function cachePaths(folder: string | undefined): CachePath {
  if (folder === undefined) return () => undefined;
  const [, , word = ''] = process.argv;
  const command = /^[a-z_]{1,16}$/i.test(word) ? word : 'other';
  return (hash) => join(folder, `${command}-${hash}-${process.version}-${process.arch}.code`);
}

function readPart(folder: string, name: string, hash: string): string {
  try {
    return readFileSync(join(folder, `${name}-${hash}.js`), 'latin1');
  } catch (error) {
    const why = 'was it replaced while it ran? Start it again, or install it anew';
    throw new Error(`a part of convoy cannot be read (${name}-${hash}.js): ${why}`, { cause: error });
  }
}

/** The text as a script, compiled from the code that earlier runs have kept; adds to it when this run ends. */
function scriptOf(text: string, filename: string, path: string | undefined): Script {
  const source = `(function(exports,require,module,__filename,__dirname,part){${text}\n})`;
  const cache = path === undefined ? undefined : readCache(path);
  const script = new Script(source, { filename, ...(cache ? { cachedData: cache.data } : {}) });
  const runs = cache === undefined || script.cachedDataRejected ? 0 : cache.runs;
  if (path !== undefined && runs < LEARNING_RUNS) {
    process.on('exit', () => writeCache(dirname(path), path, runs + 1, script.createCachedData()));
  }
  return script;
}

/**
 * Runs the part `program`; it asks for others by `part(name)`, which gives the exports.
 * @param folder of the parts, beside the bundle
 */
export function runProgram(parts: Parts, folder: string, scope: ModuleScope): void {
  const pathOf = cachePaths(process.getuid === undefined ? undefined : cacheFolder(process.env));
  const { require, filename, dirname: bundleFolder } = scope;
  const loaded = new Map<string, { exports: unknown }>();
  const run = (name: string, module: { exports: unknown }): void => {
    const hash = parts[name];
    if (hash === undefined) throw new Error(`convoy has no part ${name}`);
    const text = readPart(join(bundleFolder, folder), name, hash);
    const script = scriptOf(text, name === 'program' ? filename : join(bundleFolder, folder, name), pathOf(hash));
    script.runInThisContext()(module.exports, require, module, filename, bundleFolder, part);
  };
  const part = (name: string): unknown => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    run(name, module);
    return module.exports;
  };
  run('program', scope.module);
}
