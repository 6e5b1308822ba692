import type { Expr } from './ast.ts';

/** The direct children of a node, in source order. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.elements.map((element) => element.value);
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'message':
      return expr.fields.map((field) => field.value);
    case 'fold':
      return expr.filter ? [expr.range, expr.filter, expr.body] : [expr.range, expr.body];
    case 'bind':
      return [expr.init, expr.body];
    case 'optionalMap':
      return [expr.target, expr.body];
    case 'block':
      return [...expr.slots, expr.body];
    default:
      return assertNever(expr);
  }
}

/** The end of a switch over a closed union. Throws when the union has grown and the switch has not. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`);
}
