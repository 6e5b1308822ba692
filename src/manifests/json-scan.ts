import { risingLines } from './lines.ts';
import { DEEPEST_NESTING, type ItemLines } from './manifest.ts';

const QUOTE = 34;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;

/** Position after the string that starts at `start`; the end of the text when it is never closed. */
export function afterString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at + 1;
  }
  return text.length;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff;
}

export function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * How many keys a valid JSON text seems to write: colons behind a closing quote. Never fewer than it writes, and more only where
 * a string holds a quote of its own, or starts with a colon. A search for one character is native and costs a tenth of a walk
 * through the text.
 */
export function countWrittenKeys(text: string): number {
  let keys = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let quote = at - 1;
    while (isSpace(text.charCodeAt(quote))) quote -= 1;
    if (text.charCodeAt(quote) === QUOTE && !isEscaped(text, quote)) keys += 1;
  }
  return keys;
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Keys of all mappings in a parsed value; undefined when it is nested too deep. Fewer than were written: a key stood twice. */
export function countKeys(value: unknown, depth = 0): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === DEEPEST_NESTING) return undefined;
  const elements: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let keys = Array.isArray(value) ? 0 : elements.length;
  for (const element of elements) {
    if (typeof element !== 'object') continue;
    const inside = countKeys(element, depth + 1);
    if (inside === undefined) return undefined;
    keys += inside;
  }
  return keys;
}

/** Position after the value that starts at `start`, by its brackets alone. */
function afterValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === OPEN_MAP || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_MAP || code === CLOSE_LIST) depth -= 1;
    else if (depth === 0 && code !== 44 && !isSpace(code)) continue;
    if (depth < 0) return at;
    if (depth === 0) return code === 44 || isSpace(code) ? at : at + 1;
  }
  return text.length;
}

/** The values of a text that holds several, one after the other (`kubectl get -o json` run twice, lines of JSON). */
export function splitJsonValues(text: string): { readonly start: number; readonly end: number }[] {
  const values: { start: number; end: number }[] = [];
  for (let start = afterSpace(text, 0); start < text.length; ) {
    const end = Math.max(afterValue(text, start), start + 1);
    values.push({ start, end });
    start = afterSpace(text, end);
  }
  return values;
}

/** Lines of a valid JSON value and of the objects of the lists in it. */
export function jsonLines(text: string, firstLine: number): ItemLines {
  let at = afterSpace(text, 0);
  const lineOf = risingLines(text, firstLine);
  const lineHere = (): number => lineOf(at);
  const toNext = (): void => {
    at = afterSpace(text, at);
    if (text.charCodeAt(at) === 44) at = afterSpace(text, at + 1);
  };
  const elements = (): ItemLines[] => {
    const lines: ItemLines[] = [];
    at += 1;
    for (toNext(); at < text.length && text.charCodeAt(at) !== CLOSE_LIST; toNext()) lines.push(node());
    at += 1;
    return lines;
  };
  const node = (): ItemLines => {
    const own = lineHere();
    if (text.charCodeAt(at) !== OPEN_MAP) {
      at = afterValue(text, at);
      return { line: own };
    }
    let items: ItemLines[] | undefined;
    at += 1;
    for (toNext(); at < text.length && text.charCodeAt(at) !== CLOSE_MAP; toNext()) {
      const keyStart = at;
      at = afterString(text, at);
      const isItems = text.slice(keyStart, at) === '"items"';
      at = afterSpace(text, afterSpace(text, at) + 1);
      if (isItems && text.charCodeAt(at) === OPEN_LIST) items = elements();
      else at = afterValue(text, at);
    }
    at += 1;
    return items === undefined ? { line: own } : { line: own, items };
  };
  return text.charCodeAt(at) === OPEN_LIST ? { line: lineHere(), items: elements() } : node();
}
