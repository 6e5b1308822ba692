/** An expression, and what it gives as an expression of the same value; `error CODE` where it fails. */
export type Example = readonly [expression: string, result: string];

/** What is told of one function or macro beside its signatures. */
export interface Entry {
  /** One sentence. */
  readonly doc: string;
  /** Macros only: how it is written, one line a form. */
  readonly forms?: readonly string[];
  readonly examples: readonly Example[];
  /** What a call costs beside its arguments, in words; one unit when left out. */
  readonly cost?: string;
}

/** One library. Keys are names as the library declares them; a macro that ends in 2 is the two-variable form. */
export interface LibraryDocs {
  readonly title: string;
  readonly entries: Readonly<Record<string, Entry>>;
}

export const PER_TEXT = 'a tenth of the length of the text, rounded up';
export const TWICE_PER_TEXT = 'a fifth of the length of the text, rounded up';
export const PER_PATTERN =
  'a tenth of the length of the text times a quarter of the length of the pattern, each rounded up';
export const PER_TRAVERSAL = 'one unit an element, a tenth of the bytes of each text';
export const PER_RESULT = 'one unit an element of the result, and 11';
export const SQUARE = 'twice the square of the number of elements, and 11';
