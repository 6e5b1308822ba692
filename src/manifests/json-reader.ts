import type { ErrorCode, ErrorValues } from '../core/errors/index.ts';
import { kubernetesInteger } from '../core/object/kubernetes-integer.ts';
import { findJsonFault, type JsonFault } from './json-fault.ts';
import { countKeys, countWrittenKeys, jsonLines, splitJsonValues } from './json-scan.ts';
import { countLines } from './lines.ts';
import { DEEPEST_NESTING, type ItemLines, type ManifestDocument, type ManifestProblem } from './manifest.ts';

/** A number outside of strings with 16 digits or more: only such a one can lie beyond 2^53. May match inside a string, which costs time alone. */
const LONG_NUMBER = /[:[,\s-]\d{16}/;
const INTEGER = /^-?\d{1,40}$/;

/** Node 24 hands a reviver the source of a primitive; the library's types do not know it yet. */
function exactIntegers(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && INTEGER.test(source) ? kubernetesInteger(BigInt(source)) : value;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/**
 * Whether a text is meant as JSON. `{` alone does not tell: `{kind: ConfigMap}` is YAML, and so is a template that starts
 * with `{{`.
 */
export function looksLikeJson(text: string): boolean {
  return /^[\s\ufeff]*(?:\{\s*(?:["}]|$)|\[\s*(?:[\]{["\d-]|$))/.test(text);
}

function problemOf(fault: JsonFault): { code: ErrorCode; values: ErrorValues } {
  switch (fault.kind) {
    case 'truncated':
      return { code: 'JsonTruncated', values: {} };
    case 'duplicate':
      return { code: 'DuplicateKey', values: { key: fault.detail } };
    case 'too deep':
      return { code: 'TooDeep', values: { limit: DEEPEST_NESTING } };
    case 'syntax':
      return { code: 'JsonInvalid', values: { reason: fault.detail } };
  }
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** One value of a stream, or what is wrong with it. */
function readValue(
  source: string,
  text: string,
  document: number,
  firstLine: number,
): ManifestDocument | ManifestProblem {
  const parsed = parse(text);
  const sound = parsed !== undefined && countWrittenKeys(text) === countKeys(parsed.value);
  const fault = sound ? undefined : findJsonFault(text);
  if (parsed !== undefined && fault === undefined) {
    return { value: parsed.value, document, lines: lazily((): ItemLines => jsonLines(text, firstLine)) };
  }
  const { position, ...problem } =
    fault === undefined ? UNKNOWN_FORM : { position: fault.position, ...problemOf(fault) };
  return { source, document, line: firstLine + countLines(text, 0, position), ...problem };
}

/** For the case that JSON.parse refuses a text in which the strict reader finds no fault, which no test has met. */
const UNKNOWN_FORM = {
  position: 0,
  code: 'JsonInvalid',
  values: { reason: 'a form that this reader does not know' },
} as const;

/** Every value of a JSON text that can be read, and what is wrong with the others. Several values may follow one another. */
export function readJson(
  source: string,
  input: string,
): { documents: ManifestDocument[]; problems: ManifestProblem[] } {
  const text = input.startsWith('\ufeff') ? input.slice(1) : input;
  const whole = readValue(source, text, 1, 1);
  if ('value' in whole) return { documents: [whole], problems: [] };
  const parts = splitJsonValues(text);
  if (parts.length < 2 || whole.code !== 'JsonInvalid') return { documents: [], problems: [whole] };
  const documents: ManifestDocument[] = [];
  let line = 1;
  let counted = 0;
  for (const [place, { start, end }] of parts.entries()) {
    line += countLines(text, counted, start);
    counted = start;
    const read = readValue(source, text.slice(start, end), place + 1, line);
    // After a fault the brackets no longer tell where the next value starts, so what follows would be noise.
    if (!('value' in read)) return { documents, problems: [read] };
    documents.push(read);
  }
  return { documents, problems: [] };
}
