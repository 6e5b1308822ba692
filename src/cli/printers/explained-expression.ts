import { harmless } from '../../core/errors/index.ts';
import type { StepView } from '../../core/health/explain-view.ts';

/** A value and the place in the source under which it is written. */
interface Note {
  readonly offset: number;
  readonly text: string;
  readonly decided: boolean;
  /** The value of a whole comparison, which stands behind it where nothing follows on the line. */
  readonly behind: boolean;
}

const DECIDED = '\u001b[1;31m';
const PLAIN = '\u001b[0m';

/** Longest value that is written under a sub-expression. */
const WIDEST = 40;

/** Lines at the end without any value that are shown all the same. */
const MOST_UNASKED = 6;

/** Logic whose operands say all there is to say. */
const TRANSPARENT: ReadonlySet<string> = new Set(['and', 'or', 'not', 'conditional', 'list', 'bind', 'block']);
/** Two sides, whose values explain the result. */
const TWO_SIDED: ReadonlySet<string> = new Set(['equality', 'order', 'membership', 'arithmetic']);

/**
 * The lines of an expression, each followed by the values that its parts had, written under them; parts that were not asked
 * have none. With colour the parts that decided stand out.
 */
export function explainedExpression(source: string, root: StepView, colour: boolean): readonly string[] {
  const text = harmless(source.replace(/\t/g, ' ').replace(/\r/g, ''));
  const offsets = source.includes('\r') ? withoutReturns(source) : undefined;
  const notes = notesOf(source, root, false).map((note) => ({
    ...note,
    offset: offsets?.[note.offset] ?? note.offset,
  }));
  const lines: string[] = [];
  let start = 0;
  let lastAsked = 0;
  for (const line of text.trimEnd().split('\n')) {
    const end = start + line.length;
    const here = notes.filter(({ offset }) => offset >= start && offset <= end && line !== '');
    lines.push(line.trimEnd(), ...rowsUnder(line.trimEnd(), start, here, colour));
    if (here.length > 0) lastAsked = lines.length;
    start = end + 1;
  }
  const unasked = lines.length - lastAsked;
  return unasked <= MOST_UNASKED ? lines : [...lines.slice(0, lastAsked), `… (${unasked} lines that were not asked)`];
}

/** Offsets in the text without carriage returns by offset in the source. */
function withoutReturns(source: string): readonly number[] {
  let removed = 0;
  return `${source} `.split('').map((character, index) => (character === '\r' ? index - removed++ : index - removed));
}

function notesOf(source: string, step: StepView, within: boolean): readonly Note[] {
  const { kind, children, skipped, short } = step;
  if (skipped !== undefined || kind === 'constant' || short === '') return [];
  const decided = within || step.decided;
  const below = (): readonly Note[] => children.flatMap((child) => notesOf(source, child, decided));
  if (TRANSPARENT.has(kind)) {
    const notes = below();
    return notes.length > 0 ? notes : [noteAt(step, step.start, decided, false)];
  }
  if (TWO_SIDED.has(kind)) {
    // The error is told under the side that made it.
    if (step.error !== undefined && children.some(({ error }) => error !== undefined)) return below();
    const operator = operatorOf(source, step);
    return [...below(), noteAt(step, operator, decided, false), noteAt(step, step.end, decided, true)];
  }
  return [noteAt(step, step.start, decided, false)];
}

function noteAt({ short }: StepView, offset: number, decided: boolean, behind: boolean): Note {
  const text = short.length > WIDEST ? `${short.slice(0, WIDEST - 1)}…` : short;
  return { offset, text: text.replace(/\p{C}/gu, '?'), decided, behind };
}

/** Where the operator stands: behind the left side, or before the right one where the left is a constant (no step of its own). */
function operatorOf(source: string, { start, end, children }: StepView): number {
  const [first] = children;
  if (first === undefined) return start;
  const before = /(?:[=!<>]=|[<>+\-*/%]|\bin)[\s(]*$/.exec(source.slice(start, first.start));
  if (before !== null) return start + before.index;
  return first.end + (/^[\s)]*/.exec(source.slice(first.end, end))?.[0].length ?? 0);
}

interface Placed {
  readonly column: number;
  readonly note: Note;
}

function rowsUnder(line: string, start: number, notes: readonly Note[], colour: boolean): readonly string[] {
  const length = line.length;
  // A result stands behind its comparison when that ends the line (a closing bracket aside), else under its operator.
  const last = notes.findLastIndex((note) => note.behind && /^[\s)]*$/.test(line.slice(note.offset - start)));
  const under = notes
    .filter((note, index) => !note.behind && index !== last - 1)
    .map((note) => ({ column: note.offset - start, note }))
    .sort((a, b) => a.column - b.column);
  const rows: Placed[][] = [];
  for (const placed of under) place(rows, placed);
  const behind = notes[last];
  if (behind !== undefined) place(rows, { column: length + 2, note: behind });
  return rows.map((row) => draw(row, colour));
}

/** Into the first row in which it stands clear of what is there. */
function place(rows: Placed[][], placed: Placed): void {
  for (const row of rows) {
    const last = row.at(-1);
    if (last === undefined || last.column + last.note.text.length < placed.column) {
      row.push(placed);
      return;
    }
  }
  rows.push([placed]);
}

function draw(row: readonly Placed[], colour: boolean): string {
  let line = '';
  let width = 0;
  for (const { column, note } of row) {
    line += ' '.repeat(column - width) + (colour && note.decided ? `${DECIDED}${note.text}${PLAIN}` : note.text);
    width = column + note.text.length;
  }
  return line;
}
