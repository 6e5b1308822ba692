/** A compiled RE2 pattern. Offsets are UTF-16 units. */
export interface CompiledRegex {
  /** Instructions of the program: what one character of text may cost at worst. 1 for plain string operations. */
  readonly size: number;
  /** Number of capturing groups. */
  readonly groups: number;
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** The leftmost match at or after `from`: [start, end] of the match, then of each group (−1, −1 if it took no part); or undefined. */
  exec(text: string, from: number): readonly number[] | undefined;
}

/** Instructions that one counted step of work stands for; the engine's automaton mostly takes them in one. */
const INSTRUCTIONS_PER_STEP = 64;

/** Steps of work for a search through a text. */
export function searchWork(regex: CompiledRegex, text: string): number {
  return text.length * Math.ceil(regex.size / INSTRUCTIONS_PER_STEP);
}
