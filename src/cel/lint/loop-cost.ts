import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, Expr, FoldExpr, FoldOperation } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';

/** Elements assumed of a list whose length nothing bounds. */
const UNBOUNDED = 1_000;

/** Elements assumed of a list that belongs to the element of an outer loop (`p.conditions`): the data bound their sum. */
const OF_AN_ELEMENT = 10;

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

/**
 * Warns of a loop over an unbounded list inside another one, unless its list belongs to the outer loop's element; and of
 * an estimate above the limit, with 1,000 elements a list. The estimate is rough: one unit a node, loops as the reference
 * charges them.
 */
export function loopCost(ast: Ast, limit: number): Issue[] {
  const estimator = new Estimator();
  const cost = estimator.cost(ast.root, undefined);
  const { nested } = estimator;
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

class Estimator {
  /** The first loop over an unbounded list inside another one. */
  nested: { readonly outer: FoldExpr; readonly inner: FoldExpr } | undefined;
  /** Lengths of the lists that `cel.bind` gave names. */
  private readonly lengths = new Map<string, number>();
  /** Names that `cel.bind` gave to what was made of a loop's element. */
  private readonly ofElements = new Set<string>();

  /** Cost units; `loop` is the loop over an unbounded list that the expression stands in. */
  cost(expr: Expr, loop: FoldExpr | undefined): number {
    if (expr.kind === 'literal') return 0;
    if (expr.kind === 'fold') return this.foldCost(expr, loop);
    if (expr.kind === 'bind') {
      this.lengths.set(expr.variable, this.lengthOf(expr.init));
      if (loop && this.readsElement(expr.init, loop)) this.ofElements.add(expr.variable);
    }
    let cost = 1;
    for (const child of childrenOf(expr)) cost += this.cost(child, loop);
    return cost;
  }

  private foldCost(expr: FoldExpr, loop: FoldExpr | undefined): number {
    const range = this.cost(expr.range, loop);
    const count = loop && this.readsElement(expr.range, loop) ? OF_AN_ELEMENT : this.lengthOf(expr.range);
    const unbounded = count === UNBOUNDED;
    if (unbounded && loop) this.nested ??= { outer: loop, inner: expr };
    const inside = unbounded ? expr : loop;
    const filter = expr.filter ? this.cost(expr.filter, inside) : 0;
    const body = this.cost(expr.body, inside);
    return range + 1 + count * (PER_ITERATION[expr.operation] + filter + body);
  }

  private lengthOf(range: Expr): number {
    if (range.kind === 'list') return range.elements.length;
    if (range.kind === 'map') return range.entries.length;
    if (range.kind === 'fold') return this.lengthOf(range.range);
    return (range.kind === 'ident' ? this.lengths.get(range.name) : undefined) ?? UNBOUNDED;
  }

  private readsElement(expr: Expr, loop: FoldExpr): boolean {
    if (expr.kind === 'ident') return expr.name === loop.variable || this.ofElements.has(expr.name);
    return childrenOf(expr).some((child) => this.readsElement(child, loop));
  }
}
