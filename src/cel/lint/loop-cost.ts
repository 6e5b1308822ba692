import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, Expr, FoldExpr, FoldOperation } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';

/** Elements assumed of a list whose length nothing bounds. */
const UNBOUNDED = 1_000;

/** Cost units a loop adds to each iteration beside its predicate or transform (the language reference, "Cost"). */
const PER_ITERATION: Readonly<Record<FoldOperation, number>> = {
  all: 3,
  exists: 4,
  exists_one: 1,
  map: 12,
  filter: 7,
  transformList: 12,
  transformMap: 3,
  transformMapEntry: 2,
  sortBy: 12,
};

interface Found {
  cost: number;
  /** The loop over an unbounded list inside another one. */
  nested: { readonly outer: FoldExpr; readonly inner: FoldExpr } | undefined;
}

/**
 * Warns of a loop over an unbounded list inside another, and of an estimate above the limit; both with lists of 1,000
 * elements. The estimate is rough: one unit a node, loops as the reference charges them.
 */
export function loopCost(ast: Ast, limit: number): Issue[] {
  const found: Found = { cost: 0, nested: undefined };
  found.cost = estimate(ast.root, undefined, found);
  const { nested, cost } = found;
  const shown = Math.round(cost).toLocaleString('en-US');
  const estimateText = `about ${shown} cost units for lists of 1,000 elements`;
  if (nested) {
    const { inner, outer } = nested;
    const message = `a loop in a loop over ${ast.source.slice(outer.range.start, outer.range.end)}: ${estimateText}`;
    const hint = 'filter the inner list once outside with cel.bind, or bound the lists';
    return [issueAt(ast.source, 'warning', 'cost_estimate', message, inner.start, inner.end, { hint })];
  }
  if (cost <= limit) return [];
  const message = `${estimateText}, the limit is ${limit.toLocaleString('en-US')}`;
  return [issueAt(ast.source, 'warning', 'cost_estimate', message, ast.root.start, ast.root.end)];
}

function estimate(expr: Expr, loop: FoldExpr | undefined, found: Found): number {
  if (expr.kind === 'literal') return 0;
  if (expr.kind === 'fold') return foldCost(expr, loop, found);
  let cost = 1;
  for (const child of childrenOf(expr)) cost += estimate(child, loop, found);
  return cost;
}

function foldCost(expr: FoldExpr, loop: FoldExpr | undefined, found: Found): number {
  const range = estimate(expr.range, loop, found);
  const count = lengthOf(expr.range);
  const unbounded = count === UNBOUNDED;
  if (unbounded && loop) found.nested ??= { outer: loop, inner: expr };
  const inside = unbounded ? expr : loop;
  const filter = expr.filter ? estimate(expr.filter, inside, found) : 0;
  const body = estimate(expr.body, inside, found);
  return range + 1 + count * (PER_ITERATION[expr.operation] + filter + body);
}

function lengthOf(range: Expr): number {
  if (range.kind === 'list') return range.elements.length;
  if (range.kind === 'map') return range.entries.length;
  if (range.kind === 'fold') return lengthOf(range.range);
  return UNBOUNDED;
}
