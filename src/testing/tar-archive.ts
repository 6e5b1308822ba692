import { gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';

/** The end of a tar archive. */
export const TAR_END = Buffer.alloc(1024);

/** One entry of a tar archive, of whatever type. */
export function tarEntry(data: HeaderData, content: Buffer | string = ''): Buffer {
  const body = Buffer.from(content);
  const header = new Header({ mode: 0o644, size: body.length, mtime: new Date(0), ...data });
  const block = Buffer.alloc(512);
  header.encode(block, 0);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** A gzip-compressed tar archive of files. */
export function tarGzip(files: Readonly<Record<string, Buffer | string>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => tarEntry({ path, type: 'File' }, content));
  return gzipSync(Buffer.concat([...entries, TAR_END]));
}
