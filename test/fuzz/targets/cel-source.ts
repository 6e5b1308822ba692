import { createEnvironment } from '../../../src/cel/index.ts';
import { formatError, lint } from '../../../src/cel/tools.ts';
import { ExpressionWriter } from '../../oracle/expressions.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const PIECES = [
  'obj',
  '.',
  '.?',
  '[',
  ']',
  '[?',
  '(',
  ')',
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
  '*',
  '/',
  '%',
  '==',
  '<',
  'in',
  'has(',
  'x',
  '.all(x, ',
  '.map(x, y, ',
  '.exists(i, v, ',
  'cel.bind(a, ',
  '"',
  "'",
  '"""',
  'r"',
  'b"',
  '\\',
  '\\u12',
  '\\x',
  '\n',
  '//',
  '1',
  '0x',
  '1e',
  '9223372036854775808',
  '1u',
  '.5',
  '1.',
  'true',
  'null',
  '`',
  '`a-b`',
  '$',
  '#',
  '\u0000',
  '\ud800',
  'é',
  '😀',
  'T{',
  'size(',
  '.matches("(a+)+$")',
  '.format([',
  'optional.of(',
  'math.greatest(',
  'authorizer.',
  'package',
  ' ',
] as const;

const ENVIRONMENTS = (['convoy', '1.36', 'spec'] as const).map((version) =>
  createEnvironment({ version, variables: { obj: 'dyn' } }),
);

function mutated(source: string, random: Random): string {
  let text = source;
  for (let change = random.below(4); change >= 0; change -= 1) {
    const at = random.below(text.length + 1);
    const length = random.below(4);
    text = text.slice(0, at) + random.pick(PIECES) + text.slice(at + length);
  }
  return text;
}

function soup(random: Random): string {
  let text = '';
  for (let count = random.below(40); count >= 0; count -= 1) text += random.pick(PIECES);
  return text;
}

/** One of few places where a limit is met on purpose: brackets and operators nested far beyond the limit. */
function nested(random: Random): string {
  const depth = 200 + random.below(3_000);
  const [open, close] = random.pick([
    ['(', ')'],
    ['[', ']'],
    ['!', ''],
    ['-', ''],
    ['{1:', '}'],
    ['1+', ''],
    ['a.', ''],
    ['true?1:', ''],
    ['x==', ''],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

function source(random: Random): string {
  const kind = random.below(10);
  if (kind === 0) return nested(random);
  if (kind < 4) return soup(random);
  return mutated(new ExpressionWriter(random.below(2 ** 31)).write(), random);
}

export const celSource: FuzzTarget = {
  name: 'cel-source',
  law: 'any text compiles or is refused with issues that stand inside it',
  try(random, describe) {
    const text = source(random);
    describe(text);
    const environment = random.pick(ENVIRONMENTS);
    const result = environment.compile(text, { check: random.chance(0.8) });
    if (!result.ok && result.issues.length === 0) throw new Error('refused without an issue');
    for (const issue of result.issues) {
      const inside =
        issue.start >= 0 &&
        issue.end >= issue.start &&
        issue.end <= text.length &&
        issue.line >= 1 &&
        issue.column >= 1;
      if (!inside) throw new Error(`issue outside the source: ${JSON.stringify(issue)}`);
      if (formatError(issue, text).split('\n').length > 5) throw new Error('an issue of more than a few lines');
    }
    lint(environment, text);
  },
};
