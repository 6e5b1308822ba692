import { describe, expect, it } from 'vitest';
import { CelError } from '../error.ts';
import type { CompiledRegex } from './compiled-regex.ts';
import { literalRegex } from './literal-pattern.ts';
import { compileRe2 } from './re2.ts';
import { compileRegex, RegexCache } from './regex-cache.ts';

function compiled(regex: CompiledRegex | CelError): CompiledRegex {
  if (regex instanceof CelError) throw new Error(regex.message);
  return regex;
}

const TEXTS = ['', 'a', 'ab', 'abc', 'b', 'a.b', 'xaby', 'aab', 'ab\n', '😀', '$', '^', 'a|b', 'ab|cd'];

describe('a pattern that needs no regular expression', () => {
  const plain = [
    '',
    '^',
    '$',
    '^$',
    'ab',
    '^ab',
    'ab$',
    '^ab$',
    'a\\.b',
    '^(a|b|abc)$',
    '^(?:a|b|abc)$',
    '^(a|)$',
    '^()$',
    '^a\\|b$',
    '\\$',
    '^\\$$',
    '😀',
    '^(a\\|b|b)$',
  ];
  it.each(plain)('%j answers as the engine does on every text', (pattern) => {
    const fast = literalRegex(pattern);
    const engine = compiled(compileRe2(pattern));
    expect(fast).toBeDefined();
    expect(fast?.groups).toBe(engine.groups);
    for (const text of TEXTS) {
      expect(fast?.test(text), text).toBe(engine.test(text));
      for (let from = 0; from <= text.length; from += 1) {
        expect(fast?.exec(text, from), `${text} from ${from}`).toEqual(engine.exec(text, from));
      }
    }
  });

  const real = [
    'a.b',
    'a|b',
    '^a|b$',
    '^(a|b)(c)$',
    '\\d',
    '^(?i:a)$',
    'a{2}',
    '[a]',
    '^(a|b*)$',
    '^((a)|b)$',
    '\ud83d',
  ];
  it.each(real)('%j is left to the engine', (pattern) => {
    expect(literalRegex(pattern)).toBeUndefined();
  });
});

describe('the engine', () => {
  it('searches unanchored and gives the groups of the leftmost match at or after the start', () => {
    const regex = compiled(compileRegex('(\\d+)(x)?'));
    expect(regex.groups).toBe(2);
    expect(regex.test('ab12x')).toBe(true);
    expect(regex.test('ab')).toBe(false);
    expect(regex.exec('ab12x 3', 0)).toEqual([2, 5, 2, 4, 4, 5]);
    expect(regex.exec('ab12x 3', 5)).toEqual([6, 7, 6, 7, -1, -1]);
    expect(regex.exec('ab', 0)).toBeUndefined();
  });

  it('counts offsets in UTF-16 units after a character outside the basic plane', () => {
    expect(compiled(compileRegex('b+')).exec('😀bb', 0)).toEqual([2, 4]);
  });

  it('knows the start of the text from the start of the search', () => {
    expect(compiled(compileRegex('^a+')).exec('aa', 1)).toBeUndefined();
    expect(compiled(compileRegex('\\ba')).exec('xa', 1)).toBeUndefined();
  });

  it.each(['(', 'a**', '[z-a]', '(?=a)', '(a)\\1', '\\8', '(?<!a)b', 'a{1001}'])('refuses %j', (pattern) => {
    expect(compileRegex(pattern)).toMatchObject({ code: 'invalid_regex' });
  });

  it('refuses a pattern that compiles to too many instructions', () => {
    expect(compileRegex('((a{100}){100}){100}')).toMatchObject({ code: 'invalid_regex' });
    expect(compileRegex('([a-z]bcdefghijklmnopqrstuvwxyzabcdefgh){700}')).toMatchObject({ code: 'invalid_regex' });
  });

  it('refuses a pattern longer than the limit', () => {
    expect(compileRegex('a'.repeat(1000))).not.toBeInstanceOf(CelError);
    expect(compileRegex('a'.repeat(1001))).toMatchObject({ code: 'invalid_regex' });
    expect(compileRegex('aaaa', 3)).toMatchObject({ code: 'invalid_regex' });
  });

  it('stays linear where a backtracking engine would not end', () => {
    expect(compiled(compileRegex('^(a+)+$')).test(`${'a'.repeat(5000)}b`)).toBe(false);
  });
});

describe('the cache of an environment', () => {
  it('gives the same object again, also after other patterns', () => {
    const cache = new RegexCache();
    const first = cache.get('a+');
    cache.get('b+');
    expect(cache.get('a+')).toBe(first);
    expect(cache.get('(')).toBe(cache.get('('));
  });

  it('forgets the pattern used longest ago, not the oldest', () => {
    const cache = new RegexCache();
    const kept = cache.get('p0+');
    const dropped = cache.get('p1+');
    for (let index = 2; index < 64; index += 1) cache.get(`p${index}+`);
    cache.get('p0+');
    cache.get('p64+');
    expect(cache.get('p0+')).toBe(kept);
    expect(cache.get('p1+')).not.toBe(dropped);
  });
});
