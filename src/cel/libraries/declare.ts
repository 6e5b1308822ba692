import type { CallContext, CostRule, FunctionDeclaration, Overload } from '../declarations.ts';
import type { CelError } from '../error.ts';
import type { FormatStyle } from '../text/format.ts';
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

/** A function whose overloads are made when an expression first names it: most of a process never does. */
class Declared implements FunctionDeclaration {
  readonly name: string;
  readonly cost: CostRule | undefined;
  readonly formatStyle: FormatStyle | undefined;
  private readonly make: () => readonly Overload[];
  private made: readonly Overload[] | undefined = undefined;

  constructor(name: string, make: () => readonly Overload[], cost?: CostRule, formatStyle?: FormatStyle) {
    this.name = name;
    this.make = make;
    this.cost = cost;
    this.formatStyle = formatStyle;
  }

  get overloads(): readonly Overload[] {
    this.made ??= this.make();
    return this.made;
  }
}

/**
 * A function of one name. `cost` applies by name, whatever overloads the checker leaves; `formatStyle` is for `format` alone.
 */
export function declare(
  name: string,
  overloads: () => readonly Overload[],
  cost?: CostRule,
  formatStyle?: FormatStyle,
): FunctionDeclaration {
  return new Declared(name, overloads, cost, formatStyle);
}

/** A name may carry overloads of several libraries; they add up. */
export function merged(a: FunctionDeclaration, b: FunctionDeclaration): FunctionDeclaration {
  return new Declared(a.name, () => [...a.overloads, ...b.overloads], a.cost ?? b.cost, a.formatStyle);
}
