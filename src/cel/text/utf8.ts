import { CelError } from '../error.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes; `bad_utf8` when they are none. */
export function decodeUtf8(bytes: Uint8Array): string | CelError {
  try {
    return decoder.decode(bytes);
  } catch {
    return new CelError('bad_utf8', 'invalid UTF-8 in bytes, cannot convert to string');
  }
}
