import type { Issue, IssueCode, TextEdit } from './issue.ts';

/** 1-based line and column (UTF-16 units) of an offset; LF, CRLF and CR end a line. Offsets beyond the end count as the end. */
export function lineAndColumn(source: string, offset: number): { line: number; column: number } {
  const stop = Math.min(Math.max(offset, 0), source.length);
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < stop; index += 1) {
    const code = source.charCodeAt(index);
    if (code === 10 || (code === 13 && source.charCodeAt(index + 1) !== 10)) {
      line += 1;
      lineStart = index + 1;
    }
  }
  return { line, column: stop - lineStart + 1 };
}

export interface IssueDetails {
  readonly hint?: string | undefined;
  readonly edit?: TextEdit | undefined;
}

/** An issue at a span of the source, with line and column computed. */
export function issueAt(
  source: string,
  severity: Issue['severity'],
  code: IssueCode,
  message: string,
  start: number,
  end: number,
  details: IssueDetails = {},
): Issue {
  const { line, column } = lineAndColumn(source, start);
  return {
    severity,
    code,
    message,
    start,
    end,
    line,
    column,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.edit === undefined ? {} : { edit: details.edit }),
  };
}
