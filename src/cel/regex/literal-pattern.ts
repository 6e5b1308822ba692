import type { CompiledRegex } from './compiled-regex.ts';

/** A pattern that means plain text: anywhere, at the start, at the end, or one of several whole texts. */
export type LiteralPattern =
  | { readonly kind: 'contains' | 'prefix' | 'suffix'; readonly text: string }
  | { readonly kind: 'whole'; readonly texts: readonly string[]; readonly groups: 0 | 1 };

const META = /[\\.+*?()|[\]{}^$]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** The text a piece of pattern stands for, or undefined when it holds more than characters and escaped punctuation. */
function literalText(pattern: string): string | undefined {
  if (!META.test(pattern)) return pattern;
  let text = '';
  for (let index = 0; index < pattern.length; index += 1) {
    let unit = pattern.charAt(index);
    if (unit === '\\') {
      index += 1;
      unit = pattern.charAt(index);
      if (!PUNCTUATION.test(unit)) return undefined;
    } else if (META.test(unit)) return undefined;
    text += unit;
  }
  return text;
}

/** Splits `a|b|c` at bars that are not escaped. */
function alternatives(body: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < body.length; index += 1) {
    if (body[index] === '\\') index += 1;
    else if (body[index] === '|') {
      parts.push(body.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(body.slice(start));
  return parts;
}

function wholePattern(body: string): LiteralPattern | undefined {
  const group = /^\((\?:)?(.*)\)$/s.exec(body);
  const parts = group ? alternatives(group[2] ?? '') : [body];
  const texts: string[] = [];
  for (const part of parts) {
    const text = literalText(part);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return { kind: 'whole', texts, groups: group && group[1] === undefined ? 1 : 0 };
}

/** Whether the last character is a `$` that is not escaped. */
function endsInDollar(pattern: string): boolean {
  if (!pattern.endsWith('$')) return false;
  let slashes = 0;
  while (pattern[pattern.length - 2 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 0;
}

/** What a pattern means as plain text; undefined when it needs a regular expression. */
export function recognise(pattern: string): LiteralPattern | undefined {
  // Half a surrogate pair would match inside a character of the text; RE2 never does.
  if (!pattern.isWellFormed()) return undefined;
  const start = pattern.startsWith('^') ? 1 : 0;
  const atEnd = endsInDollar(pattern);
  const body = pattern.slice(start, atEnd ? -1 : undefined);
  if (start === 1 && atEnd) return wholePattern(body);
  const text = literalText(body);
  if (text === undefined) return undefined;
  return { kind: start === 1 ? 'prefix' : atEnd ? 'suffix' : 'contains', text };
}

function span(start: number, length: number, from: number): readonly number[] | undefined {
  return start < from ? undefined : [start, start + length];
}

/** The pattern as string operations, or undefined when it needs a regular expression engine. Same answers as RE2. */
export function literalRegex(pattern: string): CompiledRegex | undefined {
  const literal = recognise(pattern);
  if (literal === undefined) return undefined;
  if (literal.kind === 'whole') {
    const { texts, groups } = literal;
    const known = new Set(texts);
    return {
      size: 1,
      groups,
      test: (text) => known.has(text),
      exec(text, from) {
        if (from > 0 || !known.has(text)) return undefined;
        return groups === 1 ? [0, text.length, 0, text.length] : [0, text.length];
      },
    };
  }
  const sought = literal.text;
  switch (literal.kind) {
    case 'contains':
      return {
        size: 1,
        groups: 0,
        test: (text) => text.includes(sought),
        exec: (text, from) => span(text.indexOf(sought, from), sought.length, from),
      };
    case 'prefix':
      return {
        size: 1,
        groups: 0,
        test: (text) => text.startsWith(sought),
        exec: (text, from) => (text.startsWith(sought) ? span(0, sought.length, from) : undefined),
      };
    case 'suffix':
      return {
        size: 1,
        groups: 0,
        test: (text) => text.endsWith(sought),
        exec: (text, from) =>
          text.endsWith(sought) ? span(text.length - sought.length, sought.length, from) : undefined,
      };
  }
}
