import type { CheckedAst } from '../declarations.ts';
import type { Expr } from '../syntax/ast.ts';

/** What the names inside macros stand for: a path of the data, a root of their own, or nothing that is followed. */
export class Scope {
  static readonly empty = new Scope(undefined, '', undefined);
  private readonly outer: Scope | undefined;
  private readonly name: string;
  private readonly root: readonly string[] | undefined;

  private constructor(outer: Scope | undefined, name: string, root: readonly string[] | undefined) {
    this.outer = outer;
    this.name = name;
    this.root = root;
  }

  with(name: string, root: readonly string[] | undefined): Scope {
    return new Scope(this, name, root);
  }

  /** The path that a name stands for; undefined for expressions and for names whose fields are not followed. */
  rootOf(expr: Expr, checked: CheckedAst): readonly string[] | undefined {
    if (expr.kind === 'ident') {
      for (let at: Scope | undefined = this; at?.outer; at = at.outer) if (at.name === expr.name) return at.root;
    }
    const reference = checked.references.get(expr.id);
    return reference?.kind === 'variable' ? [reference.name] : undefined;
  }
}
