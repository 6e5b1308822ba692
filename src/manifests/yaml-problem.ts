import { YAMLException } from 'js-yaml';
import type { ErrorCode, ErrorValues } from '../core/errors/index.ts';
import { DEEPEST_NESTING } from './manifest.ts';

/** What a parser's exception means for the author of the text. `line` is zero-based within the text that was parsed. */
export interface YamlFault {
  readonly code: ErrorCode;
  readonly values: ErrorValues;
  readonly line: number;
}

/** The library's sentences in the author's terms; a reason that is not here is shown as it is. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^bad indentation/, 'this line is indented differently from its neighbours, or a value holds ": "'],
  [/^end of the stream or a document separator is expected/, 'text that belongs to no key and no list'],
  [/^expected ':' after a mapping key|multiline key may not be an implicit key/, 'a line without "key: value"'],
  [/^unidentified alias/, 'an alias (*name) without its anchor (&name)'],
  [/complex keys/, 'a list or a mapping as a key'],
];

/** Lines that `kubectl … > FILE 2>&1` leaves in a file. */
const KUBECTL_ERROR = /^(?:Error from server|error: |Unable to connect to the server)/;

const NEVER_CLOSED = /^deficient indentation|^unexpected end of the (?:stream|document)/;

export function yamlFault({ reason, mark }: YAMLException): YamlFault {
  const text = mark?.buffer ?? '';
  const line = mark?.line ?? 0;
  const sourceLine = text.split('\n', line + 1)[line] ?? '';
  if (reason.startsWith('nesting exceeded')) return { code: 'TooDeep', values: { limit: DEEPEST_NESTING }, line };
  if (reason.startsWith('duplicated mapping key')) {
    return { code: 'DuplicateKey', values: { key: keyAt(text, mark?.position ?? 0) }, line };
  }
  if (KUBECTL_ERROR.test(sourceLine))
    return { code: 'NotAnObject', values: { what: 'an error message of kubectl' }, line };
  const template = templateLine(text, line, reason);
  if (template !== undefined) return { code: 'YamlTemplate', values: {}, line: template };
  if (reason.startsWith('tab characters') || /^ *\t/.test(sourceLine)) return { code: 'YamlTab', values: {}, line };
  if (NEVER_CLOSED.test(reason)) {
    return { code: 'YamlTruncated', values: { reason: 'a quote or bracket that is never closed' }, line };
  }
  const said = REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
  const isLast = mark !== undefined && text.slice(mark.position).trim() === '';
  return { code: isLast ? 'YamlTruncated' : 'YamlInvalid', values: { reason: said }, line };
}

/** Zero-based line of the `{{` that an error is about. As a key in braces it is found only when the mapping around it is built. */
function templateLine(text: string, line: number, reason: string): number | undefined {
  const lines = text.split('\n');
  if (lines[line]?.includes('{{')) return line;
  const found = reason.endsWith('complex keys') ? lines.findIndex((one, at) => at >= line && one.includes('{{')) : -1;
  return found < 0 ? undefined : found;
}

function keyAt(text: string, position: number): string {
  const [key = ''] = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(position, position + 200)) ?? [];
  return key.trim();
}

/** Lines that the repair may indent, and characters it may parse for more than one, before it gives up. */
const MOST_REPAIRS = 100;
const MOST_PARSED_AGAIN = 5_000_000;

/**
 * Parses with the indentation of quoted and bracketed values made good. go-yaml lets their later lines start in any column
 * (`args: [` … `]` with the bracket under the key is common); this library does not. Indentation means nothing inside them,
 * so the value stays the same. When the repair does not lead to an end, the first complaint is the true one.
 */
export function withLooseIndentation<Result>(
  text: string,
  parse: (text: string) => Result,
): { result: Result; text: string } {
  let first: unknown;
  let current = text;
  for (let repairs = 0; ; repairs += 1) {
    try {
      return { result: parse(current), text: current };
    } catch (error) {
      first ??= error;
      const position =
        error instanceof YAMLException && error.reason === 'deficient indentation' ? error.mark?.position : undefined;
      const spent = repairs === MOST_REPAIRS || (repairs > 0 && repairs * text.length > MOST_PARSED_AGAIN);
      if (position === undefined || spent) throw first;
      current = `${current.slice(0, position)}${' '.repeat(DEEPEST_NESTING)}${current.slice(position)}`;
    }
  }
}
