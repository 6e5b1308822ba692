import type { CheckedAst, Declarations, Reference } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, CallExpr, Expr, FoldExpr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { DYN } from '../value/cel-type.ts';
import { Names } from './names.ts';

/**
 * The references of an expression that is not type-checked: declared names, and for a call every overload of its style.
 * An undeclared name is kept as a variable, whose evaluation gives `unbound_variable`; an undeclared function has no
 * reference and fails when it is called, so that `unknown(1) || true` is true.
 */
export function resolveUnchecked(ast: Ast, declarations: Declarations): { checked: CheckedAst; issues: Issue[] } {
  const resolver = new Resolver(ast.source, declarations);
  resolver.visit(ast.root);
  const checked = { types: new Map(), references: resolver.references, resultType: DYN };
  return { checked, issues: resolver.issues };
}

class Resolver {
  readonly references = new Map<number, Reference>();
  readonly issues: Issue[] = [];
  private readonly source: string;
  private readonly names: Names;

  constructor(source: string, declarations: Declarations) {
    this.source = source;
    this.names = new Names(declarations);
  }

  visit(expr: Expr): void {
    switch (expr.kind) {
      case 'ident':
        this.identifier(expr.id, expr.name);
        return;
      case 'select':
        this.select(expr);
        return;
      case 'call':
        this.call(expr);
        return;
      case 'fold':
        this.fold(expr);
        return;
      case 'bind':
        this.visit(expr.init);
        this.inside([expr.variable], [expr.body]);
        return;
      case 'optionalMap':
        this.visit(expr.target);
        this.inside([expr.variable], [expr.body]);
        return;
      case 'block':
        this.inside(
          expr.slots.map((_, index) => `@index${index}`),
          childrenOf(expr),
        );
        return;
      case 'message':
        this.issues.push(messageIssue(this.source, expr.start, expr.end));
        return;
      default:
        for (const child of childrenOf(expr)) this.visit(child);
    }
  }

  private identifier(id: number, name: string): void {
    const meaning = this.names.identifier(name);
    if (!meaning) this.references.set(id, { kind: 'variable', name: name.replace(/^\./, '') });
    else if (meaning.reference) this.references.set(id, meaning.reference);
  }

  private select(expr: Extract<Expr, { kind: 'select' }>): void {
    const meaning = expr.test ? undefined : this.names.qualified(expr);
    if (meaning?.reference) this.references.set(expr.id, meaning.reference);
    else this.visit(expr.operand);
  }

  private call(expr: CallExpr): void {
    const namespaced = expr.target && this.names.namespaced(expr.target, expr.fn);
    if (expr.target && !namespaced) this.visit(expr.target);
    for (const argument of expr.args) this.visit(argument);
    const fn = namespaced ?? this.names.function(expr.fn);
    if (!fn) return;
    const member = expr.target !== undefined && !namespaced;
    const overloads = fn.overloads.filter((overload) => overload.member === member);
    this.references.set(expr.id, { kind: 'function', fn, overloads, namespaced: namespaced !== undefined });
  }

  private fold(expr: FoldExpr): void {
    this.visit(expr.range);
    const variables = expr.indexVariable === undefined ? [expr.variable] : [expr.indexVariable, expr.variable];
    this.inside(variables, expr.filter ? [expr.filter, expr.body] : [expr.body]);
  }

  private inside(variables: readonly string[], parts: readonly Expr[]): void {
    for (const name of variables) this.names.enter(name, DYN);
    for (const part of parts) this.visit(part);
    this.names.leave(variables.length);
  }
}

/** The one thing that parses and can never run. */
export function messageIssue(source: string, start: number, end: number): Issue {
  return issueAt(source, 'error', 'not_supported', 'message literals are not supported', start, end, {
    hint: "write a map: {'field': value}",
  });
}
