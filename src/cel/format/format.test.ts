import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/fuzz/random.ts';
import { ExpressionWriter } from '../../../test/oracle/expressions.ts';
import { Lexer } from '../syntax/lexer.ts';
import { parsed } from '../syntax/syntax.fixture.ts';
import { structure } from './format.fixture.ts';
import { format, unparse } from './format.ts';

function formatted(source: string, width?: number): string {
  const result = format(source, width === undefined ? {} : { width });
  if (typeof result !== 'string') throw new Error(`${source}: ${result[0]?.message}`);
  return result;
}

/** Expressions by hand that the generator does not write. */
const BY_HAND = [
  '-(1)',
  '-(1.5)',
  '-(-1)',
  '- 5',
  '-x',
  '!(!x)',
  '-(-x)',
  '!-1.abs()',
  '(-1).abs()',
  '-(1.abs())',
  '-(1[0])',
  '-1u',
  '-(x + 1)',
  '!(a && b)',
  'a - (b - c)',
  '(a - b) - c',
  'a * (b + c) % d',
  '(a < b) == c',
  'a < (b == c)',
  '(a ? b : c) ? d : e',
  'a ? (b ? c : d) : (e ? f : g)',
  '(a || b) && (c || d && e)',
  'a.b[c].?d[?e].`f-g`.for',
  '.a.b(.c)',
  'has(a.b.?c.d)',
  'has(a.b).c',
  '[1, ?a, [], {}, {"a": 1, ?"b": c}]',
  'a.b.C{x: 1, ?y: z, `q r`: 2}',
  'list.map(x, x > 1, x * 2).filter(y, y in [1, 2])',
  'm.transformMap(k, v, v > 1, v).all(k, v, k != "" && v != 0)',
  'm.transformMapEntry(k, v, {v: k})',
  'cel.bind(x, a.b, x + x)',
  'a.?b.optMap(x, x.c).optFlatMap(y, y.?d).orValue(0)',
  'cel.block([a.b, cel.index(0).c], cel.index(1) && [1].all(cel.iterVar(0, 1), cel.iterVar(0, 1) > 0))',
  'math.least(a, b, c) + math.greatest([a, b]) + math.least([1][0], 2, 3)',
  'list.sortBy(x, -x)',
  '0xFF + 0x1Au + 1e9 + .5 + 1.50',
  '-9223372036854775808',
  '-0.0',
  '"it\'s" + \'say "x"\' + "\\"\'" + r"\\d+" + "a\\nb\\t\\u00a0\\\\"',
  '"\\\\\\\\" + "\\x07"',
  "'''two\nlines \"\"\" ''' + '''two\nlines'''",
  "b'abc\\xff' + b'w\u00f6' + b'\\t\"' + br'\\d'",
];

function samples(count: number): readonly string[] {
  const writer = new ExpressionWriter(20_240_901);
  return [...BY_HAND, ...Array.from({ length: count }, () => writer.write(5))];
}

/** The source with comments and odd blanks between random tokens. */
function littered(source: string, random: Random): { text: string; comments: readonly string[] } {
  const lexer = new Lexer(source);
  const comments: string[] = [];
  let text = '';
  let before = 0;
  for (lexer.next(); ; lexer.next()) {
    text += source.slice(before, lexer.start).replaceAll(/\s+/g, ' ');
    for (let more = random.below(12); more === 0 || more === 1; more = random.below(4)) {
      const comment = `// ${comments.length}${random.pick(['', ' "quoted', ' and more (', ' // again'])}`;
      comments.push(comment);
      text += `${random.pick(['', ' ', '\n', '\n  '])}${comment}${random.pick(['\n', ' \n', '\r\n', '\n\n'])}`;
    }
    text += random.pick(['', '', ' ', '\n']) + source.slice(lexer.start, lexer.end);
    before = lexer.end;
    if (lexer.kind === 'end') return { text, comments };
    if (/\w$/.test(text)) text += ' ';
  }
}

