import type { CostRule, FunctionDeclaration, Overload } from '../declarations.ts';
import type { BinaryOperation, OrderOperation } from '../operators.ts';
import type { FoldOperation } from '../syntax/ast.ts';
import type { CelValue } from '../value/cel-value.ts';

/** A plan is plain data, made once per program; both back ends read it. `id`, `start`, `end` are those of the AST node. */
interface Base {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/**
 * `cost` is what the reference would have charged for the expression that was folded. `literal`: the reference too sees a
 * constant here (a literal, a list or map of literals, a conversion of one), which makes what is built on it free as well.
 */
export interface ConstantPlan extends Base {
  readonly kind: 'constant';
  readonly value: CelValue;
  readonly cost: number;
  readonly literal: boolean;
}

/** A root variable or an iteration variable: both live in a slot of the frame. */
export interface VariablePlan extends Base {
  readonly kind: 'variable';
  readonly slot: number;
  readonly name: string;
}

/** A variable of `cel.bind` or `cel.block`: `init` runs at its first use. */
export interface LazyPlan extends Base {
  readonly kind: 'lazy';
  readonly slot: number;
  readonly name: string;
  readonly init: Plan;
}

/** One step of a path. A constant `index` has its key; a computed one its plan. */
export type Segment =
  | {
      readonly kind: 'field';
      readonly key: string;
      readonly optional: boolean;
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'constantIndex';
      readonly key: CelValue;
      readonly optional: boolean;
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'index';
      readonly index: Plan;
      readonly optional: boolean;
      readonly start: number;
      readonly end: number;
    };

/**
 * `base.a.b[c]`: one node for a whole chain of selections and indexes (cel-go's attribute). `rootCost` is what the chain
 * charges beside its segments: 1, or 0 where it stands as an index or as a branch of `?:` or on one. `presence`: inside `has()`.
 */
export interface PathPlan extends Base {
  readonly kind: 'path';
  readonly base: Plan;
  readonly segments: readonly Segment[];
  readonly presence: boolean;
  readonly rootCost: number;
  /** As the author wrote it, for messages. */
  readonly text: string;
}

export interface LogicPlan extends Base {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Plan[];
}

export interface ConditionalPlan extends Base {
  readonly kind: 'conditional';
  readonly condition: Plan;
  readonly yes: Plan;
  readonly no: Plan;
}

export interface NotPlan extends Base {
  readonly kind: 'not';
  readonly operand: Plan;
}

export interface ArithmeticPlan extends Base {
  readonly kind: 'arithmetic';
  readonly operation: BinaryOperation;
  readonly left: Plan;
  readonly right: Plan;
  readonly cost: CostRule | undefined;
}

export interface EqualityPlan extends Base {
  readonly kind: 'equality';
  readonly negated: boolean;
  readonly left: Plan;
  readonly right: Plan;
}

export interface OrderPlan extends Base {
  readonly kind: 'order';
  readonly operation: OrderOperation;
  readonly left: Plan;
  readonly right: Plan;
  readonly cost: CostRule | undefined;
  /** False: numbers of different types have no order (Kubernetes before 1.28). */
  readonly crossType: boolean;
}

/** `x in container`; `constant` when the container is an all-constant list, which costs nothing. */
export interface MembershipPlan extends Base {
  readonly kind: 'membership';
  readonly item: Plan;
  readonly container: Plan;
  readonly constant: boolean;
  readonly cost: CostRule | undefined;
}

export interface CallPlan extends Base {
  readonly kind: 'call';
  readonly fn: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** Receiver first. */
  readonly args: readonly Plan[];
  readonly cost: CostRule | undefined;
  /** The first error among the arguments ends the call: those behind it are not evaluated, the call is not charged. */
  readonly stopsAtError: boolean;
}

/** `o.or(p)`, `o.orValue(x)`: the right side only when needed. */
export interface OrElsePlan extends Base {
  readonly kind: 'orElse';
  readonly unwrap: boolean;
  readonly operand: Plan;
  readonly otherwise: Plan;
}

export interface ListPlan extends Base {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Plan; readonly optional: boolean }[];
}

export interface MapPlan extends Base {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Plan; readonly value: Plan; readonly optional: boolean }[];
}

export interface FoldPlan extends Base {
  readonly kind: 'fold';
  readonly operation: FoldOperation;
  readonly range: Plan;
  readonly indexSlot: number | undefined;
  readonly slot: number;
  readonly filter: Plan | undefined;
  readonly body: Plan;
  /** `sortBy` only: the key's type is known, so that the reference charges the sort by size instead of one unit. */
  readonly chargedBySize: boolean;
}

/** Resets the slots of lazily bound variables, then runs the body. */
export interface BindPlan extends Base {
  readonly kind: 'bind';
  readonly slots: readonly number[];
  readonly body: Plan;
}

export interface OptionalMapPlan extends Base {
  readonly kind: 'optionalMap';
  readonly flat: boolean;
  readonly target: Plan;
  /** Where the target's value and its cost are kept for `OptionalValuePlan`. */
  readonly valueSlot: number;
  readonly costSlot: number;
  /** The variable's own slot, lazily filled. */
  readonly slot: number;
  readonly body: Plan;
}

/**
 * The initialiser of an `optMap` variable. The reference evaluates the target once more at the variable's first use; here
 * it is only charged once more.
 */
export interface OptionalValuePlan extends Base {
  readonly kind: 'optionalValue';
  readonly valueSlot: number;
  readonly costSlot: number;
}

/** An expression that can only fail: an undeclared name of an unchecked program. */
export interface FailurePlan extends Base {
  readonly kind: 'failure';
  readonly message: string;
}

export type Plan =
  | ConstantPlan
  | VariablePlan
  | LazyPlan
  | PathPlan
  | LogicPlan
  | ConditionalPlan
  | NotPlan
  | ArithmeticPlan
  | EqualityPlan
  | OrderPlan
  | MembershipPlan
  | CallPlan
  | OrElsePlan
  | ListPlan
  | MapPlan
  | FoldPlan
  | BindPlan
  | OptionalMapPlan
  | OptionalValuePlan
  | FailurePlan;

/** A whole program's plan: `roots` maps each root variable it reads to its slot. */
export interface ProgramPlan {
  readonly root: Plan;
  readonly roots: readonly { readonly name: string; readonly slot: number }[];
  readonly slots: number;
}
