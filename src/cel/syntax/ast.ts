import type { CelValue } from '../value/cel-value.ts';

/** `start` and `end` are UTF-16 offsets into the source; ids are unique within one parse. */
interface Node {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

/** `name` begins with '.' when the source said so (root scope). `@…` names are made by `cel.block` macros only. */
export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`; `test`: inside `has()`; `optional`: written `.?`; `fieldStart`/`fieldEnd`: the field's own span. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly fieldStart: number;
  readonly fieldEnd: number;
  readonly test: boolean;
  readonly optional: boolean;
  /** Written in backquotes. */
  readonly quoted: boolean;
}

/**
 * A call. Operators have the names of `operators.ts` (`_+_`, `_&&_`, `_?_:_`, `_[_]`, `_[?_]`, `!_`, `-_`, `@in`).
 * A namespaced function (`math.abs(x)`) is parsed as a member call; the checker finds the namespace.
 */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Expr; readonly optional: boolean }[];
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[];
}

/** `T{f: v}`: parsed for a good diagnostic, always refused by the checker. */
export interface MessageExpr extends Node {
  readonly kind: 'message';
  readonly typeName: string;
  readonly fields: readonly { readonly name: string; readonly value: Expr; readonly optional: boolean }[];
}

export type FoldOperation =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'sortBy';

/**
 * A comprehension macro, kept as what it is: every macro has its own loop and its own cost, so none is expanded into a
 * generic fold. `indexVariable` is there in two-variable forms. `filter` is the middle argument of the three-argument
 * `map` and of `transform…`; `body` is the predicate (`all exists exists_one filter`), the transform, or the sort key.
 */
export interface FoldExpr extends Node {
  readonly kind: 'fold';
  readonly operation: FoldOperation;
  /** The macro's name as written (`existsOne`). */
  readonly macro: string;
  readonly range: Expr;
  readonly indexVariable: string | undefined;
  readonly variable: string;
  readonly filter: Expr | undefined;
  readonly body: Expr;
}

/** `cel.bind(variable, init, body)`. */
export interface BindExpr extends Node {
  readonly kind: 'bind';
  readonly variable: string;
  readonly init: Expr;
  readonly body: Expr;
}

/** `target.optMap(variable, body)` and `optFlatMap`. */
export interface OptionalMapExpr extends Node {
  readonly kind: 'optionalMap';
  readonly flat: boolean;
  readonly target: Expr;
  readonly variable: string;
  readonly body: Expr;
}

/** `cel.block([…], body)`: `slots[n]` is read by the identifier `@index<n>`. */
export interface BlockExpr extends Node {
  readonly kind: 'block';
  readonly slots: readonly Expr[];
  readonly body: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | MessageExpr
  | FoldExpr
  | BindExpr
  | OptionalMapExpr
  | BlockExpr;

/** A parsed expression. `nodes` counts its nodes; `comments` are the spans of `//` comments. */
export interface Ast {
  readonly source: string;
  readonly root: Expr;
  readonly nodes: number;
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}
