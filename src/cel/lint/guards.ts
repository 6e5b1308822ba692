import type { CheckedAst } from '../declarations.ts';
import type { CallExpr, Expr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { Facts } from './facts.ts';
import { chainOf } from './paths.ts';
import type { Scope } from './scope.ts';

/** What a condition says about paths: which ones are present when it gave the wanted answer. */
export class Guards {
  private readonly checked: CheckedAst;

  constructor(checked: CheckedAst) {
    this.checked = checked;
  }

  /** The path an expression reads, when its root is a variable whose fields are followed. */
  path(expr: Expr, scope: Scope): readonly string[] | undefined {
    const chain = chainOf(expr, this.checked);
    const root = scope.rootOf(chain ? chain.base : expr, this.checked);
    return root && chain ? [...root, ...chain.steps.map(({ name }) => name)] : root;
  }

  when(answer: boolean, expr: Expr, scope: Scope): Facts {
    if (expr.kind === 'select' && expr.test) return answer ? this.tested(expr, scope) : Facts.none;
    if (expr.kind === 'fold') return this.read(expr.range, scope);
    if (expr.kind !== 'call') return this.read(expr, scope);
    const [a, b] = expr.args;
    switch (expr.fn) {
      case '!_':
        return a ? this.when(!answer, a, scope) : Facts.none;
      case '_&&_':
      case '_||_':
        if (answer !== (expr.fn === '_&&_') || !a || !b) return Facts.none;
        return this.when(answer, a, scope).and(this.when(answer, b, scope));
      case '_?_:_':
        return a ? this.read(a, scope) : Facts.none;
      case '@in':
        return answer && a && b ? this.member(a, b, scope).and(this.read(b, scope)) : this.read(expr, scope);
      case 'hasValue':
        return answer && expr.target ? this.tested(expr.target, scope) : this.read(expr, scope);
      default:
        return this.comparison(answer, expr, scope).and(this.read(expr, scope));
    }
  }

  private tested(expr: Expr, scope: Scope): Facts {
    const path = this.path(expr, scope);
    return path ? Facts.none.with(path, true) : Facts.none;
  }

  private member(key: Expr, container: Expr, scope: Scope): Facts {
    if (key.kind !== 'literal' || typeof key.value !== 'string') return Facts.none;
    const path = this.path(container, scope);
    return path ? Facts.none.with([...path, key.value], true) : Facts.none;
  }

  /** `p.orValue(d) == other` holds only when p is there; so does `size(p.orValue([])) > 0`. */
  private comparison(answer: boolean, expr: CallExpr, scope: Scope): Facts {
    const [a, b] = expr.args;
    if (expr.target || !a || !b) return Facts.none;
    return this.oneSide(answer, expr.fn, a, b, scope)
      .and(this.oneSide(answer, expr.fn, b, a, scope))
      .and(this.typeTest(answer, expr.fn, a, b, scope));
  }

  /** `type(p.orValue(0)) == string`: the default has another type, so p is there. */
  private typeTest(answer: boolean, fn: string, call: Expr, type: Expr, scope: Scope): Facts {
    if (fn !== (answer ? '_==_' : '_!=_') || call.kind !== 'call' || call.fn !== 'type' || !call.args[0]) {
      return Facts.none;
    }
    const defaulted = orValueCall(call.args[0]);
    const reference = this.checked.references.get(type.id);
    const fallback = defaulted && this.checked.types.get(defaulted.fallback.id);
    if (!fallback || fallback.kind === 'dyn' || reference?.kind !== 'type') return Facts.none;
    return fallback.name === reference.type.name ? Facts.none : this.tested(defaulted.optional, scope);
  }

  private oneSide(answer: boolean, fn: string, side: Expr, other: Expr, scope: Scope): Facts {
    if (other.kind !== 'literal') return Facts.none;
    const equal = (fn === '_==_' && answer) || (fn === '_!=_' && !answer);
    const unequal = (fn === '_!=_' && answer) || (fn === '_==_' && !answer) || (fn === '_>_' && answer);
    const defaulted = orValueCall(side);
    if (defaulted && equal && isOtherLiteral(defaulted.fallback, other)) return this.tested(defaulted.optional, scope);
    if (defaulted && unequal && isSameLiteral(defaulted.fallback, other)) return this.tested(defaulted.optional, scope);
    const measured = sizeOperand(side);
    const sized = measured && orValueCall(measured);
    return sized && unequal && other.value === 0 ? this.tested(sized.optional, scope) : Facts.none;
  }

  /** Paths that are read whenever the expression gives a value at all. */
  read(expr: Expr, scope: Scope): Facts {
    const chain = chainOf(expr, this.checked);
    if (chain) {
      const root = scope.rootOf(chain.base, this.checked);
      const optional = chain.steps.findIndex((step) => step.optional);
      const firm = chain.steps.slice(0, optional >= 0 ? optional : chain.steps.length - (chain.test ? 1 : 0));
      if (!root) return this.read(chain.base, scope);
      return Facts.none.with([...root, ...firm.map(({ name }) => name)], false);
    }
    if (expr.kind === 'fold') return this.read(expr.range, scope);
    if (expr.kind === 'call' && (expr.fn === '_&&_' || expr.fn === '_||_')) return Facts.none;
    if (expr.kind === 'call' && expr.fn === '_?_:_') return expr.args[0] ? this.read(expr.args[0], scope) : Facts.none;
    if (expr.kind === 'call' && expr.target && (expr.fn === 'or' || expr.fn === 'orValue')) {
      return this.read(expr.target, scope);
    }
    if (expr.kind === 'bind' || expr.kind === 'block' || expr.kind === 'optionalMap') return Facts.none;
    let facts = Facts.none;
    for (const child of childrenOf(expr)) facts = facts.and(this.read(child, scope));
    return facts;
  }
}

/** The parts of `optional.orValue(fallback)`. */
export function orValueCall(expr: Expr): { readonly optional: Expr; readonly fallback: Expr } | undefined {
  if (expr.kind !== 'call' || expr.fn !== 'orValue' || !expr.target || !expr.args[0]) return undefined;
  return { optional: expr.target, fallback: expr.args[0] };
}

function sizeOperand(expr: Expr): Expr | undefined {
  if (expr.kind !== 'call' || expr.fn !== 'size') return undefined;
  return expr.target ?? expr.args[0];
}

function isSameLiteral(a: Expr, b: Expr): boolean {
  return a.kind === 'literal' && b.kind === 'literal' && a.value === b.value;
}

function isOtherLiteral(a: Expr, b: Expr): boolean {
  return a.kind === 'literal' && b.kind === 'literal' && a.value !== b.value;
}
