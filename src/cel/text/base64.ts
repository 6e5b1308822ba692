/** Bytes as base64 of the standard alphabet, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  // String.fromCharCode takes its characters as arguments; a block keeps them far below the limit of a call.
  const block = 0x2000;
  let binary = '';
  for (let start = 0; start < bytes.length; start += block) {
    binary += String.fromCharCode(...bytes.subarray(start, start + block));
  }
  return btoa(binary);
}

const PADDED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UNPADDED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3})?$/;

/** The bytes of base64 text of the standard alphabet; line breaks are passed over, as in Go. Undefined for others. */
export function decodeBase64(text: string, padding: 'required' | 'optional'): Uint8Array | undefined {
  const joined = text.replace(/[\r\n]/g, '');
  if (!PADDED.test(joined) && (padding === 'required' || !UNPADDED.test(joined))) return undefined;
  const binary = atob(joined);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
