import { CelError } from '../error.ts';

/** Kinds of clauses: `%s` string, `%d` decimal, `%f` fixed, `%e` scientific, `%b` binary, `%x` `%X` hex, `%o` octal. */
export type ClauseKind = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** A piece of a template: text to copy, or a clause that takes the next argument. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'clause'; readonly clause: ClauseKind; readonly precision: number | undefined };

/** Most digits after the point; cel-go's cap from strings version 5 on, kept for all as a bound on memory. */
const MAX_PRECISION = 100;
const CLAUSE = /%(?:%|(?:\.(\d*))?(.?))/gsu;

function isClauseKind(letter: string): letter is ClauseKind {
  return letter.length === 1 && 'sdfebxXo'.includes(letter);
}

/** The template of `format()` taken apart; `bad_argument` for a clause that does not exist or ends too early. */
export function parseTemplate(template: string): readonly TemplatePart[] | CelError {
  const parts: TemplatePart[] = [];
  let copied = 0;
  for (const match of template.matchAll(CLAUSE)) {
    const before = template.slice(copied, match.index);
    if (before !== '') parts.push({ kind: 'text', text: before });
    copied = match.index + match[0].length;
    const part = match[0] === '%%' ? ({ kind: 'text', text: '%' } as const) : clausePart(match[1], match[2] ?? '');
    if (part instanceof CelError) return part;
    parts.push(part);
  }
  if (copied < template.length) parts.push({ kind: 'text', text: template.slice(copied) });
  return parts;
}

function clausePart(digits: string | undefined, letter: string): TemplatePart | CelError {
  if (letter === '') return new CelError('bad_argument', 'format: unexpected end of the template after %');
  if (digits === '') return new CelError('bad_argument', 'format: a precision needs digits, %.2f');
  if (!isClauseKind(letter)) return new CelError('bad_argument', `format: unknown clause %${letter}`);
  const precision = digits === undefined ? undefined : Number(digits);
  if (precision !== undefined && precision > MAX_PRECISION) {
    return new CelError('bad_argument', `format: a precision is at most ${MAX_PRECISION}`);
  }
  return { kind: 'clause', clause: letter, precision };
}
