import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expr } from './ast.ts';
import { childrenOf } from './children.ts';
import { parse } from './parser.ts';
import { complaints, EVERYTHING, parsed, shape } from './syntax.fixture.ts';

describe('operators', () => {
  it.each([
    ['a + b * c - d', '(- (+ a (* b c)) d)'],
    ['a - b - c', '(- (- a b) c)'],
    ['a < b == c', '(== (< a b) c)'],
    ['a in b && c', '(&& (@in a b) c)'],
    ['a && b || c && d', '(|| (&& a b) (&& c d))'],
    ['a ? b : c ? d : e', '(?: a b (?: c d e))'],
    ['a ? b ? c : d : e', '(?: a (?: b c d) e)'],
    ['!a.b', '(! a.b)'],
    ['!!a', 'a'],
    ['---a', '(- a)'],
    ['-1', '-1'],
    ['- 1', '-1'],
    ['-1.abs()', '(.abs -1)'],
    ['!-1', '(! -1)'],
    ['a-1', '(- a 1)'],
    ['(a + b) * c', '(* (+ a b) c)'],
    ['a[b][?c].d', '([?] ([] a b) c).d'],
    ['a.?b.c', 'a.?b.c'],
    ['.a.b', '.a.b'],
    ['.f(x)', '(.f x)'],
    ['math.abs(x)', '(.abs math x)'],
  ])('%s', (source, expected) => {
    expect(shape(parsed(source).root)).toBe(expected);
  });

  it('builds a long chain of || balanced, with the spans of its operands', () => {
    expect(shape(parsed('a || b || c || d').root)).toBe('(|| (|| a b) (|| c d))');
    const { root } = parsed('(a) || b || c || (d)');
    const left = root.kind === 'call' ? root.args[0] : undefined;
    expect([root.start, root.end]).toEqual([0, 20]);
    expect([left?.start, left?.end]).toEqual([0, 8]);
    expect(height(parsed(`a${' || a'.repeat(10_000)}`).root)).toBeLessThan(16);
  });
});

function height(expr: Expr): number {
  return 1 + Math.max(0, ...childrenOf(expr).map(height));
}

