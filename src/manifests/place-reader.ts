import { decodeText } from './decode-text.ts';
import type { FindNode } from './scalar-places.ts';

/** Finds the places of nodes in the text of an input. */
export interface PlaceReader {
  /** The text of an input that `readDocuments` has read; '' of one that it has refused. */
  textOf(content: Uint8Array): string;
  /** See `nodePlaces`. */
  nodePlaces(text: string, document: number): FindNode;
}

/** Loads the YAML library, which costs a fifth of a process's start. */
export async function loadPlaceReader(): Promise<PlaceReader> {
  const { nodePlaces } = await import('./scalar-places.ts');
  const textOf = (content: Uint8Array): string => {
    const decoded = decodeText(content);
    return 'text' in decoded ? decoded.text : '';
  };
  return { textOf, nodePlaces };
}
