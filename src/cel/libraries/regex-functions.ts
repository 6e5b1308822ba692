import { regexCost } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { allMatches } from '../regex/all-matches.ts';
import { type CompiledRegex, searchWork } from '../regex/compiled-regex.ts';
import { INT, list, optional, STRING } from '../value/cel-type.ts';
import { CelOptional, type CelValue } from '../value/cel-value.ts';
import { declare, globalForm } from './declare.ts';
import type { CostOptions } from './encoders.ts';

/** Largest number of replacements that cel-go takes: 2³¹−1. */
const MAX_REPLACEMENTS = 2_147_483_647;

/** A pattern with at most one capturing group. */
function extractingRegex(context: CallContext, pattern: string): CompiledRegex | CelError {
  const regex = context.regex(pattern);
  if (regex instanceof CelError || regex.groups <= 1) return regex;
  return new CelError('bad_argument', `the pattern has ${regex.groups} capturing groups, at most one is possible`);
}

/** The text of the group, or of the whole match where there is none; undefined for an empty capture. */
function extracted(regex: CompiledRegex, text: string, match: readonly number[]): string | undefined {
  if (regex.groups === 0) return text.slice(match[0], match[1]);
  const [, , start = -1, end = -1] = match;
  return start < 0 || start === end ? undefined : text.slice(start, end);
}

function extract(context: CallContext, text: string, pattern: string): CelValue | CelError {
  const regex = extractingRegex(context, pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  const match = regex.exec(text, 0);
  const found = match === undefined ? undefined : extracted(regex, text, match);
  return found === undefined ? CelOptional.none : CelOptional.of(found);
}

function extractAll(context: CallContext, text: string, pattern: string): readonly string[] | CelError {
  const regex = extractingRegex(context, pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  const found: string[] = [];
  for (const match of allMatches(regex, text)) {
    context.work(1);
    const capture = extracted(regex, text, match);
    if (capture !== undefined) found.push(capture);
  }
  return found;
}

/** A replacement taken apart: text to copy and numbers of groups. */
function parseReplacement(replacement: string, groups: number): readonly (string | number)[] | CelError {
  const parts: (string | number)[] = [];
  for (const [part] of replacement.matchAll(/[^\\]+|\\./gsu)) {
    if (!part.startsWith('\\')) parts.push(part);
    else if (part === '\\\\') parts.push('\\');
    else if (!/^\\\d$/.test(part)) return badEscape();
    else if (Number(part.slice(1)) > groups) {
      return new CelError('bad_argument', `the replacement names group ${part}, the pattern has ${groups}`);
    } else parts.push(Number(part.slice(1)));
  }
  // A backslash at the very end matches neither form above.
  return /(?:^|[^\\])(?:\\\\)*\\$/s.test(replacement) ? badEscape() : parts;
}

function badEscape(): CelError {
  return new CelError('bad_argument', 'in the replacement a \\ must stand before a digit or another \\');
}

function expand(parts: readonly (string | number)[], text: string, match: readonly number[]): string {
  let expanded = '';
  for (const part of parts) {
    if (typeof part === 'string') expanded += part;
    else if ((match[2 * part] ?? -1) >= 0) expanded += text.slice(match[2 * part], match[2 * part + 1]);
  }
  return expanded;
}

function replace(
  context: CallContext,
  text: string,
  pattern: string,
  replacement: string,
  limit: number | bigint = -1,
): string | CelError {
  if (limit === 0) return text;
  if (limit > MAX_REPLACEMENTS) return new CelError('overflow', `${limit} replacements are more than 2³¹−1`);
  const regex = context.regex(pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  let result = '';
  let copied = 0;
  let left = limit < 0 ? Infinity : Number(limit);
  let parts: readonly (string | number)[] | undefined;
  for (const match of allMatches(regex, text)) {
    if (left === 0) break;
    // Looked at only when something is replaced: without a match a faulty replacement is no error in the reference.
    const parsed = parts ?? parseReplacement(replacement, regex.groups);
    if (parsed instanceof CelError) return parsed;
    parts = parsed;
    const expanded = expand(parts, text, match);
    context.work(expanded.length + 1);
    result += text.slice(copied, match[0]) + expanded;
    copied = match[1] ?? copied;
    left -= 1;
  }
  return result + text.slice(copied);
}

/** regex.extract, regex.extractAll, regex.replace (cel-go ext, version 0), charged as `find`. */
export function regexLibrary(_version?: number, options: CostOptions = {}): Library {
  const cost: CostRule | undefined = options.referenceCosts
    ? undefined
    : (_result, text, pattern) => regexCost(text, pattern);
  return {
    name: 'regex',
    functions: [
      declare('regex.extract', () => [globalForm([STRING, STRING], optional(STRING), extract)], cost),
      declare('regex.extractAll', () => [globalForm([STRING, STRING], list(STRING), extractAll)], cost),
      declare(
        'regex.replace',
        () => [
          globalForm([STRING, STRING, STRING], STRING, replace),
          globalForm([STRING, STRING, STRING, INT], STRING, replace),
        ],
        cost,
      ),
    ],
  };
}
