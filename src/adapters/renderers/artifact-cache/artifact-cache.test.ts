import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactWriter } from '../../../ports/source-tools.ts';
import { DiskArtifactCache } from './artifact-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'convoy-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits = { bytes: 10_000, files: 50 };
const cacheOf = (maxBytes = 1e6) => new DiskArtifactCache({ folder, maxBytes, limits });
const signal = new AbortController().signal;
const key = (name: string, path?: string) => ({
  scope: ['test', name],
  revision: `rev-${name}`,
  ...(path === undefined ? {} : { path }),
});

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const fillWith =
  (files: Record<string, string>) =>
  async (writer: ArtifactWriter): Promise<{ digest: string }> => {
    for (const [path, text] of Object.entries(files)) await writer.file(path, bytes(text));
    return { digest: `digest of ${Object.keys(files)}` };
  };
const refuse = () => Promise.reject(new Error('filled again'));
const entries = () => readdirSync(join(folder, 'entries'));
const work = () => readdirSync(join(folder, 'work'));

describe('an artifact', () => {
  it('is filled once, stays for the next process, and shows its files', async () => {
    const first = await cacheOf().use(key('a'), signal, fillWith({ 'x/y.yaml': 'hello' }));
    expect(first).toMatchObject({ digest: 'digest of x/y.yaml', revision: 'rev-a', root: first.path });
    expect(readFileSync(join(first.path, 'x/y.yaml'), 'utf8')).toBe('hello');
    first.release();
    const again = await cacheOf().use(key('a', 'x'), signal, refuse);
    expect([again.path, again.root]).toEqual([join(first.path, 'x'), first.path]);
    again.release();
    expect(work()).toEqual([]);
  });

  it('says so when it has no such folder, or a file in its place', async () => {
    const cache = cacheOf();
    for (const path of ['gone', 'x/y.yaml']) {
      await expect(cache.use(key('a', path), signal, fillWith({ 'x/y.yaml': '1' }))).rejects.toMatchObject({
        name: 'SourceError',
        retry: 'terminal',
        message: `rev-a has no folder ${path}; mend path`,
      });
    }
  });

  it('has a name that tells nothing of its scope', async () => {
    await cacheOf().use({ scope: ['token-123'], revision: 'r' }, signal, fillWith({ a: '1' }));
    expect(entries()[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(folder, 'entries', entries()[0]!, 'meta.json'), 'utf8')).not.toContain('token');
    expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600);
  });

  it('that could not be filled leaves nothing, and the next try begins anew', async () => {
    const cache = cacheOf();
    const broken = cache.use(key('a'), signal, async (writer) => {
      await writer.file('half', bytes('half'));
      throw new Error('network down');
    });
    await expect(broken).rejects.toThrow('network down');
    expect([entries(), work()]).toEqual([[], []]);
    await cache.use(key('a'), signal, fillWith({ a: '1' }));
    expect(entries()).toHaveLength(1);
  });
});

