import type { CallExpr } from './ast.ts';

/** Where the function's name stands in a call as written: behind the target's dot, or at the start of a global call. */
export function functionNameSpan(source: string, call: CallExpr): { start: number; end: number } {
  const { target, fn } = call;
  if (!target) return { start: call.start, end: nameEnd(source, call.start) };
  let at = target.end;
  // Between the target and the dot stand closing parentheses, blanks and comments only.
  while (at < call.end && source[at] !== '.') at = source.startsWith('//', at) ? endOfLine(source, at) : at + 1;
  const start = source.indexOf(fn, at + 1);
  return start < 0 || start >= call.end ? { start: call.start, end: call.end } : { start, end: start + fn.length };
}

function nameEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '(') at += 1;
  while (at > from && /\s/.test(source[at - 1] ?? '')) at -= 1;
  return at;
}

function endOfLine(source: string, from: number): number {
  const newline = source.indexOf('\n', from);
  return newline < 0 ? source.length : newline;
}
