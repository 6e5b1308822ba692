import { CelError } from '../error.ts';
import type { CompiledRegex } from './compiled-regex.ts';
import { literalRegex } from './literal-pattern.ts';
import { compileRe2 } from './re2.ts';

/** Longest pattern in UTF-16 units, unless the environment says otherwise. */
export const DEFAULT_REGEX_LENGTH = 1000;
const CAPACITY = 64;

/** Compiles one pattern, without a regular expression engine where plain string operations do; or `invalid_regex`. */
export function compileRegex(pattern: string, maxLength = DEFAULT_REGEX_LENGTH): CompiledRegex | CelError {
  if (pattern.length > maxLength) {
    return new CelError('invalid_regex', `pattern too long: ${pattern.length} characters, at most ${maxLength}`);
  }
  return literalRegex(pattern) ?? compileRe2(pattern);
}

/** The compiled patterns of one environment: the 64 used last, refused ones among them. */
export class RegexCache {
  private readonly compiled = new Map<string, CompiledRegex | CelError>();
  private readonly maxLength: number;

  constructor(maxLength = DEFAULT_REGEX_LENGTH) {
    this.maxLength = maxLength;
  }

  get(pattern: string): CompiledRegex | CelError {
    const known = this.compiled.get(pattern);
    if (known !== undefined) {
      // A Map keeps insertion order: inserting again makes it the youngest.
      this.compiled.delete(pattern);
      this.compiled.set(pattern, known);
      return known;
    }
    const regex = compileRegex(pattern, this.maxLength);
    if (this.compiled.size >= CAPACITY) {
      const oldest = this.compiled.keys().next();
      if (!oldest.done) this.compiled.delete(oldest.value);
    }
    this.compiled.set(pattern, regex);
    return regex;
  }
}
