import { CelError } from '../error.ts';
import type { Issue } from '../issue.ts';
import { lineAndColumn } from '../source-position.ts';

/** Columns of a source line that are shown; a longer line is cut around the place. */
const WINDOW = 110;

/**
 * Three lines: `line:column: message`, the source line, carets under the span (and the hint behind them). An error without
 * a place gives its message alone. Tabs are kept, so that the carets stand right at any tab width; of a line wider than
 * about 110 columns only the surroundings are shown, cut with `…`.
 */
export function formatError(error: CelError | Issue, source: string): string {
  const hint = error instanceof CelError ? undefined : error.hint;
  if (error.start < 0) return error.message;
  const start = Math.min(error.start, source.length);
  const { line, column } = lineAndColumn(source, start);
  const lineStart = start - (column - 1);
  const lineEnd = endOfLine(source, start);
  const end = Math.min(Math.max(error.end, start + 1), Math.max(lineEnd, start + 1));
  const shown = cutAround(source, lineStart, lineEnd, start, end);
  const carets = '^'.repeat(Math.max(1, displayWidth(source.slice(start, shown.spanEnd))));
  const caretLine = blanksUnder(shown.before) + carets + (hint === undefined ? '' : `  ${hint}`);
  return `${line}:${column}: ${error.message}\n${shown.text}\n${caretLine}`;
}

function endOfLine(source: string, from: number): number {
  let index = from;
  while (index < source.length && source.charCodeAt(index) !== 10 && source.charCodeAt(index) !== 13) index += 1;
  return index;
}

function cutAround(
  source: string,
  lineStart: number,
  lineEnd: number,
  start: number,
  end: number,
): { text: string; before: string; spanEnd: number } {
  if (lineEnd - lineStart <= WINDOW) {
    return { text: source.slice(lineStart, lineEnd), before: source.slice(lineStart, start), spanEnd: end };
  }
  const from = outsidePair(source, Math.max(lineStart, Math.min(start - Math.floor(WINDOW / 3), lineEnd - WINDOW)));
  const to = outsidePair(source, Math.min(lineEnd, from + WINDOW));
  const head = from > lineStart ? '…' : '';
  const tail = to < lineEnd ? '…' : '';
  return {
    text: head + source.slice(from, to) + tail,
    before: head + source.slice(from, start),
    spanEnd: Math.min(end, to),
  };
}

/** A cut must not part the two halves of a surrogate pair. */
function outsidePair(source: string, offset: number): number {
  const code = source.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}

function blanksUnder(text: string): string {
  let blanks = '';
  for (const character of text) blanks += character === '\t' ? '\t' : ' '.repeat(displayWidth(character));
  return blanks;
}

/** Terminal columns: two for East Asian wide characters and emoji, none for combining marks. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isCombining(code)) continue;
    width += isWide(code) ? 2 : 1;
  }
  return width;
}

function isCombining(code: number): boolean {
  return (code >= 0x300 && code <= 0x36f) || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f);
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
