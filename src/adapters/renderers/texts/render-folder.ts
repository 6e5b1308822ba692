import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { insidePath } from '../../../core/source/index.ts';
import { type RenderedObject, SourceError } from '../../../ports/renderer.ts';
import type { ParseManifests } from '../../../ports/source-tools.ts';
import { type NamedText, renderTexts } from './render-texts.ts';

const MANIFEST = /\.(ya?ml|json)$/;

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** Manifests below a folder, sorted, as paths below it. Hidden files and folders, and links to folders, are left out. */
export async function manifestsBelow(root: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.push(...(await manifestsBelow(root, path)));
    else if (MANIFEST.test(entry.name) && (await isFile(join(root, path)))) found.push(path);
  }
  return below === '' ? found.sort() : found;
}

export interface FolderRequest {
  /** The folder on disk. */
  readonly folder: string;
  /** A folder below it, in its shortest form. */
  readonly path: string;
  readonly parse: ParseManifests;
  /** Of all manifests together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The path of a request below an artifact in its shortest form. @throws SourceError when it is outside or no folder */
export async function checkedPath(folder: string, path: string): Promise<string> {
  const inside = insidePath(path);
  const isFolder =
    inside !== undefined &&
    (await stat(join(folder, inside)).then(
      (stats) => stats.isDirectory(),
      () => false,
    ));
  if (!isFolder) throw new SourceError(`there is no folder ${plainLine(path)} in the source; check path`, 'terminal');
  return inside;
}

/** The objects of all *.yaml, *.yml and *.json files below a folder. @throws SourceError */
export async function renderFolder({
  folder,
  path,
  parse,
  maxBytes,
  signal,
}: FolderRequest): Promise<RenderedObject[]> {
  const root = join(folder, path);
  if (await isFile(join(root, 'Chart.yaml'))) {
    throw new SourceError(
      `the source is a Helm chart (${join(path, 'Chart.yaml')}); write it as source.helm`,
      'terminal',
    );
  }
  const files = await manifestsBelow(root);
  let bytes = 0;
  async function* texts(): AsyncGenerator<NamedText> {
    for (const file of files) {
      const text = await readFile(join(root, file));
      bytes += text.length;
      if (bytes > maxBytes) {
        throw new SourceError(`the manifests are more than the ${maxBytes} bytes that are rendered`, 'terminal');
      }
      yield { name: path === '' ? file : `${path}/${file}`, text };
    }
  }
  return renderTexts(texts(), parse, signal);
}
