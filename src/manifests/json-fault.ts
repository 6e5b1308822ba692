import { afterSpace, afterString } from './json-scan.ts';
import { DEEPEST_NESTING } from './manifest.ts';

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

const LITERAL = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

function isJsonString(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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
  // No regular expression for strings: one that takes millions of characters overflows the stack of the engine.
  const string = (what: string): string => {
    if (text[at] !== '"') return fail(what);
    const end = afterString(text, at);
    const whole = text.slice(at, end);
    if (isJsonString(whole)) {
      at = end;
      return whole;
    }
    if (end === text.length) throw new Fault('truncated', text.length, '');
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
