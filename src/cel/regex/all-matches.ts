import type { CompiledRegex } from './compiled-regex.ts';

/**
 * Successive matches that do not overlap, each as the offsets of `exec`. Empty matches count, except directly behind the
 * match before: the rule of Go's FindAll functions.
 */
export function* allMatches(regex: CompiledRegex, text: string): Generator<readonly number[]> {
  let from = 0;
  let previousEnd = -1;
  while (from <= text.length) {
    const match = regex.exec(text, from);
    if (match === undefined) return;
    const [start = 0, end = 0] = match;
    const accepted = end !== from || start !== previousEnd;
    from = end === from ? end + characterWidth(text, end) : end;
    previousEnd = end;
    if (accepted) yield match;
  }
}

function characterWidth(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}
