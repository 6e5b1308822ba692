import { PassThrough } from 'node:stream';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { SourceLimits } from '../../../ports/source-tools.ts';
import { gitFailure } from './git-failure.ts';
import type { GitWorkspace } from './git-workspace.ts';
import { PieceReader } from './piece-reader.ts';

export interface TreeEntry {
  /** Below the tree. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  readonly oid: string;
  readonly size: number;
}

/** Bytes of one line of `ls-tree` beside the path, with room for long paths. */
const BYTES_PER_ENTRY = 300;

function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '160000') return 'submodule';
  return mode === '120000' ? 'link' : 'file';
}

function parseEntry(line: string): TreeEntry | undefined {
  const [, mode, oid, size, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
  if (mode === undefined || oid === undefined || path === undefined) return undefined;
  return { path, kind: kindOf(mode), oid, size: Number(size) || 0 };
}

/** Everything in a tree, asked before anything of it is read. @throws SourceError beyond the limits */
export async function listTree(
  workspace: GitWorkspace,
  repository: string,
  tree: string,
  limits: SourceLimits,
  credentials: SourceCredentials,
): Promise<TreeEntry[]> {
  const { shown } = workspace.address;
  const { code, stdout, stderr } = await workspace.git(['-C', repository, 'ls-tree', '-r', '-l', '-z', tree], {
    maxOutput: limits.files * BYTES_PER_ENTRY,
  });
  if (code !== 0) throw gitFailure(shown, stderr, credentials);
  const entries = stdout
    .toString('utf8')
    .split('\0')
    .map(parseEntry)
    .filter((entry) => entry !== undefined);
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (entries.length > limits.files || bytes > limits.bytes) {
    throw new SourceError(
      `${shown} holds ${entries.length} files of ${bytes} bytes, more than the ${limits.files} files and ${limits.bytes} bytes that are allowed; name a smaller path`,
      'terminal',
    );
  }
  return entries;
}

/**
 * Reads files out of the repository as they were committed: no filter, line-end rule or attribute changes them.
 * `take` gets each, in order, and has to read its content.
 */
export async function readBlobs(
  workspace: GitWorkspace,
  repository: string,
  entries: readonly TreeEntry[],
  limits: SourceLimits,
  take: (entry: TreeEntry, content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  if (entries.length === 0) return;
  const pipe = new PassThrough();
  const reading = (async () => {
    const reader = new PieceReader(pipe);
    try {
      for (const entry of entries) {
        const head = await reader.line();
        const size = /^[0-9a-f]+ blob (\d+)$/.exec(head ?? '')?.[1];
        if (size === undefined) throw new SourceError(`${workspace.address.shown}: ${entry.path} is missing`, 'retry');
        await take(entry, reader.take(Number(size)));
        await reader.line();
      }
    } catch (error) {
      pipe.destroy();
      throw error;
    }
  })();
  const running = workspace.git(['-C', repository, 'cat-file', '--batch'], {
    input: `${entries.map(({ oid }) => oid).join('\n')}\n`,
    maxOutput: limits.bytes + limits.files * BYTES_PER_ENTRY,
    onOutput: (piece) => passOn(pipe, piece),
  });
  const ended = running.finally(() => pipe.end());
  // Why the reader stopped says more than that the pipe behind it is closed.
  const [read, ran] = await Promise.allSettled([reading, ended]);
  if (read.status === 'rejected' && !(ran.status === 'rejected' && workspace.aborted)) throw read.reason;
  if (ran.status === 'rejected') throw ran.reason;
}

/** Writes into the pipe and waits while it is full. A write that is under way when the reader gives up is never answered. */
function passOn(pipe: PassThrough, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('nobody reads on'));
    if (pipe.destroyed) return closed();
    pipe.once('close', closed);
    pipe.write(piece, (error) => {
      pipe.off('close', closed);
      if (error) reject(error);
      else resolve();
    });
  });
}
