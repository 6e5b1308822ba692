import type { CallContext, CostRule, FunctionDeclaration, Overload } from '../declarations.ts';
import type { CelError } from '../error.ts';
import type { CelType } from '../value/cel-type.ts';
import type { CelValue } from '../value/cel-value.ts';

type Impl = (context: CallContext, ...args: never[]) => CelValue | CelError;

function overload(
  member: boolean,
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: Impl,
  cost?: CostRule,
): Overload {
  return cost === undefined ? { id, member, params, result, impl } : { id, member, params, result, impl, cost };
}

/** An overload called as `f(a, b)`. */
export function globalForm(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: Impl,
  cost?: CostRule,
): Overload {
  return overload(false, id, params, result, impl, cost);
}

/** An overload called as `a.f(b)`; `params` begin with the receiver. */
export function memberForm(
  id: string,
  params: readonly CelType[],
  result: CelType,
  impl: Impl,
  cost?: CostRule,
): Overload {
  return overload(true, id, params, result, impl, cost);
}

/** A function of one name. `cost` applies by name, whatever overloads the checker leaves. */
export function declare(
  name: string,
  doc: string,
  overloads: readonly Overload[],
  cost?: CostRule,
): FunctionDeclaration {
  return cost === undefined ? { name, doc, overloads } : { name, doc, overloads, cost };
}