describe('several who ask for the same', () => {
  it('share one fill', async () => {
    const cache = cacheOf();
    let fills = 0;
    const fill = async (writer: ArtifactWriter) => {
      fills += 1;
      return fillWith({ a: '1' })(writer);
    };
    const all = await Promise.all([1, 2, 3].map(() => cache.use(key('a'), signal, fill)));
    expect(fills).toBe(1);
    expect(new Set(all.map(({ path }) => path)).size).toBe(1);
  });

  it('do not lose it when one gives up; when all did, it is stopped', async () => {
    const cache = cacheOf();
    const [one, two] = [new AbortController(), new AbortController()];
    const begun = Promise.withResolvers<AbortSignal>();
    const fill = (_writer: ArtifactWriter, stop: AbortSignal) => {
      begun.resolve(stop);
      return new Promise<never>((_resolve, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
    };
    const first = cache.use(key('a'), one.signal, fill).catch((error: unknown) => error);
    const second = cache.use(key('a'), two.signal, fill).catch((error: unknown) => error);
    const stop = await begun.promise;
    while (cache.waiting < 2) await nextTurn();
    one.abort(new Error('one'));
    expect(await first).toEqual(new Error('one'));
    expect(stop.aborted).toBe(false);
    two.abort(new Error('two'));
    expect(await second).toEqual(new Error('two'));
    expect(stop.aborted).toBe(true);
    await cache.use(key('a'), signal, fillWith({ a: '1' }));
  });

  it('do not lose it when another user of the folder starts meanwhile', async () => {
    const cache = cacheOf();
    await cache.use(key('a'), signal, async (writer) => {
      await writer.file('a', bytes('1'));
      (await cacheOf().use(key('b'), signal, fillWith({ b: '1' }))).release();
      await writer.file('b', bytes('2'));
      return { digest: 'd' };
    });
    expect(entries()).toHaveLength(2);
  });

  it('in two processes at once end with one artifact', async () => {
    const [a, b] = await Promise.all([
      cacheOf().use(key('a'), signal, fillWith({ a: '1' })),
      cacheOf().use(key('a'), signal, fillWith({ a: '1' })),
    ]);
    expect(a.path).toBe(b.path);
    expect([entries().length, work()]).toEqual([1, []]);
  });
});

describe('room', () => {
  const big = (name: string) => ({ [name]: 'x'.repeat(6000) });

  it('is made by what was not used for longest', async () => {
    const cache = cacheOf(20_000);
    for (const name of ['a', 'b', 'c']) (await cache.use(key(name), signal, fillWith(big(name)))).release();
    (await cache.use(key('a'), signal, refuse)).release();
    (await cache.use(key('d'), signal, fillWith(big('d')))).release();
    (await cache.use(key('a'), signal, refuse)).release();
    await expect(cache.use(key('b'), signal, refuse)).rejects.toThrow('filled again');
  });

  it('is not made by what is in use, here or in another process', async () => {
    const other = cacheOf(20_000);
    const held = await other.use(key('a'), signal, fillWith(big('a')));
    const cache = cacheOf(20_000);
    const mine = await cache.use(key('b'), signal, fillWith(big('b')));
    for (const name of ['c', 'd', 'e', 'f']) (await cache.use(key(name), signal, fillWith(big(name)))).release();
    expect([existsSync(join(held.path, 'a')), existsSync(join(mine.path, 'b'))]).toEqual([true, true]);
    expect(entries().length).toBe(3);
    held.release();
    mine.release();
    mine.release();
    for (const name of ['g', 'h', 'i']) (await cache.use(key(name), signal, fillWith(big(name)))).release();
    expect([existsSync(held.path), existsSync(mine.path)]).toEqual([false, false]);
  });

  it('that the disk has not is told in one line, and nothing half stays', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const cache = cacheOf();
    await expect(cache.use(key('a'), signal, () => Promise.reject(full))).rejects.toMatchObject({
      retry: 'retry',
      message: `the disk of the source cache is full (${folder}); give it room for the cache and twice the largest source`,
    });
    expect([entries(), work()]).toEqual([[], []]);
  });
});

describe('several processes on one small folder', () => {
  it('never take from each other what is in use, while each makes room', async () => {
    const hammer = fileURLToPath(new URL('./hammer.fixture.ts', import.meta.url));
    const children = ['1', '2', '3'].map((seed) => spawn(process.execPath, [hammer, folder, seed], { stdio: 'pipe' }));
    const ends = await Promise.all(
      children.map(async (child) => {
        let said = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (piece) => {
            said += String(piece);
          });
        }
        const [code] = await once(child, 'close');
        return `${code} ${said.trim()}`;
      }),
    );
    expect(ends).toEqual(Array(3).fill('0 80 uses, 0 lost'));
    expect([work(), readdirSync(join(folder, 'uses'))]).toEqual([[], []]);
    expect(entries().length).toBeLessThan(10);
  });
});

describe('a kill in the middle of a write', () => {
  it('leaves nothing that counts, and the next start removes the rest', async () => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('./fill-and-hang.fixture.ts', import.meta.url)),
      folder,
    ]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect([entries(), work().length]).toEqual([[], 1]);
    const artifact = await cacheOf().use(
      { scope: ['half'], revision: 'r' },
      signal,
      fillWith({ 'half.yaml': 'whole' }),
    );
    expect(readFileSync(join(artifact.path, 'half.yaml'), 'utf8')).toBe('whole');
    expect(work()).toEqual([]);
    expect(readdirSync(join(folder, 'uses'))).toHaveLength(1);
  });

  it.each([
    ['by its name', `${hostname().replace(/[^\w.-]/g, '-')}~999999999~dead`, 0],
    ['on another machine, a while ago', 'elsewhere~1~x', 61_000],
    ['before it could write its name', '', 61_000],
  ])('while evicting does not stop the others: known %s', async (_how, owner, age) => {
    (await cacheOf().use(key('a'), signal, fillWith({ a: '1' }))).release();
    writeFileSync(join(folder, 'evicting'), owner);
    const then = new Date(Date.now() - age);
    utimesSync(join(folder, 'evicting'), then, then);
    const cache = cacheOf(1);
    (await cache.use(key('b'), signal, fillWith({ b: '1' }))).release();
    (await cache.use(key('c'), signal, fillWith({ c: '1' }))).release();
    expect(entries()).toHaveLength(1);
  });

  it('with a loss of power is noticed by a description that is no JSON', async () => {
    (await cacheOf().use(key('a'), signal, fillWith({ a: '1' }))).release();
    writeFileSync(join(folder, 'entries', entries()[0]!, 'meta.json'), '');
    (await cacheOf().use(key('a'), signal, fillWith({ a: '2' }))).release();
    expect(readFileSync(join(folder, 'entries', entries()[0]!, 'files', 'a'), 'utf8')).toBe('2');
  });
});

