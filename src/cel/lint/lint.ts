import type { CheckedAst, Declarations } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import type { Ast } from '../syntax/ast.ts';

export interface LintAstOptions {
  readonly costLimit?: number;
  readonly alwaysPresent?: readonly string[];
}

/** Warnings for what compiles but would fail in the field. */
export function lintAst(_ast: Ast, _checked: CheckedAst, _declarations: Declarations, _options: LintAstOptions = {}): Issue[] {
  return [];
}