describe('unparse', () => {
  it('gives a source whose tree is equal', () => {
    for (const source of samples(1_500)) {
      const ast = parsed(source);
      const text = unparse(ast);
      expect(structure(parsed(text).root), `${source}\n${text}`).toBe(structure(ast.root));
      expect(unparse(parsed(text)), source).toBe(text);
    }
  });

  it.each([
    ['((a))&&(b   &&c)', 'a && b && c'],
    ['(a && b) || c', 'a && b || c'],
    ['a && (b || c)', 'a && (b || c)'],
    ['(a + b) * c - (d - e)', '(a + b) * c - (d - e)'],
    ['(a.b)[0].c( 1,2 )', 'a.b[0].c(1, 2)'],
    ['[1,2,]', '[1, 2]'],
    ["'abc'", '"abc"'],
    ['\'say "x"\'', '\'say "x"\''],
    ["'it\\'s'", '"it\'s"'],
    ['"a\\\\d"', 'r"a\\d"'],
    ['"""a\nb"""', '"a\\nb"'],
    ['a ? b : (c ? d : e)', 'a ? b : c ? d : e'],
    ['list.map( x , x>1,x )', 'list.map(x, x > 1, x)'],
    ['// why\na', 'a'],
  ])('%s becomes %s', (source, expected) => {
    expect(unparse(parsed(source))).toBe(expected);
  });

  it('takes chains of thousands of operands', () => {
    const source = Array.from({ length: 5_000 }, (_, index) => `x${index}`).join(' || ');
    expect(unparse(parsed(source))).toBe(source);
  });
});

describe('format', () => {
  it('changes nothing of what it formatted, keeps the tree, and loses no comment, at any width', () => {
    const random = new Random(4);
    for (const source of samples(700)) {
      const { text, comments } = littered(source, random);
      const ast = parsed(text);
      for (const width of [20, 80]) {
        const once = formatted(text, width);
        const again = parsed(once);
        expect(structure(again.root), `${text}\n---\n${once}`).toBe(structure(ast.root));
        const kept = again.comments.map(({ start, end }) => once.slice(start, end));
        expect(kept, `${text}\n---\n${once}`).toEqual(comments);
        expect(formatted(once, width), text).toBe(once);
      }
    }
  });

  it('formats what can be read of damaged sources, and says of the others why not', () => {
    const random = new Random(8);
    let read = 0;
    for (const source of samples(1_500)) {
      const at = random.below(source.length);
      const piece = random.pick(['', '.', '(', ')', '"', ' ', '//\n', '?', '-', '!', '1', 'x']);
      const text = source.slice(0, at) + piece + source.slice(at + random.below(2));
      const once = format(text);
      if (typeof once !== 'string') expect(once.length).toBeGreaterThan(0);
      else {
        read += 1;
        expect(formatted(once), text).toBe(once);
      }
    }
    expect(read).toBeGreaterThan(200);
  });

  it('breaks before the operators of a chain that is too long', () => {
    expect(
      formatted('has(obj.status) && obj.status.ready >= obj.spec.replicas && obj.status.phase == "Bound"', 40),
    ).toBe(
      ['has(obj.status)', '  && obj.status.ready >= obj.spec.replicas', '  && obj.status.phase == "Bound"'].join('\n'),
    );
  });

  it('breaks a condition at ? and :, and a chain of cases as one', () => {
    expect(formatted('obj.phase == "a" ? "first" : obj.phase == "b" ? "second" : "neither of the two"', 40)).toBe(
      ['obj.phase == "a"', '  ? "first"', '  : obj.phase == "b"', '  ? "second"', '  : "neither of the two"'].join(
        '\n',
      ),
    );
  });

  it('keeps the variable of a macro beside its parenthesis', () => {
    expect(formatted('obj.conditions.exists(c, c.type == "Ready" && c.status == "True")', 50)).toBe(
      ['obj.conditions.exists(c,', '  c.type == "Ready" && c.status == "True"', ')'].join('\n'),
    );
  });

  it('puts the elements of a long list on lines of their own', () => {
    expect(formatted('obj.phase in ["Pending", "Running", "Succeeded"]', 30)).toBe(
      ['obj.phase in [', '  "Pending",', '  "Running",', '  "Succeeded"', ']'].join('\n'),
    );
  });

  it('leaves a comment at the end of its line, or on a line of its own before what it speaks of', () => {
    expect(formatted('a == 1 // one\n&& // two\n  b == 2\n  // three\n  && c == 3 // four')).toBe(
      ['a == 1 // one', '  // two', '  && b == 2', '  // three', '  && c == 3 // four'].join('\n'),
    );
  });

  it('leaves text over several lines as it is', () => {
    expect(formatted("'''first\nsecond'''")).toBe('"""first\nsecond"""');
    expect(formatted('"first\\nsecond"')).toBe('"first\\nsecond"');
  });

  it('shows what nobody sees as an escape', () => {
    expect(formatted('"a\u202eb\u00a0c"')).toBe('"a\\u202eb\\u00a0c"');
  });

  it('gives the issues of what cannot be read', () => {
    expect(format('a &&')).toMatchObject([{ code: 'syntax', line: 1 }]);
  });

  it('formats macros of any environment, well-formed or not', () => {
    expect(formatted('has( a )&&x.all( 1,2 )')).toBe('has(a) && x.all(1, 2)');
  });
});
