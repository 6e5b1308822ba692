import { RE2JS, RE2JSException } from 're2js';
import { CelError } from '../error.ts';
import type { CompiledRegex } from './compiled-regex.ts';

/** Instructions a compiled pattern may have; a bound on memory and on the time per character of text. */
const PROGRAM_SIZE_LIMIT = 20_000;

function offsets(expression: RE2JS, text: string, from: number): readonly number[] | undefined {
  const matcher = expression.matcher(text);
  if (!matcher.find(from)) return undefined;
  const found: number[] = [];
  for (let group = 0; group <= expression.groupCount(); group += 1)
    found.push(matcher.start(group), matcher.end(group));
  return found;
}

/** Compiles an RE2 pattern with the RE2 engine; `invalid_regex` when it is none or too large. */
export function compileRe2(pattern: string): CompiledRegex | CelError {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return new CelError('invalid_regex', `invalid pattern: ${thrown.message}`);
    throw thrown;
  }
  const size = expression.programSize();
  if (size > PROGRAM_SIZE_LIMIT) {
    return new CelError('invalid_regex', `pattern too large: more than ${PROGRAM_SIZE_LIMIT} instructions`);
  }
  return {
    size,
    groups: expression.groupCount(),
    test: (text) => expression.test(text),
    exec: (text, from) => offsets(expression, text, from),
  };
}