describe('collections and messages', () => {
  it.each([
    ['[1, ?a, 2,]', '[1 ?a 2]'],
    ['{"a": 1, ?b: c,}', '{"a":1 ?b:c}'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['a.b.T{f: 1, `g h`: 2}', 'a.b.T{f:1 g h:2}'],
    ['.T{}', '.T{}'],
  ])('%s', (source, expected) => {
    expect(shape(parsed(source).root)).toBe(expected);
  });
});

describe('fields', () => {
  it('may have the name of a reserved word, or any name in backquotes', () => {
    expect(shape(parsed('a.namespace.if').root)).toBe('a.namespace.if');
    const { root } = parsed('obj.`a-b/c.d`');
    expect(root).toMatchObject({ kind: 'select', field: 'a-b/c.d', quoted: true, fieldStart: 4, fieldEnd: 13 });
  });

  it('refuses backquotes and optional syntax where the environment has none', () => {
    const plain = { ...EVERYTHING, quotedFields: false, macros: new Set<string>() };
    expect(complaints('obj.`a`', plain)).toEqual([
      "1:5 syntax quoted field names are not part of this environment | use an index: obj['…']",
    ]);
    expect(complaints('a.?b', plain)).toEqual([
      '1:3 not_supported optional values (?) are not part of this environment',
    ]);
  });
});

describe('spans', () => {
  it('cover each node exactly, parentheses of operands included', () => {
    const source = 'has(obj.a) && (x + 1) * f(y)';
    const { root } = parsed(source);
    const texts = descendants(root).map(({ start, end }) => source.slice(start, end));
    expect(texts).toEqual([source, 'has(obj.a)', 'obj', '(x + 1) * f(y)', 'x + 1', 'x', '1', 'f(y)', 'y']);
  });

  it('keeps comments apart', () => {
    const ast = parsed('a // one\n + b // two');
    expect(ast.comments.map(({ start, end }) => ast.source.slice(start, end))).toEqual(['// one', '// two']);
  });
});

function descendants(expr: Expr): Expr[] {
  return [expr, ...childrenOf(expr).flatMap(descendants)];
}

describe('mistakes', () => {
  it.each([
    ['a = b', ["1:3 syntax '=' is no operator | did you mean ==?"]],
    ['a === b', ["1:3 syntax '===' is no operator | did you mean ==?"]],
    ['a <> b', ["1:3 syntax '<>' is no operator | did you mean !=?"]],
    ['a & b', ["1:3 syntax '&' is no operator | did you mean &&?"]],
    ['a and b', ["1:3 syntax unexpected 'and', expected an operator or the end | did you mean &&?"]],
    ["'abc", ["1:1 syntax unterminated string | end it with '"]],
    ['', ['1:1 syntax the expression ends here, expected a value']],
    ['a ||', ['1:5 syntax the expression ends here, expected a value']],
    ['(a', ["1:3 syntax the expression ends here, expected ')' | a '(' is not closed"]],
    ['x ?? y', ["1:4 syntax unexpected '?', expected a value | a default is written value.orValue(default)"]],
    [
      'x?.y',
      [
        "1:5 syntax the expression ends here, expected ':' and the other value of the condition | an optional selection is written .?field",
      ],
    ],
    ['if a', ["1:1 syntax 'if' is a reserved word | CEL chooses with condition ? a : b"]],
    ['obj.in', ["1:5 syntax unexpected 'in', expected a field name | use an index: ['in']"]],
    ['!-x', ["1:2 syntax unexpected '-', expected a value: put the inner '!' or '-' in parentheses"]],
    ['a\n  = b', ["2:3 syntax '=' is no operator | did you mean ==?"]],
    ['a; b', ["1:2 syntax unexpected ';' | a rule is one expression; join conditions with &&"]],
    ['f(a,)', ["1:5 syntax unexpected ')', expected another argument"]],
    ['“a”', ['1:1 syntax typographic quotation mark | use \' or "']],
    ['a \u0001', ['1:3 syntax unexpected character U+0001']],
  ])('%s', (source, expected) => {
    expect(complaints(source)).toEqual(expected);
  });

  it('are reported several at a time: parsing goes on behind the next comma or bracket', () => {
    expect(complaints('f(a b, c d, [1 2], {x: }) && g(=)')).toEqual([
      "1:5 syntax unexpected 'b', expected ',' or ')' | is a comma or an operator missing?",
      "1:10 syntax unexpected 'd', expected ',' or ')' | is a comma or an operator missing?",
      "1:16 syntax unexpected '2', expected ',' or ']' | is a comma or an operator missing?",
      "1:24 syntax unexpected '}', expected a value",
      "1:32 syntax '=' is no operator | did you mean ==?",
    ]);
  });

  it('give no tree', () => {
    expect(parse('a b', EVERYTHING).ast).toBeUndefined();
  });

  it('stop after 30 recoveries', () => {
    expect(complaints(`[${'a b,'.repeat(200)}]`).length).toBeLessThanOrEqual(31);
  });
});

describe('limits', () => {
  it.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['lists', (n: number) => '['.repeat(n) + ']'.repeat(n)],
    ['conditions', (n: number) => `${'a ? b : '.repeat(n)}c`],
    ['sums', (n: number) => `a${' + a'.repeat(n)}`],
    ['fields', (n: number) => `a${'.a'.repeat(n)}`],
  ])('nested %s: 240 pass, 260 do not', (_name, make) => {
    expect(complaints(make(240))).toEqual([]);
    expect(complaints(make(260))).toEqual([expect.stringContaining('nested deeper than 250 levels')]);
    expect(complaints(make(10_000))).toEqual([expect.stringContaining('nested deeper than 250 levels')]);
  });

  it('bounds the height of the tree where brackets restart the chains', () => {
    const source = `${'('.repeat(20)}a${`${'.a'.repeat(100)})`.repeat(20)}`;
    expect(complaints(source)).toEqual([expect.stringContaining('limit_exceeded expression nested deeper than 500')]);
  });

  it('bounds length, nodes and nested comprehensions', () => {
    expect(complaints('"'.padEnd(100_001, 'é').concat('"'))).toEqual([expect.stringContaining('longer than 100000')]);
    const few = { ...EVERYTHING, limits: { ...EVERYTHING.limits, nodes: 10 } };
    expect(complaints('[1, 2, 3, 4, 5, 6, 7, 8, 9]', few)).toEqual([]);
    expect(complaints('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]', few)).toEqual([expect.stringContaining('more than 10 nodes')]);
    const nested = (n: number): string => `${'l.all(x, '.repeat(n)}true${')'.repeat(n)}`;
    expect(complaints(nested(8))).toEqual([]);
    expect(complaints(nested(9))).toEqual([expect.stringContaining('comprehensions nested deeper than 8')]);
  });

  it('takes a chain of comprehensions for no nesting', () => {
    expect(complaints(`l${'.filter(x, x > 1)'.repeat(20)}`)).toEqual([]);
  });
});

describe('any text', () => {
  const fragments = fc.constantFrom(
    ...[
      'a',
      'obj',
      '.',
      '.?',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '?',
      '&&',
      '||',
      '!',
      '-',
      '+',
      '==',
      'in',
      ' ',
      '\n',
    ],
    ...[
      '1',
      '1.5',
      '0x',
      '9u',
      '"s"',
      "'",
      '"""',
      'r"',
      'b"',
      '`f`',
      '`',
      '//',
      'has(',
      '.map(x,',
      '.all(',
      'null',
      'é',
      '\ud800',
    ],
  );
  it('is parsed or refused with issues inside it, and never throws', () => {
    void fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fragments, { maxLength: 30 }).map((all) => all.join('')),
        ),
        (source) => {
          const { ast, issues } = parse(source, EVERYTHING);
          expect(ast === undefined).toBe(issues.length > 0);
          for (const { start, end } of issues) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(source.length);
          }
          if (ast) expect(descendants(ast.root).length).toBe(ast.nodes);
        },
      ),
      { numRuns: 3_000, seed: 20_261 },
    );
  });
});
