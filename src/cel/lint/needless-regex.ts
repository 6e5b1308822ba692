import type { Issue } from '../issue.ts';
import { recognise } from '../regex/literal-pattern.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, CallExpr, Expr } from '../syntax/ast.ts';

/** Warns of a constant pattern that a string function states plainly; the edit writes it so. */
export function needlessRegex(ast: Ast, expr: CallExpr): Issue | undefined {
  if (expr.fn !== 'matches') return undefined;
  const [text, pattern] = expr.target ? [expr.target, expr.args[0]] : expr.args;
  if (!text || pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return undefined;
  const plain = plainForm(ast.source, expr, text, pattern.value);
  if (plain === undefined) return undefined;
  return issueAt(
    ast.source,
    'warning',
    'needless_regex',
    'this pattern needs no regular expression',
    pattern.start,
    pattern.end,
    {
      hint: `write ${plain}`,
      edit: { start: expr.start, end: expr.end, text: plain },
    },
  );
}

function plainForm(source: string, expr: CallExpr, text: Expr, pattern: string): string | undefined {
  const literal = recognise(pattern);
  if (!literal) return undefined;
  // A receiver keeps its parentheses: the call starts where they do.
  const written = expr.target
    ? source.slice(expr.start, lastDot(source, expr))
    : ['ident', 'select', 'literal'].includes(text.kind)
      ? source.slice(text.start, text.end)
      : `(${source.slice(text.start, text.end)})`;
  switch (literal.kind) {
    case 'contains':
      return `${written}.contains(${quoted(literal.text)})`;
    case 'prefix':
      return `${written}.startsWith(${quoted(literal.text)})`;
    case 'suffix':
      return `${written}.endsWith(${quoted(literal.text)})`;
    case 'whole':
      if (literal.texts.length > 1) return `(${written} in [${literal.texts.map(quoted).join(', ')}])`;
      return `(${written} == ${quoted(literal.texts[0] ?? '')})`;
  }
}

/** Where the dot before `matches` stands. */
function lastDot(source: string, expr: CallExpr): number {
  const target = expr.target?.end ?? expr.start;
  const dot = source.indexOf('.', target);
  return dot < 0 ? target : dot;
}

/** JSON writes strings as CEL reads them. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
