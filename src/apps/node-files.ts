import { closeSync, type Dirent, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InputFiles } from '../cli/io.ts';
import { ConvoyError } from '../core/errors/index.ts';

/** Bytes that one read asks for where the size of the input is not known. */
const CHUNK = 1 << 20;

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

/** The error of the file system in the words of the error table. */
function translate(error: unknown): ConvoyError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ConvoyError('InputNotFound');
    case 'EACCES':
    case 'EPERM':
      return new ConvoyError('InputForbidden');
    default:
      return new ConvoyError('InputUnreadable', { reason: code });
  }
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConvoyError ? error : translate(error);
  }
}

/** Reads at most `limit` bytes from an open file that may be a pipe. */
function readAll(descriptor: number, limit: number): Uint8Array {
  const { size } = fstatSync(descriptor);
  if (size > limit) throw new ConvoyError('InputTooLarge', { size: megabytes(size), limit: megabytes(limit) });
  // One byte more than the size, so that a file that is read whole ends with a read of 0 bytes in the same buffer.
  let bytes = new Uint8Array(size > 0 ? size + 1 : CHUNK);
  let length = 0;
  for (;;) {
    const read = readSome(descriptor, bytes, length);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > limit) {
      throw new ConvoyError('InputTooLarge', { size: `more than ${megabytes(limit)}`, limit: megabytes(limit) });
    }
    if (length === bytes.length) {
      const larger = new Uint8Array(bytes.length * 2);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

function readSome(descriptor: number, bytes: Uint8Array, offset: number): number {
  for (;;) {
    try {
      return readSync(descriptor, bytes, offset, bytes.length - offset, null);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // A pipe that another program made non-blocking has nothing yet: wait a moment and ask again.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      // Windows reports the end of a pipe as an error.
      else if (code === 'EOF') return 0;
      else throw error;
    }
  }
}

/** Whether a link leads to a file. One that leads nowhere or in a circle counts as one: reading it tells so. */
function leadsToFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}

/** What is in a folder below the one that was named; an error names it. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code, values } = translate(error);
    throw new ConvoyError(code, { ...values, at: folder });
  }
}

/**
 * The files below a folder. Links to folders are not followed (Node's own recursion follows them, round and round), and
 * pipes and devices, which may never end, are left out.
 */
function walk(folder: string): string[] {
  const found: string[] = [];
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path))) found.push(path);
    }
  }
  return found;
}

/** The file system of the machine; `-` is the standard input of the process. */
export const nodeFiles: InputFiles = {
  async kindOf(path) {
    return attempt(() => (statSync(path).isDirectory() ? 'folder' : 'file'));
  },

  async filesBelow(folder) {
    return attempt(() => walk(folder));
  },

  async read(path, limit) {
    return attempt(() => {
      if (path === '-') return readAll(0, limit);
      const descriptor = openSync(path, 'r');
      try {
        return readAll(descriptor, limit);
      } finally {
        closeSync(descriptor);
      }
    });
  },
};
