import type { CheckedAst } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, Expr } from '../syntax/ast.ts';
import { functionNameSpan } from '../syntax/function-name-span.ts';

const HINT = 'give the elements a type first, by a schema or by .map(x, string(x))';

/**
 * Warns of a call that costs one unit however long its list is, because the type of the elements is unknown: rules of cost
 * by overload apply only where the checker left one overload. Such a call is bounded by the limit of work alone.
 */
export function unchargedCall(ast: Ast, checked: CheckedAst, expr: Expr): Issue | undefined {
  if (expr.kind === 'fold') {
    const key = checked.types.get(expr.body.id);
    if (expr.operation !== 'sortBy' || key?.kind === 'primitive') return undefined;
    const message = 'sortBy() by a key of unknown type costs one unit, however long the list is';
    const hint = 'give the key a type: string(…) or int(…)';
    const edit = { start: expr.body.start, end: expr.body.end, text: `string(${textOf(ast, expr.body)})` };
    return issueAt(ast.source, 'warning', 'uncharged_call', message, expr.body.start, expr.body.end, { hint, edit });
  }
  const reference = expr.kind === 'call' ? checked.references.get(expr.id) : undefined;
  if (expr.kind !== 'call' || reference?.kind !== 'function') return undefined;
  const { fn, overloads } = reference;
  if (!/^[A-Za-z]/.test(fn.name) || fn.cost || overloads.length < 2) return undefined;
  const charged = overloads.some(({ cost, params }) => cost !== undefined && params[0]?.kind === 'list');
  if (!charged) return undefined;
  const { start, end } = functionNameSpan(ast.source, expr);
  const message = `${fn.name}() of elements of unknown type costs one unit, however long the list is`;
  return issueAt(ast.source, 'warning', 'uncharged_call', message, start, end, { hint: HINT });
}

function textOf(ast: Ast, expr: Expr): string {
  return ast.source.slice(expr.start, expr.end);
}
