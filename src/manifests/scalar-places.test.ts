import { describe, expect, it } from 'vitest';
import { nodePlaces } from './scalar-places.ts';

/** What stands in the text where the word stands in the value. */
function found(text: string, path: readonly (string | number)[], word: string, document = 1): string | undefined {
  const scalar = nodePlaces(text, document)(path)?.scalar;
  const offset = scalar?.textOffset(scalar.value.indexOf(word));
  return offset === undefined ? undefined : text.slice(offset, offset + word.length);
}

describe('a part of a scalar', () => {
  it.each([
    ['plain', 'a: one two three\n'],
    ['plain over several lines', 'a: one\n  two\n  three\n'],
    ['single-quoted with quotes in it', "a: 'it''s ''one'' two three'\n"],
    ['double-quoted with escapes', 'a: "\\"one\\"\\n\\t \\u00e4 \\x41 \\U0001F600 two \\\\ three"\n'],
    ['double-quoted over several lines', 'a: "one \\\n  two\n\n  three"\n'],
    ['a literal block', 'a: |\n  one\n    two\n\n  three\n'],
    ['a literal block with an indentation of its own', 'a: |2-\n    one\n  two\n  three\n'],
    ['a folded block', 'a: >-\n  one\n  two\n\n    three\n'],
    ['with Windows line ends', 'a: |\r\n  one\r\n  two\r\n  three\r\n'],
    ['JSON', '{"a": "one\\ntwo \\/ three"}'],
  ])('is found in the text: %s', (_, text) => {
    for (const word of ['one', 'two', 'three']) expect(found(text, ['a'], word), word).toBe(word);
  });

  it('is found deep in lists, in a later document, and past other keys', () => {
    const text =
      '# first\n---\na: 1\n---\nrules:\n  - name: x\n    ? [odd]\n    : key\n    healthy: >\n      p &&\n      q\n';
    expect(found(text, ['rules', 0, 'healthy'], 'q', 2)).toBe('q');
    expect(nodePlaces(text, 2)(['rules', 0, 'healthy'])?.start).toBe(text.indexOf('healthy'));
    expect(nodePlaces(text, 2)(['rules', 1])).toBeUndefined();
    expect(nodePlaces(text, 9)(['rules'])).toBeUndefined();
  });

  it('is nowhere in a text that cannot be read', () => {
    expect(nodePlaces('a: [', 1)([])).toBeUndefined();
  });
});
