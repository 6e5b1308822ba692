import type { CheckedAst } from '../declarations.ts';
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

export interface LoopCostOptions {
  /** Cost units an evaluation may take. */
  readonly limit: number;
  /** The most it can take by the bounds of all sizes; Infinity where something has no bound. */
  readonly greatest: number;
}

/**
 * Warns of an expression that can cost more than the limit. Where schemas bound all sizes, that is known: no loop is too
 * deep while it fits. Else of a loop over an unbounded list inside another one, unless its list belongs to the outer loop's
 * element, and of a rough estimate above the limit: 1,000 elements a list, one unit a node, loops as they are charged.
 */
export function loopCost(ast: Ast, checked: CheckedAst, { limit, greatest }: LoopCostOptions): Issue[] {
  const { source, root } = ast;
  if (greatest < Number.POSITIVE_INFINITY) {
    if (greatest <= limit) return [];
    const message = `up to ${shown(greatest)} cost units by the sizes its schema allows, the limit is ${shown(limit)}`;
    const hint = 'lower maxItems and maxLength in the schema, or filter before the loop';
    return [issueAt(source, 'warning', 'cost_estimate', message, root.start, root.end, { hint })];
  }
  const estimator = new Estimator(checked);
  const cost = estimator.cost(root, undefined);
  const { nested } = estimator;
  const estimateText = `about ${shown(Math.round(cost))} cost units for lists of 1,000 elements`;
  if (nested) {
    const { inner, outer } = nested;
    const message = `a loop in a loop over ${source.slice(outer.range.start, outer.range.end)}: ${estimateText}`;
    const hint = 'filter the inner list once outside with cel.bind, or bound the lists';
    return [issueAt(source, 'warning', 'cost_estimate', message, inner.start, inner.end, { hint })];
  }
  if (cost <= limit) return [];
  const message = `${estimateText}, the limit is ${shown(limit)}`;
  const hint = 'filter before the loop, or bound the lists in a schema';
  return [issueAt(source, 'warning', 'cost_estimate', message, root.start, root.end, { hint })];
}

function shown(cost: number): string {
  return cost.toLocaleString('en-US');
}

class Estimator {
  /** The first loop over an unbounded list inside another one. */
  nested: { readonly outer: FoldExpr; readonly inner: FoldExpr } | undefined;
  /** Lengths of the lists that `cel.bind` gave names. */
  private readonly lengths = new Map<string, number>();
  private readonly checked: CheckedAst;

  constructor(checked: CheckedAst) {
    this.checked = checked;
  }
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
    const bound = range.kind === 'ident' ? this.lengths.get(range.name) : undefined;
    return bound ?? this.checked.types.get(range.id)?.maxSize ?? UNBOUNDED;
  }

  private readsElement(expr: Expr, loop: FoldExpr): boolean {
    if (expr.kind === 'ident') return expr.name === loop.variable || this.ofElements.has(expr.name);
    return childrenOf(expr).some((child) => this.readsElement(child, loop));
  }
}
