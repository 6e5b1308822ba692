import type { HealthReport } from '../report.ts';
import { printTable, type TableStyle } from './table.ts';

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** Cursor to the top left (ECMA-48 CUP), and nothing behind it (ED). */
const HOME = '\u001b[H';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_LINE = '\u001b[K';
const COLOUR = /\u001b\[\d*m/g;

/** A line that does not wrap: escape sequences have no width. */
function cut(line: string, columns: number): string {
  if (line.replace(COLOUR, '').length <= columns) return line;
  let width = 0;
  let text = '';
  for (const part of line.split(/(\u001b\[\d*m)/)) {
    const isColour = part.startsWith('\u001b');
    const kept = isColour ? part : part.slice(0, Math.max(0, columns - 1 - width));
    text += kept;
    if (!isColour) width += kept.length;
  }
  return `${text}…`;
}

/** The table as a picture that takes the place of the one before, cut to the terminal, with the time of the last change. */
export function screenOf(report: HealthReport, style: TableStyle, now: number, size?: TerminalSize): string {
  const lines = printTable(report, style).trimEnd().split('\n');
  return pictureOf(lines.slice(0, -1), lines.at(-1) ?? '', now, size);
}

/** Lines as such a picture; the last of them stays whatever the size. */
export function pictureOf(
  lines: readonly string[],
  last: string,
  now: number,
  { rows, columns }: TerminalSize = { rows: 24, columns: 80 },
): string {
  const summary = `${last}, last change ${new Date(now).toISOString().slice(11, 19)}Z, Ctrl-C ends`;
  // Two lines stay free: the summary, and the one that the cursor is on.
  const room = Math.max(1, rows - 2);
  const shown =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more lines`];
  const picture = [...shown, summary].map((text) => `${cut(text, columns)}${CLEAR_LINE}\n`).join('');
  return `${HOME}${picture}${CLEAR_BELOW}`;
}
