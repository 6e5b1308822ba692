import type { Document, GroupDocument, TextDocument } from './document.ts';

/** A comment without the blanks behind it. `trailing`: something stands before it on its line. */
export interface Comment {
  readonly text: string;
  readonly start: number;
  readonly trailing: boolean;
}

/** Comments by the text they go before, groups that cannot stay on one line because of them, and comments behind all text. */
export interface PlacedComments {
  readonly before: ReadonlyMap<TextDocument, readonly Comment[]>;
  readonly broken: ReadonlySet<GroupDocument>;
  readonly last: readonly Comment[];
}

/** The comments at these spans of a source. */
export function readComments(
  source: string,
  spans: readonly { readonly start: number; readonly end: number }[],
): readonly Comment[] {
  return spans.map(({ start, end }) => {
    const lineStart = Math.max(source.lastIndexOf('\n', start - 1), source.lastIndexOf('\r', start - 1)) + 1;
    return {
      text: source.slice(start, end).trimEnd(),
      start,
      trailing: source.slice(lineStart, start).trim() !== '',
    };
  });
}

/** Gives each comment to the first text that stood behind it. A group breaks when a comment stands inside it. */
export function placeComments(root: Document, comments: readonly Comment[]): PlacedComments {
  const before = new Map<TextDocument, Comment[]>();
  const broken = new Set<GroupDocument>();
  let next = 0;
  /** Whether the part holds text, and whether a comment goes before a text of it that is not its first. */
  const visit = (document: Document): { some: boolean; first: boolean; inside: boolean } => {
    switch (document.kind) {
      case 'text': {
        const own: Comment[] = [];
        const { at } = document;
        while (at !== undefined && next < comments.length && comments[next]!.start < at) own.push(comments[next++]!);
        if (own.length > 0) before.set(document, own);
        return { some: true, first: own.length > 0, inside: false };
      }
      case 'parts': {
        const found = { some: false, first: false, inside: false };
        for (const part of document.parts) {
          const { some, first, inside } = visit(part);
          if (inside || (found.some && first)) found.inside = true;
          if (!found.some && first) found.first = true;
          found.some ||= some;
        }
        return found;
      }
      case 'indent':
        return visit(document.content);
      case 'group': {
        const found = visit(document.content);
        if (found.inside) broken.add(document);
        return found;
      }
      default:
        return { some: false, first: false, inside: false };
    }
  };
  visit(root);
  return { before, broken, last: comments.slice(next) };
}
