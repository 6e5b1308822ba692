import { codePointLength, hasSurrogate } from '../value/size.ts';

/** The characters of a text, one string each; a lone surrogate is one. */
export function codePoints(text: string): readonly string[] {
  return hasSurrogate(text) ? Array.from(text) : text.split('');
}

/** UTF-16 offset of the character at `position`, which is 0…length in code points. */
export function unitOffset(text: string, position: number): number {
  if (!hasSurrogate(text)) return position;
  let offset = 0;
  for (let index = 0; index < position; index += 1) offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  return offset;
}

/** Position in code points of a UTF-16 offset that lies between two characters. */
export function positionOf(text: string, offset: number): number {
  return hasSurrogate(text) ? codePointLength(text.slice(0, offset)) : offset;
}

/** U+0009…U+000D, U+0085 and the space separators: Unicode's White_Space, which is not what JavaScript trims. */
function isWhiteSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  if (unit <= 0x200a) return unit === 0x1680 || unit >= 0x2000;
  return unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

/** The text without White_Space at both ends. */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
