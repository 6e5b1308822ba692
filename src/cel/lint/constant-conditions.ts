import type { CheckedAst } from '../declarations.ts';
import type { Issue, TextEdit } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, CallExpr, Expr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { chainOf } from './paths.ts';

/** Warns of conditions that give the same answer whatever the data: constants, a side compared with itself, sizes below 0. */
export function constantCondition(ast: Ast, checked: CheckedAst, expr: Expr): Issue[] {
  const issues: Issue[] = [];
  for (const condition of conditionsOf(expr)) {
    if (isCondition(condition)) continue;
    if (readsNothing(condition)) {
      const message = 'this condition is always the same';
      const hint = 'remove it, or compare with a field';
      issues.push(warning(ast, 'constant_condition', message, condition, hint, withoutConstant(ast, expr, condition)));
    }
  }
  if (expr.kind !== 'call' || expr.target) return issues;
  const own =
    selfComparison(ast, expr) ??
    sizeComparison(ast, expr) ??
    typeComparison(ast, checked, expr) ??
    contradiction(ast, checked, expr);
  return own ? [...issues, own] : issues;
}

function warning(
  ast: Ast,
  code: Issue['code'],
  message: string,
  at: Expr,
  hint: string,
  edit?: TextEdit | undefined,
): Issue {
  return issueAt(ast.source, 'warning', code, message, at.start, at.end, { hint, edit });
}

/** `true && x` and `false || x` without the constant, `true ? a : b` as its branch; nothing where parentheses part them. */
function withoutConstant(ast: Ast, expr: Expr, constant: Expr): TextEdit | undefined {
  if (expr.kind !== 'call' || constant.kind !== 'literal') return undefined;
  const [a, b, c] = expr.args;
  if (!a || !b) return undefined;
  if (c) {
    const branch = constant.value === true ? b : c;
    return { start: expr.start, end: expr.end, text: ast.source.slice(branch.start, branch.end) };
  }
  const neutral = constant.value === (expr.fn === '_&&_');
  if (!neutral || !/^\s*(?:&&|\|\|)\s*$/.test(ast.source.slice(a.end, b.start))) return undefined;
  return constant === a ? { start: a.start, end: b.start, text: '' } : { start: a.end, end: b.end, text: '' };
}

function conditionsOf(expr: Expr): readonly Expr[] {
  if (expr.kind === 'fold') {
    const body = ['all', 'exists', 'exists_one', 'filter'].includes(expr.operation) ? [expr.body] : [];
    return expr.filter ? [expr.filter, ...body] : body;
  }
  if (expr.kind !== 'call' || expr.target) return [];
  if (expr.fn === '_&&_' || expr.fn === '_||_') return expr.args;
  return expr.fn === '_?_:_' ? expr.args.slice(0, 1) : [];
}

/** Its own operands are looked at instead. */
function isCondition(expr: Expr): boolean {
  return expr.kind === 'call' && (expr.fn === '_&&_' || expr.fn === '_||_' || expr.fn === '_?_:_');
}

function readsNothing(expr: Expr): boolean {
  return expr.kind !== 'ident' && childrenOf(expr).every(readsNothing);
}

const COMPARISONS: ReadonlyMap<string, boolean> = new Map([
  ['_==_', true],
  ['_<=_', true],
  ['_>=_', true],
  ['_!=_', false],
  ['_<_', false],
  ['_>_', false],
]);

function selfComparison(ast: Ast, expr: CallExpr): Issue | undefined {
  const always = COMPARISONS.get(expr.fn);
  const [a, b] = expr.args;
  if (always === undefined || !a || !b || a.kind === 'literal') return undefined;
  if (ast.source.slice(a.start, a.end) !== ast.source.slice(b.start, b.end)) return undefined;
  return warning(
    ast,
    always ? 'constant_condition' : 'always_false_comparison',
    `both sides are the same, so this is always ${always}`,
    expr,
    'compare with another field, or remove it',
  );
}

function sizeComparison(ast: Ast, expr: CallExpr): Issue | undefined {
  const [a, b] = expr.args;
  if (a?.kind !== 'call' || a.fn !== 'size' || b?.kind !== 'literal' || typeof b.value !== 'number') return undefined;
  if ((expr.fn === '_>=_' && b.value <= 0) || (expr.fn === '_>_' && b.value < 0)) {
    return warning(
      ast,
      'constant_condition',
      'a size is never negative, so this is always true',
      expr,
      'for "not empty" write size(…) > 0',
      { start: a.end, end: expr.end, text: ' > 0' },
    );
  }
  if (expr.fn === '_<_' && b.value <= 0) {
    return warning(
      ast,
      'always_false_comparison',
      'a size is never negative, so this is always false',
      expr,
      'for "empty" write size(…) == 0',
      { start: a.end, end: expr.end, text: ' == 0' },
    );
  }
  return undefined;
}

/** `type(x) == T` where the type of x is known and another. */
function typeComparison(ast: Ast, checked: CheckedAst, expr: CallExpr): Issue | undefined {
  if (expr.fn !== '_==_') return undefined;
  const [a, b] = expr.args;
  if (a?.kind !== 'call' || a.fn !== 'type' || !a.args[0] || !b) return undefined;
  if (isGuessed(checked, a.args[0])) return undefined;
  const type = checked.types.get(a.args[0].id);
  const reference = checked.references.get(b.id);
  if (!type || ['dyn', 'error', 'object', 'parameter'].includes(type.kind) || reference?.kind !== 'type')
    return undefined;
  if (type.name === reference.type.name) return undefined;
  const hint = `compare with ${type.name}, or remove it`;
  return warning(ast, 'always_false_comparison', `the type is ${type}, so this is always false`, expr, hint);
}

/** Of `obj[?k].orValue(0)` all that is known is its default: a type that stands for any other, beside an operand that may be anything. */
function isGuessed(checked: CheckedAst, expr: Expr): boolean {
  const reference = checked.references.get(expr.id);
  if (expr.kind !== 'call' || reference?.kind !== 'function') return false;
  const operands = expr.target ? [expr.target, ...expr.args] : expr.args;
  return (
    reference.overloads.some(({ result }) => result.kind === 'parameter') &&
    operands.some(({ id }) => checked.types.get(id)?.kind === 'dyn')
  );
}

/** `p == 'a' && p == 'b'`: never both. */
function contradiction(ast: Ast, checked: CheckedAst, expr: CallExpr): Issue | undefined {
  if (expr.fn !== '_&&_') return undefined;
  const seen = new Map<string, Expr>();
  for (const operand of conjuncts(expr)) {
    if (operand.kind !== 'call' || operand.fn !== '_==_') continue;
    const [path, value] = operand.args;
    if (!path || value?.kind !== 'literal' || (path.kind !== 'ident' && !chainOf(path, checked))) continue;
    const key = ast.source.slice(path.start, path.end);
    const before = seen.get(key);
    if (before?.kind === 'literal' && before.value !== value.value && typeof before.value === typeof value.value) {
      const message = `${key} cannot equal two values, so this is always false`;
      return warning(ast, 'always_false_comparison', message, operand, 'did you mean || or in?');
    }
    seen.set(key, value);
  }
  return undefined;
}

function conjuncts(expr: Expr): readonly Expr[] {
  return expr.kind === 'call' && expr.fn === '_&&_' ? expr.args.flatMap(conjuncts) : [expr];
}
