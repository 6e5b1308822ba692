/** A compiled RE2 pattern. Offsets are UTF-16 units. */
export interface CompiledRegex {
  /** Number of capturing groups. */
  readonly groups: number;
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** The leftmost match at or after `from`: [start, end] of the match, then of each group (−1, −1 if it took no part); or undefined. */
  exec(text: string, from: number): readonly number[] | undefined;
}
