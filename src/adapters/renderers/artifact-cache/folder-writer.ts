import { mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { insidePath } from '../../../core/source/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import type { ArtifactWriter, SourceLimits } from '../../../ports/source-tools.ts';
import { resolveLink } from './links.ts';

type Kind = 'file' | 'folder' | 'link';

function refused(message: string): SourceError {
  return new SourceError(message, 'terminal');
}

/** A size for people, in units of 1024. */
function sizeText(bytes: number): string {
  return bytes >= 1 << 20 ? `${Math.round(bytes / (1 << 20))} MiB` : `${bytes} bytes`;
}

/**
 * Writes an artifact into an empty folder. The laws: no path leads outside; nothing is ever written through a link, because
 * links are made last; no more bytes and entries than the limits.
 */
export class FolderWriter implements ArtifactWriter {
  readonly limits: SourceLimits;
  readonly #root: string;
  readonly #kinds = new Map<string, Kind>([['', 'folder']]);
  readonly #links = new Map<string, string>();
  #bytes = 0;

  constructor(root: string, limits: SourceLimits) {
    this.#root = root;
    this.limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async folder(path: string): Promise<void> {
    await this.#folder(this.#inside(path));
  }

  async file(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const inside = this.#inside(path);
    await this.#folder(parentOf(inside));
    this.#claim(inside, 'file');
    const file = await open(join(this.#root, inside), 'w', 0o644);
    try {
      for await (const piece of content) {
        this.#bytes += piece.length;
        if (this.#bytes > this.limits.bytes) {
          throw refused(`the source holds more than the ${sizeText(this.limits.bytes)} that are allowed`);
        }
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
  }

  link(path: string, target: string): void {
    const inside = this.#inside(path);
    this.#claim(inside, 'link');
    this.#links.set(inside, target);
  }

  /** Makes the links. One that leads nowhere is left out. @throws SourceError for one that leads outside */
  async finish(): Promise<void> {
    for (const [path, target] of this.#links) {
      const resolved = resolveLink(path, this.#links, (one) => this.#kinds.has(one));
      if (resolved === 'outside') {
        throw refused(`the link ${plainLine(path)} leads out of the source, to ${plainLine(target)}; remove it`);
      }
      if (resolved === 'nowhere') continue;
      await this.#folder(parentOf(path));
      await symlink(target, join(this.#root, path));
    }
  }

  #inside(path: string): string {
    const inside = insidePath(path);
    if (inside === undefined) throw refused(`the source holds a path that leads outside: ${plainLine(path)}`);
    return inside;
  }

  async #folder(path: string): Promise<void> {
    if (this.#kinds.get(path) === 'folder') return;
    await this.#folder(parentOf(path));
    this.#claim(path, 'folder');
    await mkdir(join(this.#root, path));
  }

  /** Notes what a path is. A file may come twice, as in archives that were appended to; nothing else may. */
  #claim(path: string, kind: Kind): void {
    const before = this.#kinds.get(path);
    if (before === undefined) {
      if (this.#kinds.size > this.limits.files) {
        throw refused(`the source holds more than the ${this.limits.files} files that are allowed`);
      }
      this.#kinds.set(path, kind);
    } else if (before !== 'file' || kind !== 'file') {
      throw refused(`the source holds ${plainLine(path)} twice, as a ${before} and as a ${kind}`);
    }
  }
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}
