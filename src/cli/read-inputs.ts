import { ConvoyError } from '../core/errors/index.ts';
import {
  type ManifestDocument,
  type ManifestObject,
  type ManifestProblem,
  readDocuments,
  readManifests,
} from '../manifests/index.ts';
import type { InputFiles } from './io.ts';

/** Bytes of one file that are read. A list of 10,000 objects is about 15 MB of JSON. */
const LARGEST_FILE = 100_000_000;

const MANIFEST_NAME = /\.(?:ya?ml|json)$/i;

/** Files that `-f` and `--rules` mean by a path: itself, or in a folder all manifests at any depth, sorted. */
async function filesOf(path: string, files: InputFiles): Promise<readonly string[]> {
  if (path === '-' || (await files.kindOf(path)) === 'file') return [path];
  const found = (await files.filesBelow(path)).filter((name) => MANIFEST_NAME.test(name)).sort();
  if (found.length === 0) throw new ConvoyError('DirectoryEmpty');
  return found;
}

/** Reads one file; `path` is the file or the folder that was named. */
type Read<Item> = (
  file: { name: string; content: Uint8Array },
  path: string,
) => Promise<{ items: Item[]; problems: ManifestProblem[] }>;

async function readEach<Item>(
  paths: readonly string[],
  files: InputFiles,
  read: Read<Item>,
): Promise<{ items: Item[]; problems: ManifestProblem[] }> {
  const items: Item[] = [];
  const problems: ManifestProblem[] = [];
  const attempt = async (source: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ConvoyError)) throw error;
      // A folder inside of the one that was named says itself where it is.
      const { at } = error.values;
      problems.push({ source: at === undefined ? source : String(at), code: error.code, values: error.values });
    }
  };
  for (const path of paths) {
    await attempt(path, async () => {
      for (const name of await filesOf(path, files)) {
        await attempt(name, async () => {
          const one = await read({ name, content: await files.read(name, LARGEST_FILE) }, path);
          for (const item of one.items) items.push(item);
          problems.push(...one.problems);
        });
      }
    });
  }
  return { items, problems };
}

/** The objects of all inputs, in the order given, and what cannot be read. */
export async function readObjects(
  paths: readonly string[],
  files: InputFiles,
): Promise<{ objects: readonly ManifestObject[]; problems: readonly ManifestProblem[] }> {
  const { items, problems } = await readEach(paths, files, async (input) => {
    const { objects, problems: wrong } = await readManifests(input);
    return { items: objects, problems: wrong };
  });
  return { objects: items, problems };
}

/** A document of a rule input. */
export interface RuleDocument extends ManifestDocument {
  /** The file. */
  readonly source: string;
  /** The file or the folder that was named. */
  readonly input: string;
  /** The bytes of the file, to find places in. */
  readonly content: Uint8Array;
}

/** The documents of all rule inputs, whatever their shape, and what cannot be read. */
export async function readRuleDocuments(
  paths: readonly string[],
  files: InputFiles,
): Promise<{ documents: readonly RuleDocument[]; problems: readonly ManifestProblem[] }> {
  const { items, problems } = await readEach(paths, files, async (file, input) => {
    const { documents, problems: wrong } = await readDocuments(file);
    return {
      items: documents.map((document) => ({ ...document, source: file.name, input, content: file.content })),
      problems: wrong,
    };
  });
  return { documents: items, problems };
}
