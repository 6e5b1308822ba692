/** What V8 has and the types of es2024 do not: the text of a number, and numbers written as they are. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const json: JsonWithSource = JSON as unknown as JsonWithSource;

/** Numbers of 16 digits and more may be beyond 2^53. Also matches such digits in strings, which costs time and nothing else. */
const MANY_DIGITS = /[[:,]\s*-?\d{16}/;

/** JSON with integers beyond 2^53 as `bigint`. @throws SyntaxError */
export function parseJson(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

/** The opposite of `parseJson`. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? json.rawJSON(String(one)) : one));
}
