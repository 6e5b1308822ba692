import { CelConcatList } from './list.ts';
import { isMap, mapSize } from './map.ts';

/** Whether a UTF-16 text holds a surrogate, paired or not; without one its code points are its units. */
export function hasSurrogate(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdfff) return true;
  }
  return false;
}

/** Length in code points; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    length -= 1;
    index += 1;
  }
  return length;
}

/** Length in bytes of the UTF-8 form; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) length += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text, index + 1)) {
      length += 2;
      index += 1;
    } else length += 2;
  }
  return length;
}

function isLowSurrogate(text: string, index: number): boolean {
  if (index >= text.length) return false;
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * `size(x)`: code points of a string, bytes, elements of a list, entries of a map; undefined for anything else.
 */
export function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return codePointLength(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelConcatList) return value.length;
  if (isMap(value)) return mapSize(value);
  return undefined;
}
