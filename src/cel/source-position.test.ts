import { describe, expect, it } from 'vitest';
import { CelError } from './error.ts';
import { formatError } from './format/error-text.ts';
import { issueAt, lineAndColumn } from './source-position.ts';

describe('line and column of an offset', () => {
  it.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [6, 3, 1],
    [7, 3, 2],
    [99, 3, 3],
    [-5, 1, 1],
  ])('offset %i of "ab", "c", "de" with LF and CRLF', (offset, line, column) => {
    expect(lineAndColumn('ab\nc\r\nde', offset)).toEqual({ line, column });
  });
});

describe('an error as text', () => {
  it('shows the line and marks the place', () => {
    const source = 'has(obj.status)\n  && obj.status.ready';
    const error = new CelError('no_such_key', 'no such key: ready', 32, 37);
    expect(formatError(error, source)).toBe('2:17: no such key: ready\n  && obj.status.ready\n                ^^^^^');
  });

  it('puts the hint behind the marks', () => {
    const issue = issueAt('a = b', 'error', 'syntax', 'no operator', 2, 3, { hint: 'did you mean ==?' });
    expect(formatError(issue, 'a = b')).toBe('1:3: no operator\na = b\n  ^  did you mean ==?');
  });

  it('keeps tabs, counts wide characters twice and stays on one line', () => {
    const source = '\t"日本" + x +\n y';
    expect(formatError(new CelError('overflow', 'm', 8, 15), source)).toBe('1:9: m\n\t"日本" + x +\n\t         ^^^');
  });

  it('shows a window of a long line', () => {
    const source = `${'a'.repeat(300)} = ${'b'.repeat(300)}`;
    const [, line = '', marks = ''] = formatError(new CelError('overflow', 'm', 301, 302), source).split('\n');
    expect(line.length).toBeLessThan(120);
    expect(line.startsWith('…') && line.endsWith('…')).toBe(true);
    expect(line[marks.indexOf('^')]).toBe('=');
  });

  it('is the bare message when no place is known', () => {
    expect(formatError(new CelError('overflow', 'too large'), 'x')).toBe('too large');
  });

  it('marks one column at the end of the source', () => {
    expect(formatError(new CelError('overflow', 'm', 3, 3), 'a +')).toBe('1:4: m\na +\n   ^');
  });
});
