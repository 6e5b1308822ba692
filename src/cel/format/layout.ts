import { type Comment, type PlacedComments, placeComments } from './comments.ts';
import type { Document } from './document.ts';

const INDENT = 2;

/** A document with the indentation and the mode it is printed in. */
type Command = readonly [indent: number, broken: boolean, document: Document];

/** The document as text, lines broken where they would be longer than `width`. */
export function layOut(document: Document, width: number, comments: readonly Comment[]): string {
  const placed = placeComments(document, comments);
  const page = new Page();
  const commands: Command[] = [[0, true, document]];
  for (let command = commands.pop(); command; command = commands.pop()) {
    const [indent, broken, at] = command;
    switch (at.kind) {
      case 'text':
        for (const comment of placed.before.get(at) ?? []) page.comment(comment, indent);
        page.write(at.text, indent);
        break;
      case 'space':
        page.space();
        break;
      case 'line':
        if (broken) page.breakLine(indent);
        else if (at.flat === ' ') page.space();
        break;
      case 'parts':
        for (let index = at.parts.length - 1; index >= 0; index -= 1) commands.push([indent, broken, at.parts[index]!]);
        break;
      case 'indent':
        commands.push([indent + INDENT, broken, at.content]);
        break;
      case 'group': {
        const flat =
          !placed.broken.has(at) && fits(width - page.column(), [indent, false, at.content], commands, placed);
        commands.push([indent, !flat, at.content]);
        break;
      }
    }
  }
  for (const comment of placed.last) page.comment(comment, 0);
  return page.result();
}

/** Whether what comes next fits into the rest of the line, up to the first line break that may follow. */
function fits(room: number, next: Command, rest: readonly Command[], placed: PlacedComments): boolean {
  if (room === Number.POSITIVE_INFINITY) return true;
  const pending: Command[] = [next];
  let left = room;
  let waiting = rest.length;
  while (left >= 0) {
    const command = pending.pop() ?? rest[--waiting];
    if (!command) return true;
    const [indent, broken, at] = command;
    switch (at.kind) {
      case 'text': {
        if (left < room && placed.before.has(at)) return true;
        const newline = at.text.indexOf('\n');
        if (newline >= 0) return newline <= left;
        left -= at.text.length;
        break;
      }
      case 'space':
        left -= 1;
        break;
      case 'line':
        if (broken) return true;
        left -= at.flat.length;
        break;
      case 'parts':
        for (let index = at.parts.length - 1; index >= 0; index -= 1) pending.push([indent, broken, at.parts[index]!]);
        break;
      default:
        pending.push([indent, broken, at.content]);
    }
  }
  return false;
}

/** The text written so far; blanks and line breaks wait until something follows them. */
class Page {
  private text = '';
  private lineStart = 0;
  private waiting: number | ' ' | undefined = undefined;
  private afterComment = false;

  /** Where the next text would begin. */
  column(): number {
    if (typeof this.waiting === 'number') return this.waiting;
    return this.text.length - this.lineStart + (this.waiting === ' ' ? 1 : 0);
  }

  space(): void {
    this.waiting ??= ' ';
  }

  breakLine(indent: number): void {
    this.waiting = indent;
  }

  write(written: string, indent: number): void {
    if (this.afterComment && typeof this.waiting !== 'number') this.waiting = indent + INDENT;
    this.afterComment = false;
    this.append(written);
  }

  /** At the end of the line where it was so in the source, else on a line of its own. */
  comment({ text, trailing }: Comment, indent: number): void {
    const after = typeof this.waiting === 'number' ? this.waiting : this.text === '' ? 0 : indent + INDENT;
    const stays = trailing && !this.afterComment && this.text !== '';
    this.waiting = stays ? ' ' : this.text === '' ? undefined : after;
    this.append(text);
    this.afterComment = true;
    this.waiting = after;
  }

  private append(written: string): void {
    if (this.waiting === ' ') this.text += ' ';
    else if (this.waiting !== undefined && this.text !== '') {
      this.text += '\n';
      this.lineStart = this.text.length;
      this.text += ' '.repeat(this.waiting);
    }
    this.waiting = undefined;
    this.text += written;
    const newline = written.lastIndexOf('\n');
    if (newline >= 0) this.lineStart = this.text.length - written.length + newline + 1;
  }

  result(): string {
    return this.text;
  }
}
