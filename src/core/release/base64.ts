const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const encoder = new TextEncoder();
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/** RFC 4648 with padding, as the `data` of a Secret has it. */
export function toBase64(bytes: Uint8Array): string {
  const at = (index: number): number => bytes[index] ?? 0;
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const word = (at(index) << 16) | (at(index + 1) << 8) | at(index + 2);
    text += digit(word >> 18) + digit(word >> 12) + digit(word >> 6) + digit(word);
  }
  // Of a last group that is not full the digits beyond its bytes are padding.
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing === 0 ? text : text.slice(0, -missing) + '='.repeat(missing);
}

export function textToBase64(text: string): string {
  return toBase64(encoder.encode(text));
}

/** Undefined: the text is no base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/={0,2}$/, '');
  if (text.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let length = 0;
  for (const character of digits) {
    const value = VALUES.get(character);
    if (value === undefined) return undefined;
    word = ((word << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = (word >> bits) & 0xff;
    length += 1;
  }
  return bytes;
}

function digit(word: number): string {
  return ALPHABET.charAt(word & 63);
}
