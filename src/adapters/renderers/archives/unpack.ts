import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { plainLine } from '../../../core/errors/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import type { ArtifactWriter, Unpack } from '../../../ports/source-tools.ts';

/** Bytes of headers and padding that an entry may take, long names included. */
const BYTES_PER_ENTRY = 4096;

const COMPRESSED: readonly { readonly magic: readonly number[]; readonly name: string }[] = [
  { magic: [0x28, 0xb5, 0x2f, 0xfd], name: 'zstd' },
  { magic: [0x42, 0x5a, 0x68], name: 'bzip2' },
  { magic: [0xfd, 0x37, 0x7a, 0x58], name: 'xz' },
  { magic: [0x50, 0x4b, 0x03, 0x04], name: 'zip' },
];
const GZIP = [0x1f, 0x8b];

function starts(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, place) => bytes[place] === byte);
}

function refused(message: string): SourceError {
  return new SourceError(message, 'terminal');
}

/** The first bytes of a stream, and all of it again. */
async function peek(stream: AsyncIterable<Uint8Array>): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = stream[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < 4; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    pieces.push(value);
    length += value.length;
  }
  const head = Buffer.concat(pieces);
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}

async function take(entry: ReadEntry, writer: ArtifactWriter, name: string): Promise<void> {
  const { path } = entry;
  switch (entry.type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      return writer.file(path, entry as AsyncIterable<Buffer>);
    case 'Directory':
    case 'GNUDumpDir':
      await writer.folder(path);
      break;
    case 'SymbolicLink':
      writer.link(path, entry.linkpath ?? '');
      break;
    default:
      throw refused(`${name} holds ${plainLine(path)}, which is no file, folder or link (${entry.type}); leave it out`);
  }
  entry.resume();
}

/** Feeds a tar parser, which hands over one entry after the other; resolves when the last was taken. */
async function readTar(stream: AsyncIterable<Uint8Array>, writer: ArtifactWriter, name: string): Promise<void> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let taken = Promise.resolve();
  let seen = false;
  const parser = new Parser({
    onwarn: (code, message) => {
      if (code === 'TAR_ENTRY_INFO') return;
      const bad = code === 'TAR_BAD_ARCHIVE' || !seen ? 'is no whole tar archive' : 'is damaged';
      failed.reject(refused(`${name} ${bad} (${plainLine(String(message))})`));
    },
    onReadEntry: (entry) => {
      seen = true;
      taken = taken.then(() => take(entry, writer, name));
      taken.catch((error: unknown) => failed.reject(error));
    },
  });
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    failed.reject(refused(`${name} holds ${plainLine(entry.path)}, which is no file, folder or link; leave it out`));
  });
  const { bytes, files } = writer.limits;
  const most = bytes + files * BYTES_PER_ENTRY;
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > most) throw refused(`${name} unpacks to more than the ${bytes} bytes that are allowed`);
    if (!parser.write(Buffer.from(piece))) await Promise.race([once(parser, 'drain'), failed.promise]);
  }
  const ended = once(parser, 'end');
  parser.end();
  await Promise.race([ended, failed.promise]);
  await Promise.race([taken, failed.promise]);
  // A complaint at the very end comes beside the end itself.
  await Promise.race([failed.promise, Promise.resolve()]);
}

/** Reads a tar archive, gzip or not. Nothing of it reaches the disk but through the writer and its laws. */
export const unpack: Unpack = async (archive, writer, name) => {
  const { head, all } = await peek(archive);
  const other = COMPRESSED.find(({ magic }) => starts(head, magic));
  if (other) throw refused(`${name} is compressed by ${other.name}; pack it with tar and gzip`);
  if (!starts(head, GZIP)) return readTar(all, writer, name);
  try {
    await pipeline(all, createGunzip(), (source: AsyncIterable<Uint8Array>) => readTar(source, writer, name));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new SourceError(`${name} is no whole gzip archive`, 'terminal', { cause: error });
  }
};
