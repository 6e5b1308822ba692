import type { CallContext, CostRule, FunctionDeclaration, Overload } from '../declarations.ts';
import type { CelError } from '../error.ts';
import type { CelType } from '../value/cel-type.ts';
import type { CelValue } from '../value/cel-value.ts';

type Impl = (context: CallContext, ...args: never[]) => CelValue | CelError;

function overload(member: boolean, params: readonly CelType[], result: CelType, impl: Impl, cost?: CostRule): Overload {
  return cost === undefined ? { member, params, result, impl } : { member, params, result, impl, cost };
}

/** An overload called as `f(a, b)`. */
export function globalForm(params: readonly CelType[], result: CelType, impl: Impl, cost?: CostRule): Overload {
  return overload(false, params, result, impl, cost);
}

/** An overload called as `a.f(b)`; `params` begin with the receiver. */
export function memberForm(params: readonly CelType[], result: CelType, impl: Impl, cost?: CostRule): Overload {
  return overload(true, params, result, impl, cost);
}

/** A function of one name. `cost` applies by name, whatever overloads the checker leaves. */
export function declare(name: string, overloads: readonly Overload[], cost?: CostRule): FunctionDeclaration {
  return cost === undefined ? { name, overloads } : { name, overloads, cost };
}
