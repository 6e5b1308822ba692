import type { CheckedAst, Declarations } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import type { Ast, Expr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { constantCondition } from './constant-conditions.ts';
import { loopCost } from './loop-cost.ts';
import { needlessRegex } from './needless-regex.ts';
import { newerFunction } from './newer-functions.ts';
import { unchargedCall } from './uncharged-calls.ts';
import { unguardedFields } from './unguarded-fields.ts';

export interface LintAstOptions {
  /**
   * Paths that need no guard, as text: `object.spec.replicas`, with all their prefixes; `*` stands for any name
   * (`variables.*`), a final `**` for everything below (`variables.**`). Always there anyway: a variable itself and `apiVersion`, `kind`, `metadata`, `metadata.name` below it.
   */
  readonly alwaysPresent?: readonly string[];
  /** Cost units an evaluation may take; no estimate is compared without it. */
  readonly costLimit?: number;
  /** The most an evaluation can cost, where schemas bound the sizes of all data; Infinity where they do not. */
  readonly greatestCost?: number;
  /** Minor version of Kubernetes 1 that has to take the expression too. */
  readonly kubernetesMinor?: number;
}

/** Warnings about an expression that compiles, in the order of the source; each with a hint, most with an edit. */
export function lintAst(
  ast: Ast,
  checked: CheckedAst,
  declarations: Declarations,
  options: LintAstOptions = {},
): Issue[] {
  const issues = [
    ...unguardedFields(ast, checked, declarations, options.alwaysPresent ?? []),
    ...loopCost(ast, checked, {
      limit: options.costLimit ?? Number.POSITIVE_INFINITY,
      greatest: options.greatestCost ?? Number.POSITIVE_INFINITY,
    }),
  ];
  const { kubernetesMinor } = options;
  const visit = (expr: Expr): void => {
    issues.push(...constantCondition(ast, checked, expr));
    const regex = expr.kind === 'call' ? needlessRegex(ast, expr) : undefined;
    if (regex) issues.push(regex);
    const uncharged = unchargedCall(ast, checked, expr);
    if (uncharged) issues.push(uncharged);
    const newer = kubernetesMinor === undefined ? undefined : newerFunction(ast, checked, expr, kubernetesMinor);
    if (newer) issues.push(newer);
    for (const child of childrenOf(expr)) visit(child);
  };
  visit(ast.root);
  return withoutRepeats(issues).sort((a, b) => a.start - b.start);
}

/** A chain `a && b && c` is several nodes, each of which may tell the same. */
function withoutRepeats(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>();
  return issues.filter(({ code, start, end }) => {
    const key = `${code} ${start} ${end}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
