/** An inventory entry keeps this many bytes of a message (UTF-8); the CLI shows the same text. */
export const MESSAGE_LIMIT = 512;

/** A cause is a help, not a log: this many bytes of it are kept. */
export const CAUSE_LIMIT = 200;

const encoder = new TextEncoder();
const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;

/** The text on one line, at most `limit` bytes of UTF-8, cut on a character and then ended by `…`. */
export function fitMessage(text: string, limit: number = MESSAGE_LIMIT): string {
  const line = oneLine(text);
  // A UTF-16 unit is at most 3 bytes: short texts need no count.
  if (line.length * 3 <= limit || encoder.encode(line).length <= limit) return line;
  let bytes = 0;
  let kept = '';
  for (const character of line) {
    bytes += encoder.encode(character).length;
    if (bytes > limit - ELLIPSIS_BYTES) break;
    kept += character;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}

/** Messages of controllers hold line breaks and control characters; a table row and a condition hold none. */
function oneLine(text: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)
    ? text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, ' ').trim()
    : text;
}
