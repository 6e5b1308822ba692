import { CelError } from '../error.ts';
import { formatDuration } from '../time/duration-text.ts';
import { formatTimestamp } from '../time/rfc3339.ts';
import { CelType } from '../value/cel-type.ts';
import { CelDuration, CelTimestamp, CelUint, type CelValue } from '../value/cel-value.ts';
import { MAX_DEPTH, type WorkCounter } from '../value/equality.ts';
import { type CelList, isList, listItems } from '../value/list.ts';
import { type CelMap, isMap, mapEntries } from '../value/map.ts';
import { isDouble, isInt, numberOfDouble } from '../value/number.ts';
import { compareStrings } from '../value/ordering.ts';
import { typeOf } from '../value/type-of.ts';
import { fixedDecimal } from './exact-decimal.ts';
import { formatDouble, formatDoublePlain } from './number-text.ts';
import { decodeUtf8 } from './utf8.ts';

/** Writes a value inside a list or map. */
type Writer = (value: CelValue, counter: WorkCounter, depth: number) => string | CelError;

function tooDeep(): CelError {
  return new CelError('nesting_too_deep', `values nest deeper than ${MAX_DEPTH} levels`);
}

function unprintable(value: CelValue): CelError {
  return new CelError('bad_argument', `format: %s cannot print ${typeOf(value)}`);
}

/** The text of scalars that both styles share, or undefined. */
function scalarText(value: CelValue): string | CelError | undefined {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelType) return value.name;
  return undefined;
}

function listText(value: CelList, counter: WorkCounter, depth: number, write: Writer): string | CelError {
  if (depth >= MAX_DEPTH) return tooDeep();
  const texts: string[] = [];
  for (const item of listItems(value)) {
    const text = write(item, counter, depth + 1);
    if (text instanceof CelError) return text;
    counter.work(text.length + 1);
    texts.push(text);
  }
  return `[${texts.join(', ')}]`;
}

function mapText(
  value: CelMap | { readonly [field: string]: CelValue },
  counter: WorkCounter,
  depth: number,
  colon: string,
  write: Writer,
): string | CelError {
  if (depth >= MAX_DEPTH) return tooDeep();
  const entries: { readonly key: string; readonly value: string }[] = [];
  for (const entry of mapEntries(value)) {
    const key = write(entry.key, counter, depth + 1);
    const text = write(entry.value, counter, depth + 1);
    if (key instanceof CelError) return key;
    if (text instanceof CelError) return text;
    counter.work(key.length + text.length + 1);
    entries.push({ key, value: text });
  }
  entries.sort((a, b) => compareStrings(a.key, b.key));
  return `{${entries.map((entry) => entry.key + colon + entry.value).join(', ')}}`;
}

/** `%s` of the CEL specification: nothing quoted, doubles in plain decimal, timestamps in UTC, `{a: [1, 2]}`. */
export function plainText(value: CelValue, counter: WorkCounter, depth = 0): string | CelError {
  if (isDouble(value)) return formatDoublePlain(numberOfDouble(value));
  if (value instanceof CelTimestamp) return formatTimestamp(value, 0);
  if (isList(value)) return listText(value, counter, depth, plainText);
  if (isMap(value)) return mapText(value, counter, depth, ': ', plainText);
  return scalarText(value) ?? unprintable(value);
}

/** `%s` of versions 1–3: a scalar as `string(x)`, what is inside lists and maps as a CEL literal: `{"a":[1, 2.000000]}`. */
export function literalText(value: CelValue, counter: WorkCounter): string | CelError {
  if (isDouble(value)) return formatDouble(numberOfDouble(value));
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  return isList(value) || isMap(value) ? elementText(value, counter, 0) : (scalarText(value) ?? unprintable(value));
}

function elementText(value: CelValue, counter: WorkCounter, depth: number): string | CelError {
  if (typeof value === 'string') return quoteLikeGo(value);
  if (value instanceof Uint8Array) {
    const text = decodeUtf8(value);
    return text instanceof CelError ? text : `b${quoteLikeGo(text)}`;
  }
  if (isDouble(value)) return elementDouble(numberOfDouble(value));
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof CelDuration) return `duration("${formatDuration(value)}")`;
  if (isList(value)) return listText(value, counter, depth, elementText);
  if (isMap(value)) return mapText(value, counter, depth, ':', elementText);
  return scalarText(value) ?? unprintable(value);
}

function elementDouble(value: number): string {
  return Number.isFinite(value) ? fixedDecimal(value, 6) : `"${formatDouble(value)}"`;
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Go's `%q`: the escapes above, `\x00`, `\u2028`, `\U000e0001` for what does not print. */
function quoteLikeGo(text: string): string {
  let quoted = '';
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0)!;
    if (SHORT_ESCAPES[character] !== undefined) quoted += SHORT_ESCAPES[character];
    else if (PRINTABLE.test(character)) quoted += character;
    else if (code < 0x80) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code <= 0xffff) quoted += `\\u${code.toString(16).padStart(4, '0')}`;
    else quoted += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return `"${quoted}"`;
}