describe('a cache folder', () => {
  it('that somebody emptied is made anew', async () => {
    const cache = cacheOf();
    (await cache.use(key('a'), signal, fillWith({ a: '1' }))).release();
    rmSync(folder, { recursive: true });
    (await cache.use(key('a'), signal, fillWith({ a: '1' }))).release();
    expect(entries()).toHaveLength(1);
  });

  it('that cannot be made is told', async () => {
    writeFileSync(join(folder, 'file'), '');
    const cache = new DiskArtifactCache({ folder: join(folder, 'file', 'cache'), maxBytes: 1, limits });
    await expect(cache.use(key('a'), signal, refuse)).rejects.toThrow('the source cache cannot be written');
  });

  it('that others may write to is refused in a shared folder, where anybody may have made it', async () => {
    const shared = join(folder, 'tmp');
    mkdirSync(join(shared, 'cache'), { recursive: true });
    chmodSync(join(shared, 'cache'), 0o777);
    const use = () => {
      const cache = new DiskArtifactCache({ folder: join(shared, 'cache'), maxBytes: 1, limits });
      return cache.use(key('a'), signal, fillWith({ a: '1' }));
    };
    chmodSync(shared, 0o1777);
    await expect(use()).rejects.toThrow(
      `the source cache cannot be written (${join(shared, 'cache')}); name a folder that is ours alone`,
    );
    chmodSync(join(shared, 'cache'), 0o755);
    (await use()).release();
  });
});

describe('files of a source', () => {
  const fillBy = (fill: (writer: ArtifactWriter) => Promise<void>) =>
    cacheOf().use(key('a'), signal, async (writer) => {
      await fill(writer);
      return { digest: 'd' };
    });

  it('may be links inside, which are made last; those that lead nowhere are left out', async () => {
    const { path } = await fillBy(async (writer) => {
      writer.link('latest', 'v1');
      writer.link('gone', 'nothing');
      await writer.file('v1/a.yaml', bytes('a'));
    });
    expect([readlinkSync(join(path, 'latest')), existsSync(join(path, 'gone'))]).toEqual(['v1', false]);
  });

  it.each<[string, (writer: ArtifactWriter) => Promise<void>, RegExp]>([
    ['a path outside', (writer) => writer.file('../x', bytes('1')), /leads outside: ..\/x/],
    ['an absolute path', (writer) => writer.file('/etc/x', bytes('1')), /leads outside: \/etc\/x/],
    ['a link outside', async (writer) => writer.link('x', '../../etc'), /the link x leads out of the source/],
    ['an absolute link', async (writer) => writer.link('x', '/etc'), /the link x leads out of the source, to \/etc/],
    [
      'a file through a link',
      async (writer) => {
        writer.link('x', 'y');
        await writer.file('x/z', bytes('1'));
      },
      /holds x twice, as a link and as a folder/,
    ],
    [
      'a link in the place of a file',
      async (writer) => {
        await writer.file('x', bytes('1'));
        writer.link('x', 'y');
      },
      /holds x twice, as a file and as a link/,
    ],
    ['too much', (writer) => writer.file('x', bytes('x'.repeat(10_001))), /more than the 10000 bytes/],
    [
      'too many',
      async (writer) => {
        for (let n = 0; n < 60; n += 1) await writer.folder(`f${n}`);
      },
      /more than the 50 files/,
    ],
  ])('with %s are refused whole', async (_what, fill, message) => {
    await expect(fillBy(fill)).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringMatching(message),
    });
    expect([entries(), work()]).toEqual([[], []]);
  });
});
