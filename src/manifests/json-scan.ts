import { DEEPEST_NESTING, type ItemLines } from './manifest.ts';

const QUOTE = 34;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;

/** Position after the string that starts at `start`; the end of the text when it is never closed. */
function afterString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Members of all mappings and the deepest nesting of a text that JSON.parse accepts, in one pass without allocation. */
export function measureJson(text: string): { readonly members: number; readonly depth: number } {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === COLON) members += 1;
    else if (code === OPEN_MAP || code === OPEN_LIST) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_MAP || code === CLOSE_LIST) depth -= 1;
  }
  return { members, depth: deepest };
}

/** Members of all mappings of a parsed value. Less than `measureJson` counted: a key stood twice. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') members += countMembers(element);
    return members;
  }
  for (const element of Object.values(value)) {
    members += 1;
    if (typeof element === 'object') members += countMembers(element);
  }
  return members;
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

/** One-based line of a position. */
export function lineAt(text: string, position: number, firstLine = 1): number {
  let line = firstLine;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Lines of a valid JSON value and of the objects of the lists in it. */
export function jsonLines(text: string, firstLine: number): ItemLines {
  let line = firstLine;
  let newline = text.indexOf('\n');
  let at = afterSpace(text, 0);

  const lineHere = (): number => {
    while (newline >= 0 && newline < at) {
      line += 1;
      newline = text.indexOf('\n', newline + 1);
    }
    return line;
  };
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

/** What is wrong with a text that is no JSON, or in which a key stands twice. */
export interface JsonFault {
  readonly kind: 'syntax' | 'truncated' | 'duplicate' | 'too deep';
  readonly position: number;
  /** The reason of a syntax fault, the key of a duplicate. */
  readonly detail: string;
}

class Fault extends Error {
  readonly fault: JsonFault;
  constructor(kind: JsonFault['kind'], position: number, detail: string) {
    super(kind);
    this.fault = { kind, position, detail };
  }
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

/**
 * Reads a text strictly and returns its first fault, undefined when there is none. Slow and exact: JSON.parse has been asked
 * first, and its own messages quote the input, which may be a Secret.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  let at = 0;

  const fail = (expected: string): never => {
    if (at >= text.length) throw new Fault('truncated', text.length, '');
    const found = text[at] ?? '';
    throw new Fault(
      'syntax',
      at,
      `${/[\x20-\x7e]/.test(found) ? `"${found}"` : 'a character'} where ${expected} should be`,
    );
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };
  const space = (): void => {
    at = afterSpace(text, at);
  };
  const string = (what: string): string => {
    if (text[at] !== '"') return fail(what);
    const found = match(STRING);
    if (found !== undefined) return found;
    if (afterString(text, at) === text.length && !text.endsWith('"')) throw new Fault('truncated', text.length, '');
    throw new Fault('syntax', at, 'a string with a line break or an escape that JSON does not have');
  };
  const member = (keys: Set<string>): void => {
    const start = at;
    const key = string('a key in quotes');
    const name: unknown = JSON.parse(key);
    if (keys.has(String(name))) throw new Fault('duplicate', start, key);
    keys.add(String(name));
    space();
    if (text[at] !== ':') fail('":"');
    at += 1;
  };
  const collection = (depth: number, close: string, before: () => void): void => {
    if (depth > DEEPEST_NESTING) throw new Fault('too deep', at, '');
    at += 1;
    space();
    if (text[at] === close) {
      at += 1;
      return;
    }
    for (;;) {
      space();
      before();
      value(depth);
      space();
      if (text[at] === close) break;
      if (text[at] !== ',') fail(`"," or "${close}"`);
      at += 1;
    }
    at += 1;
  };
  const value = (depth: number): void => {
    space();
    if (text[at] === '{') {
      const keys = new Set<string>();
      collection(depth + 1, '}', () => member(keys));
    } else if (text[at] === '[') collection(depth + 1, ']', () => {});
    else if (text[at] === '"') string('a string');
    else if (match(LITERAL) === undefined) {
      // A word cut off at the very end (`tru`) is a truncation too.
      if (/^[-\w.+]*$/.test(text.slice(at, at + 40)) && text.length - at < 40) at = text.length;
      fail('a value');
    }
  };

  try {
    value(0);
    space();
    if (at < text.length) fail('the end');
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}
