import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ArtifactWriter } from '../../../ports/source-tools.ts';
import { TAR_END as END, tarEntry as entry } from '../../../testing/tar-archive.ts';
import { unpack } from './unpack.ts';

const file = (path: string, content: Buffer | string) => entry({ path, type: 'File' }, content);

function writerOf(limits = { bytes: 100_000, files: 10 }): ArtifactWriter & { readonly got: string[] } {
  const got: string[] = [];
  let bytes = 0;
  return {
    got,
    limits,
    folder: async (path) => void got.push(`folder ${path}`),
    file: async (path, content) => {
      let text = '';
      for await (const piece of content) {
        bytes += piece.length;
        if (bytes > limits.bytes) throw new Error('full');
        text += Buffer.from(piece).toString('latin1');
      }
      got.push(`file ${path} ${text.length > 20 ? text.length : text}`);
    },
    link: (path, target) => void got.push(`link ${path} ${target}`),
  };
}

async function* pieces(bytes: Buffer, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(archive: Buffer, size?: number, writer = writerOf()): Promise<string[]> {
  await unpack(pieces(archive, size), writer, 'the layer');
  return writer.got;
}

const good = Buffer.concat([
  entry({ path: './', type: 'Directory' }),
  entry({ path: 'a/', type: 'Directory' }),
  file('a/b.yaml', 'hello'),
  file('large', Buffer.alloc(60_000, 'x')),
  entry({ path: 'l', type: 'SymbolicLink', linkpath: 'a/b.yaml' }),
  file('empty', ''),
  END,
]);
const contents = [
  'folder ./',
  'folder a/',
  'file a/b.yaml hello',
  'file large 60000',
  'link l a/b.yaml',
  'file empty ',
];

describe('an archive', () => {
  it.each([
    ['gzip', gzipSync(good), 700],
    ['gzip, byte by byte', gzipSync(good), 1],
    ['plain', good, 700],
    ['plain, in one piece', good, 1e9],
  ])('is read, %s', async (_what, bytes, size) => {
    expect(await read(bytes, size)).toEqual(contents);
  });

  it.each<[string, Buffer, string]>([
    [
      'a device',
      Buffer.concat([entry({ path: 'dev', type: 'CharacterDevice' }), END]),
      'holds dev, which is no file, folder or link (CharacterDevice)',
    ],
    [
      'a pipe',
      Buffer.concat([entry({ path: 'p', type: 'FIFO' }), END]),
      'holds p, which is no file, folder or link (FIFO)',
    ],
    [
      'a hard link',
      Buffer.concat([entry({ path: 'h', type: 'Link', linkpath: '/etc/passwd' }), END]),
      'holds h, which is no file, folder or link (Link)',
    ],
    ['a page of HTML', Buffer.from(`<html>${' '.repeat(2000)}</html>`), 'is no whole tar archive'],
    ['a short page', Buffer.from('<html></html>'), 'is no whole tar archive'],
    ['half an archive', good.subarray(0, 30_000), 'is no whole tar archive'],
    ['half a gzip archive', gzipSync(good).subarray(0, 60), 'is no whole gzip archive'],
    ['gzip of a page', gzipSync(Buffer.from('<html></html>')), 'is no whole tar archive'],
    [
      'gzip with a wrong sum',
      Buffer.concat([gzipSync(good).subarray(0, -8), Buffer.alloc(8)]),
      'is no whole gzip archive',
    ],
    ['zip', Buffer.from('PK\x03\x04rest'), 'is compressed by zip; pack it with tar and gzip'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]), 'is compressed by zstd'],
    ['nothing', Buffer.alloc(0), 'is no whole tar archive'],
  ])('that is or holds %s is refused', async (_what, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringContaining(`the layer ${message}`),
    });
  });

  it('that unpacks to far more than it is long is stopped on the way', async () => {
    const bomb = gzipSync(Buffer.concat([file('bomb', Buffer.alloc(5_000_000)), END]));
    expect(bomb.length).toBeLessThan(10_000);
    await expect(read(bomb, 700, writerOf({ bytes: 1000, files: 1 }))).rejects.toThrow(/full|unpacks to more/);
  });

  it('of headers alone is stopped too', async () => {
    const names = Array.from({ length: 3000 }, (_, n) => entry({ path: `d${n}/`, type: 'Directory' }));
    await expect(
      read(gzipSync(Buffer.concat([...names, END])), 700, writerOf({ bytes: 1000, files: 10 })),
    ).rejects.toThrow('unpacks to more than the 1000 bytes');
  });

  it('ends with the error of what writes it', async () => {
    const writer = { ...writerOf(), folder: () => Promise.reject(new Error('disk full')) };
    await expect(unpack(pieces(gzipSync(good)), writer, 'x')).rejects.toThrow('disk full');
  });
});
