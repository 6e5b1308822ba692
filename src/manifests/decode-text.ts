import type { ErrorCode, ErrorValues } from '../core/errors/index.ts';

/** The text of an input, or why its bytes are none. */
export type DecodedText =
  | { readonly text: string }
  | { readonly code: ErrorCode; readonly values: ErrorValues; readonly line?: number };

/**
 * Text of the bytes of a file. UTF-8, with or without a byte order mark; UTF-16 with one, as `>` of older PowerShell writes it.
 * Compressed and binary files and broken UTF-8 are told apart.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if ((bytes[0] === 0x1f && bytes[1] === 0x8b) || (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03)) {
    return { code: 'InputCompressed', values: {} };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) };
  // NUL is in every binary format and in no text; looking for it is one native call.
  const binary = bytes.indexOf(0);
  if (binary >= 0) return { ...locate(bytes, binary), code: 'InputBinary' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ...locate(bytes, firstBrokenByte(bytes)), code: 'InputNotUtf8' };
  }
}

function decodes(bytes: Uint8Array, stream: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}

/**
 * Offset of the first character that breaks UTF-8. Found by halving: as a stream, a prefix decodes until it holds a broken
 * character; that character starts where the longest prefix ends that is whole.
 */
function firstBrokenByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (good + 1 < bad) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  while (good > 0 && !decodes(bytes.subarray(0, good), false)) good -= 1;
  return good;
}

function locate(bytes: Uint8Array, offset: number): { values: ErrorValues; line: number } {
  let line = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) line += 1;
  const byte = `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}`;
  return { values: { byte, offset }, line };
}
