import type { Expr } from './ast.ts';
import { childrenOf } from './children.ts';

/**
 * The first node found deeper than `limit` levels under the root. The parser's own depth limit does not bound the tree: in
 * `((a.b.c + d + e).f.g + h)…` each chain hangs below the next, though the brackets are few. Every later stage walks
 * the tree by recursion, so its height has to be bounded here, by a walk that does not recurse.
 */
export function firstDeeperThan(limit: number, root: Expr): Expr | undefined {
  let level: readonly Expr[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return level[0];
    level = level.flatMap(childrenOf);
  }
  return undefined;
}
