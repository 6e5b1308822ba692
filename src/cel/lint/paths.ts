import type { CheckedAst } from '../declarations.ts';
import type { Expr } from '../syntax/ast.ts';

/** One step of a path as written. `start` and `end` span the field's name or the key. */
export interface Step {
  readonly name: string;
  readonly optional: boolean;
  readonly node: Expr;
  /** What the step selects from. */
  readonly operand: Expr;
  readonly start: number;
  readonly end: number;
}

/** A chain of selections and string indexes: `obj.metadata.labels['app']`. */
export interface Chain {
  /** What the chain starts from: a name, or any other expression. */
  readonly base: Expr;
  readonly steps: readonly Step[];
  /** The outermost selection is the argument of `has()`. */
  readonly test: boolean;
}

/** The chain whose outermost node is `expr`; undefined when that is neither a selection nor an index by a string. */
export function chainOf(expr: Expr, checked: CheckedAst): Chain | undefined {
  const steps: Step[] = [];
  let at = expr;
  for (let step = stepOf(at); step && !isName(at, checked); step = stepOf(at)) {
    steps.push(step);
    at = step.operand;
  }
  if (steps.length === 0) return undefined;
  return { base: at, steps: steps.reverse(), test: expr.kind === 'select' && expr.test };
}

/** A variable may have a dotted name; the checker has found that out. */
function isName(expr: Expr, checked: CheckedAst): boolean {
  const kind = checked.references.get(expr.id)?.kind;
  return kind === 'variable' || kind === 'type';
}

function stepOf(expr: Expr): Step | undefined {
  if (expr.kind === 'select') {
    const { field: name, optional, operand, fieldStart: start, fieldEnd: end } = expr;
    return { name, optional, node: expr, operand, start, end };
  }
  if (expr.kind !== 'call' || (expr.fn !== '_[_]' && expr.fn !== '_[?_]')) return undefined;
  const [operand, key] = expr.args;
  if (!operand || key?.kind !== 'literal' || typeof key.value !== 'string') return undefined;
  return { name: key.value, optional: expr.fn === '_[?_]', node: expr, operand, start: key.start, end: key.end };
}

/** A path as a key of sets; no field name holds the separator. */
export function pathKey(path: readonly string[]): string {
  return path.join('\u0001');
}

/** A path as an author would write it. */
export function pathText(path: readonly string[]): string {
  const [root = '', ...rest] = path;
  return root + rest.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join('');
}
