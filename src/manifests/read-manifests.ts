import { decodeText } from './decode-text.ts';
import { flattenDocuments, type Purpose } from './flatten-lists.ts';
import { looksLikeJson, readJson } from './json-reader.ts';
import type { ManifestDocument, ManifestObject, ManifestProblem } from './manifest.ts';

/** An input: its name for messages (`-` is stdin) and what it holds. */
export interface ManifestInput {
  readonly name: string;
  readonly content: Uint8Array | string;
}

/** The documents of an input, whatever their shape. Never throws for what the input holds. */
export async function readDocuments({
  name,
  content,
}: ManifestInput): Promise<{ documents: ManifestDocument[]; problems: ManifestProblem[] }> {
  const decoded = typeof content === 'string' ? { text: content } : decodeText(content);
  if (!('text' in decoded)) return { documents: [], problems: [{ source: name, ...decoded }] };
  const { text } = decoded;
  if (looksLikeJson(text)) {
    const read = readJson(name, text);
    // JSON documents between `---` lines are a YAML stream.
    if (read.problems.length === 0 || !/^---\s/m.test(text)) return read;
  }
  // The YAML library costs a fifth of a process's start, and JSON input has no use for it.
  const { readYaml } = await import('./yaml-reader.ts');
  return readYaml(name, text);
}

/**
 * The Kubernetes objects of an input as kubectl reads them: YAML of several documents, JSON, and lists, which are opened up.
 * `problems` tells what cannot be read, each with its place; an input without any document is a problem, an empty List is not.
 */
export async function readManifests(
  input: ManifestInput,
  purpose: Purpose = 'judge',
): Promise<{ objects: ManifestObject[]; problems: ManifestProblem[] }> {
  const { documents, problems } = await readDocuments(input);
  if (documents.length === 0 && problems.length === 0) {
    return { objects: [], problems: [{ source: input.name, code: 'InputEmpty', values: {} }] };
  }
  const flat = flattenDocuments(input.name, documents, purpose);
  return { objects: flat.objects, problems: [...problems, ...flat.problems] };
}

/** Turns YAML text inside of objects (the rules of a ConfigMap) into plain data, as `parseYaml` of the YAML reader. */
export async function loadYamlParser(): Promise<(text: string) => unknown> {
  return (await import('./yaml-reader.ts')).parseYaml;
}
