import { CelError } from '../error.ts';
import { decodeUtf8, encodeUtf8 } from '../text/utf8.ts';
import { CelDouble, CelUint, type CelValue } from '../value/cel-value.ts';
import { isInt } from '../value/number.ts';

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** Control characters, and what a reader cannot see: odd blanks, soft hyphens, marks that turn the direction of text. */
const UNSEEN = /[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/;
const ESCAPED = new RegExp(`\\\\|${UNSEEN.source}`, 'g');

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function stringEscape(character: string): string {
  const code = character.charCodeAt(0);
  return NAMED_ESCAPES[character] ?? (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

/** Bytes literals have no \u: the bytes of the character one by one. */
function bytesEscape(character: string): string {
  const named = NAMED_ESCAPES[character];
  if (named !== undefined) return named;
  return Array.from(encodeUtf8(character), (byte) => `\\x${hex(byte, 2)}`).join('');
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/**
 * A literal of the text with as few escapes as there can be: double quotes unless single ones need fewer, raw where only
 * backslashes would need them.
 */
export function quotedString(text: string): string {
  return quoted(text, '', stringEscape);
}

function quoted(text: string, prefix: 'b' | '', escaped: (character: string) => string): string {
  const quote = count(text, '"') > count(text, "'") ? "'" : '"';
  if (text.includes('\\') && !text.includes(quote) && !UNSEEN.test(text)) return `${prefix}r${quote}${text}${quote}`;
  return prefix + quote + text.replace(ESCAPED, escaped).replaceAll(quote, `\\${quote}`) + quote;
}

/** The literal of bytes: as text where they are UTF-8. */
export function quotedBytes(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (!(text instanceof CelError)) return quoted(text, 'b', bytesEscape);
  const characters = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return byte > 0x7e || byte < 0x20 || character === '"' || character === '\\' ? `\\x${hex(byte, 2)}` : character;
  });
  return `b"${characters.join('')}"`;
}

/** Text over several lines in three quotes, where its author wrote it so and nothing in it needs an escape. */
export function multilineString(text: string, written: string): string | undefined {
  if (!/^[rR]?(?:"""|''')/.test(written) || !text.includes('\n')) return undefined;
  const plain = text.replaceAll('\n', '').replaceAll('\t', '');
  if (text.includes('"""') || text.endsWith('"') || UNSEEN.test(plain)) return undefined;
  return text.includes('\\') ? `r"""${text}"""` : `"""${text}"""`;
}

/** A literal of the value; numbers as they are `written`, which tells hexadecimal and exponents apart. */
export function literalText(value: CelValue, written: string): string {
  if (typeof value === 'string') return quotedString(value);
  if (value instanceof Uint8Array) return quotedBytes(value);
  if (isInt(value) || typeof value === 'number' || value instanceof CelDouble || value instanceof CelUint) {
    // Between a minus and its number there may be blanks and comments.
    return written.replace(/^-(?:\s|\/\/[^\n]*\n)*/, '-');
  }
  return String(value);
}
