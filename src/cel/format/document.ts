/**
 * What is to be printed, before it is known where lines break (Wadler, "A prettier printer").
 * - `text` stands as it is; `at` is where it stood in the source, so that comments before that place go before it
 * - `space` one blank, none at the end of a line
 * - `line` a line break in a broken group, `flat` in one that fits
 * - `indent` shifts the lines that begin inside
 * - `group` breaks all its own lines or none
 */
export type Document = TextDocument | SpaceDocument | LineDocument | PartsDocument | IndentDocument | GroupDocument;

export interface TextDocument {
  readonly kind: 'text';
  readonly text: string;
  readonly at: number | undefined;
}

interface SpaceDocument {
  readonly kind: 'space';
}

interface LineDocument {
  readonly kind: 'line';
  readonly flat: '' | ' ';
}

interface PartsDocument {
  readonly kind: 'parts';
  readonly parts: readonly Document[];
}

interface IndentDocument {
  readonly kind: 'indent';
  readonly content: Document;
}

export interface GroupDocument {
  readonly kind: 'group';
  readonly content: Document;
}

export const SPACE: Document = { kind: 'space' };
/** A blank or a line break. */
export const LINE: Document = { kind: 'line', flat: ' ' };
/** Nothing or a line break. */
export const SOFT_LINE: Document = { kind: 'line', flat: '' };

export function text(written: string, at?: number): Document {
  return { kind: 'text', text: written, at };
}

export function parts(...documents: readonly Document[]): Document {
  return { kind: 'parts', parts: documents };
}

export function indent(...documents: readonly Document[]): Document {
  return { kind: 'indent', content: parts(...documents) };
}

export function group(...documents: readonly Document[]): Document {
  return { kind: 'group', content: parts(...documents) };
}

/** The documents with a comma and a possible line break between them. */
export function commaSeparated(documents: readonly Document[]): Document {
  return parts(...documents.flatMap((each, index) => (index === 0 ? [each] : [text(','), LINE, each])));
}

/** Where the first text of a document stood in the source; undefined when none of its texts has a place. */
export function firstPlace(document: Document): number | undefined {
  switch (document.kind) {
    case 'text':
      return document.at;
    case 'parts':
      for (const part of document.parts) {
        const at = firstPlace(part);
        if (at !== undefined) return at;
      }
      return undefined;
    case 'indent':
    case 'group':
      return firstPlace(document.content);
    default:
      return undefined;
  }
}
