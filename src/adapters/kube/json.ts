/** What V8 has and the types of es2024 do not: the text of a number, and numbers written as they are. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const json: JsonWithSource = JSON as unknown as JsonWithSource;

/** Digits of 2^53. */
const MANY_DIGITS = 16;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Whether there may be an integer beyond 2^53. Also finds digits in strings, which costs time and nothing else. Of so many digits in
 * a row one stands at a multiple of their number: no other characters are looked at.
 */
function mayHoldBigInteger(text: string): boolean {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let first = at;
    while (isDigit(text.charCodeAt(first - 1))) first -= 1;
    let last = at;
    while (isDigit(text.charCodeAt(last + 1))) last += 1;
    if (last - first + 1 >= MANY_DIGITS && /[[:,]\s*-?$/.test(text.slice(Math.max(0, first - 100), first))) return true;
    at += MANY_DIGITS * Math.floor((last - at) / MANY_DIGITS);
  }
  return false;
}

/** JSON with integers beyond 2^53 as `bigint`. @throws SyntaxError */
export function parseJson(text: string): unknown {
  if (!mayHoldBigInteger(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

/** The opposite of `parseJson`. */
export function writeJson(value: unknown): string {
  try {
    // Several times as fast without a replacer. Only a bigint makes it throw, or what cannot be written at all.
    return JSON.stringify(value);
  } catch {
    return writeExactJson(value);
  }
}

function writeExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? json.rawJSON(String(one)) : one));
}
