import { CelUint, type CelValue } from '../value/cel-value.ts';
import { doubleValue, INT_MAX, INT_MIN, intFromBigInt, UINT_MAX } from '../value/number.ts';

/** Why the text of a literal has no value; the span is the faulty part, in offsets of the source. */
export class LiteralError {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  constructor(message: string, start: number, end: number) {
    this.message = message;
    this.start = start;
    this.end = end;
  }
}

/** The value of an int literal, decimal or hex; `negative` when a minus sign belongs to it. */
export function readInt(text: string, negative: boolean, start: number, end: number): CelValue | LiteralError {
  if (text.length <= 15) {
    const value = Number(text);
    return negative && value !== 0 ? -value : value;
  }
  const value = negative ? -BigInt(text) : BigInt(text);
  if (value >= INT_MIN && value <= INT_MAX) return intFromBigInt(value);
  return new LiteralError('int literal out of range: an int has 64 bits', start, end);
}

/** The value of a uint literal (`12u`, `0xFFu`). */
export function readUint(text: string, start: number, end: number): CelValue | LiteralError {
  const value = BigInt(text.slice(0, -1));
  return value <= UINT_MAX
    ? new CelUint(value)
    : new LiteralError('uint literal out of range: a uint has 64 bits', start, end);
}

/** The value of a double literal; one too large for a double is refused. */
export function readDouble(text: string, negative: boolean, start: number, end: number): CelValue | LiteralError {
  const value = Number(text);
  if (!Number.isFinite(value)) return new LiteralError('double literal out of range', start, end);
  return doubleValue(negative ? -value : value);
}

/** The span of the text between the quotes, and whether backslashes are plain. */
function innerSpan(source: string, start: number, end: number): { from: number; to: number; raw: boolean } {
  let from = start;
  let raw = false;
  for (let code = source.charCodeAt(from); code !== 34 && code !== 39; code = source.charCodeAt(from)) {
    if ((code | 32) === 114) raw = true;
    from += 1;
  }
  const triple = end - from >= 6 && source[from + 1] === source[from] && source[from + 2] === source[from];
  const marks = triple ? 3 : 1;
  return { from: from + marks, to: end - marks, raw };
}

/** The text of a string literal that spans `start`…`end` of the source, quotes and prefix included. */
export function readString(source: string, start: number, end: number): string | LiteralError {
  const { from, to, raw } = innerSpan(source, start, end);
  const text = source.slice(from, to);
  if ((raw || !text.includes('\\')) && !text.includes('\r')) return text;
  if (raw) return normaliseNewlines(text);
  let result = '';
  for (let at = from; at < to; ) {
    const slash = source.indexOf('\\', at);
    const stop = slash < 0 || slash >= to ? to : slash;
    result += normaliseNewlines(source.slice(at, stop));
    if (stop === to) break;
    const sequence = readEscape(source, slash, to);
    if (sequence instanceof LiteralError) return sequence;
    if (sequence.value > 0x10ffff || (sequence.value >= 0xd800 && sequence.value <= 0xdfff)) {
      return new LiteralError('not a Unicode code point', slash, sequence.end);
    }
    result += String.fromCodePoint(sequence.value);
    at = sequence.end;
  }
  return result;
}

/** The bytes of a bytes literal: its text in UTF-8; `\x` and octal escapes are single bytes. */
export function readBytes(source: string, start: number, end: number): Uint8Array | LiteralError {
  const { from, to, raw } = innerSpan(source, start, end);
  const bytes: number[] = [];
  for (let at = from; at < to; ) {
    const slash = raw ? -1 : source.indexOf('\\', at);
    const stop = slash < 0 || slash >= to ? to : slash;
    pushUtf8(bytes, normaliseNewlines(source.slice(at, stop)));
    if (stop === to) break;
    const kind = source.charCodeAt(slash + 1) | 32;
    if (kind === 117) return new LiteralError('\\u and \\U are not allowed in bytes', slash, slash + 2);
    const sequence = readEscape(source, slash, to);
    if (sequence instanceof LiteralError) return sequence;
    bytes.push(sequence.value);
    at = sequence.end;
  }
  return Uint8Array.from(bytes);
}

function normaliseNewlines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** No TextEncoder: the engine uses nothing beyond the language itself. Lone surrogates become U+FFFD. */
function pushUtf8(bytes: number[], text: string): void {
  for (const character of text) {
    const given = character.codePointAt(0) ?? 0xfffd;
    const code = given >= 0xd800 && given <= 0xdfff ? 0xfffd : given;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else {
      bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
  }
}

const SIMPLE_ESCAPES: { readonly [letter: string]: number } = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '?': 63,
  '`': 96,
};

function readEscape(source: string, slash: number, limit: number): { value: number; end: number } | LiteralError {
  const letter = source[slash + 1] ?? '';
  const simple = Object.hasOwn(SIMPLE_ESCAPES, letter) ? SIMPLE_ESCAPES[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: slash + 2 };
  switch (letter) {
    case 'x':
    case 'X':
      return numericEscape(source, slash, slash + 2, 2, 16, limit);
    case 'u':
      return numericEscape(source, slash, slash + 2, 4, 16, limit);
    case 'U':
      return numericEscape(source, slash, slash + 2, 8, 16, limit);
    case '0':
    case '1':
    case '2':
    case '3':
      return numericEscape(source, slash, slash + 1, 3, 8, limit);
    default:
      return new LiteralError(`unknown escape \\${letter}`, slash, Math.min(slash + 2, limit));
  }
}

function numericEscape(
  source: string,
  slash: number,
  from: number,
  length: number,
  radix: 8 | 16,
  limit: number,
): { value: number; end: number } | LiteralError {
  const end = from + length;
  const digits = source.slice(from, end);
  const wellFormed = radix === 16 ? /^[0-9a-fA-F]+$/ : /^[0-7]+$/;
  if (end > limit || !wellFormed.test(digits)) {
    const name = radix === 8 ? 'octal' : `\\${source[slash + 1]}`;
    return new LiteralError(
      `the ${name} escape needs ${length} ${radix === 8 ? 'octal' : 'hex'} digits`,
      slash,
      Math.min(end, limit),
    );
  }
  return { value: Number.parseInt(digits, radix), end };
}
