import { type RenderedObject, SourceError } from '../../../ports/renderer.ts';
import type { ParseManifests } from '../../../ports/source-tools.ts';

export interface NamedText {
  /** For messages. */
  readonly name: string;
  readonly text: Uint8Array | string;
}

/** Problems that one message tells. */
const MOST_TOLD = 2;

/** One line for all problems of a render. */
export function problemsError(problems: readonly string[]): SourceError {
  const told = problems.slice(0, MOST_TOLD).join('; ');
  const rest = problems.length - MOST_TOLD;
  return new SourceError(rest > 0 ? `${told}; and ${rest} more` : told, 'terminal');
}

/** The objects of texts, in their order. @throws SourceError that names file, document and line of what cannot be read */
export async function renderTexts(
  texts: Iterable<NamedText> | AsyncIterable<NamedText>,
  parse: ParseManifests,
  signal: AbortSignal,
): Promise<RenderedObject[]> {
  const found: RenderedObject[] = [];
  const wrong: string[] = [];
  for await (const { name, text } of texts) {
    signal.throwIfAborted();
    const { objects, problems } = await parse(name, text);
    for (const object of objects) found.push(object);
    wrong.push(...problems);
  }
  if (wrong.length > 0) throw problemsError(wrong);
  return found;
}
