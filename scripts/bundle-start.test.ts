import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
let start: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'convoy-start-'));
  const entry = join(import.meta.dirname, 'bundle-start.ts');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'iife',
    globalName: 'start',
    write: false,
  });
  start = outputFiles[0]?.text ?? '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM =
  'function f() { return process.argv[2]; }\nconsole.log(f(), require("node:path").basename(__filename), typeof module);';

/** Runs a program behind the start, with `cache` as the folder of caches. */
function run(cache: string, word = 'health', program = PROGRAM, environment: Record<string, string> = {}): string {
  const file = join(folder, 'bundle.cjs');
  const scope = '{ exports, require, module, filename: __filename, dirname: __dirname }';
  const hash = `hash${program.length}`;
  writeFileSync(join(folder, `program-${hash}.js`), program);
  writeFileSync(join(folder, 'table-hash1.js'), 'module.exports = { loaded: true };');
  const parts = { program: hash, table: 'hash1', lost: 'hash2' };
  writeFileSync(file, `${start}start.runProgram(${JSON.stringify(parts)}, '.', ${scope});`);
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '', XDG_CACHE_HOME: join(folder, cache), ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, [file, word], { encoding: 'utf8', env });
  expect(stderr).toBe('');
  return stdout;
}

const caches = (cache: string): string[] => readdirSync(join(folder, cache, 'convoy'));

describe('the start of the bundle', () => {
  it('runs the program as a CommonJS module, and leaves a cache that only the user may read', () => {
    expect(run('a')).toBe('health bundle.cjs object\n');
    const [name = ''] = caches('a');
    expect(name).toMatch(/^health-hash\d+-v\d+.*\.code$/);
    expect(statSync(join(folder, 'a', 'convoy', name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'a', 'convoy')).mode & 0o777).toBe(0o700);
  });

  it('adds to the cache in the first runs and then leaves it alone', () => {
    const written = Array.from({ length: 6 }, () => {
      run('b');
      const file = join(folder, 'b', 'convoy', caches('b')[0] ?? '');
      return `${readFileSync(file)[0]} ${statSync(file).ino}`;
    });
    expect(written.map((one) => one[0])).toEqual(['1', '2', '3', '4', '4', '4']);
    expect(written[5]).toBe(written[3]);
  });

  it('keeps a cache for each command, and one for every other word', () => {
    for (const word of ['health', 'version', '--help', '../../evil', 'x'.repeat(50)]) run('c', word);
    expect(
      caches('c')
        .map((name) => name.split('-')[0])
        .sort(),
    ).toEqual(['health', 'other', 'version']);
  });

  it('loads a part when the program asks for it, once, with a cache of its own', () => {
    const program = 'console.log(part("table").loaded, part("table") === part("table"));';
    expect(run('parts', 'health', program)).toBe('true true\n');
    expect(caches('parts')).toHaveLength(2);
  });

  it('tells what to do when a part is not there any more', () => {
    const program = 'try { part("lost"); } catch ({ message }) { console.log(message); }';
    expect(run('lost', 'health', program)).toMatch(/lost-hash2\.js.*Start it again/);
  });

  it('runs the program when the cache is damaged, and writes it anew', () => {
    run('d');
    const file = join(folder, 'd', 'convoy', caches('d')[0] ?? '');
    const whole = readFileSync(file);
    const zeros = Buffer.from(whole).fill(0, 500);
    for (const damage of [Buffer.alloc(0), Buffer.from('nonsense'), whole.subarray(0, 200), zeros]) {
      writeFileSync(file, damage);
      expect(run('d')).toBe('health bundle.cjs object\n');
      expect(readFileSync(file)[0]).toBe(1);
    }
  });

  it('does not run code from a cache that others may write', () => {
    run('e');
    const file = join(folder, 'e', 'convoy', caches('e')[0] ?? '');
    chmodSync(file, 0o666);
    expect(run('e')).toBe('health bundle.cjs object\n');
    expect(readFileSync(file)[0]).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('works without a cache where none is wanted or none can be written', () => {
    expect(run('f', 'health', PROGRAM, { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('health bundle.cjs object\n');
    expect(run('f', 'health', PROGRAM, { XDG_CACHE_HOME: '', HOME: '' })).toBe('health bundle.cjs object\n');
    expect(run('f', 'health', PROGRAM, { XDG_CACHE_HOME: '/dev/null/x' })).toBe('health bundle.cjs object\n');
    expect(run('f', 'health', PROGRAM, { XDG_CACHE_HOME: '/proc' })).toBe('health bundle.cjs object\n');
    expect(run('f', 'health', PROGRAM, { XDG_CACHE_HOME: 'relative', HOME: '.' })).toBe('health bundle.cjs object\n');
    const nowhere = join(folder, 'no', 'home');
    expect(run('f', 'health', PROGRAM, { XDG_CACHE_HOME: '', HOME: nowhere })).toBe('health bundle.cjs object\n');
    expect(readdirSync(folder)).not.toContain('f');
    expect(readdirSync(folder)).not.toContain('no');
    expect(readdirSync('.')).not.toContain('relative');
  });

  it('does not wait for a pipe in the place of a cache, and leaves nothing unfinished', () => {
    run('h');
    const file = join(folder, 'h', 'convoy', caches('h')[0] ?? '');
    rmSync(file);
    spawnSync('mkfifo', ['-m', '600', file]);
    expect(run('h')).toBe('health bundle.cjs object\n');
    expect(readFileSync(file)[0]).toBe(1);
    rmSync(file);
    mkdirSync(file);
    expect(run('h')).toBe('health bundle.cjs object\n');
    expect(caches('h')).toHaveLength(1);
  });

  it('forgets the caches of builds that are gone', () => {
    for (let length = 0; length < 26; length += 1) run('g', 'health', `${PROGRAM}//${'x'.repeat(length)}`);
    expect(caches('g')).toHaveLength(24);
  });
});
