import { harmlessJson } from '../../core/errors/index.ts';

/**
 * A value of the engine, made plain, as JSON. Whole numbers beyond 2⁵³ keep all their digits, bytes are base64, times RFC
 * 3339, a map with keys that are no strings has them written as text, and what JSON has no word for (NaN, infinity) is text.
 */
export function printJsonValue(value: unknown, indentation = 2): string {
  return harmlessJson(write(value, '\n', ' '.repeat(indentation)));
}

function write(value: unknown, lineBreak: string, step: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
  if (value === undefined || value === null) return 'null';
  if (value instanceof Uint8Array)
    return JSON.stringify(btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')));
  if (typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  const inner = step === '' ? '' : `${lineBreak}${step}`;
  const wrap = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}${inner}${parts.join(`,${inner}`)}${step === '' ? '' : lineBreak}${close}`;
  if (Array.isArray(value))
    return wrap(
      '[',
      value.map((item) => write(item, inner, step)),
      ']',
    );
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const parts = entries.map(
    ([key, each]) => `${JSON.stringify(String(key))}:${step === '' ? '' : ' '}${write(each, inner, step)}`,
  );
  return wrap('{', parts, '}');
}
