import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Expr } from './ast.ts';
import { childrenOf } from './children.ts';

/**
 * The issue of a comprehension that stands in the bodies of `limit` others. A range is not inside: a chain
 * `a.filter(…).map(…)` runs its loops one after the other. `folds` is their number, which spares most sources the walk.
 */
export function nestingIssue(source: string, root: Expr, folds: number, limit: number): Issue | undefined {
  if (folds <= limit) return undefined;
  const deep = firstTooDeep(root, 0, limit);
  if (!deep) return undefined;
  const message = `comprehensions nested deeper than ${limit} levels`;
  return issueAt(source, 'error', 'limit_exceeded', message, deep.start, deep.end);
}

function firstTooDeep(expr: Expr, depth: number, limit: number): Expr | undefined {
  const isFold = expr.kind === 'fold';
  if (isFold && depth >= limit) return expr;
  for (const child of childrenOf(expr)) {
    const inside = isFold && child !== expr.range ? depth + 1 : depth;
    const found = firstTooDeep(child, inside, limit);
    if (found) return found;
  }
  return undefined;
}
