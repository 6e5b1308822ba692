import type { CheckedAst, CostRule, Overload, Reference } from '../declarations.ts';
import { type BinaryOperation, OPERATOR, type OrderOperation } from '../operators.ts';
import type {
  Ast,
  BindExpr,
  BlockExpr,
  CallExpr,
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  MapExpr,
  OptionalMapExpr,
  SelectExpr,
} from '../syntax/ast.ts';
import type { ConstantPlan, PathPlan, Plan, ProgramPlan, Segment } from './plan.ts';

/**
 * Evaluates a constant expression at planning time: its value and what it cost, or undefined when it has to wait.
 * `literal`: the reference evaluates it while planning as well, so that a failure is a mistake in the source.
 */
export type ConstantEvaluator = (
  plan: Plan,
  literal: boolean,
) => { readonly value: ConstantPlan['value']; readonly cost: number } | undefined;

export interface PlannerOptions {
  readonly checked: CheckedAst;
  readonly crossTypeOrder: boolean;
  readonly foldConstant: ConstantEvaluator;
}

const ARITHMETIC: Readonly<Record<string, BinaryOperation>> = {
  [OPERATOR.add]: 'add',
  [OPERATOR.subtract]: 'subtract',
  [OPERATOR.multiply]: 'multiply',
  [OPERATOR.divide]: 'divide',
  [OPERATOR.modulo]: 'modulo',
};

const ORDER: Readonly<Record<string, OrderOperation>> = {
  [OPERATOR.less]: 'less',
  [OPERATOR.lessOrEqual]: 'lessOrEqual',
  [OPERATOR.greater]: 'greater',
  [OPERATOR.greaterOrEqual]: 'greaterOrEqual',
};

/** The ten conversions whose call on a literal the reference evaluates while planning, so that it costs nothing. */
const FREE_CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** What a name means while planning: a slot, or an initialiser that runs at the first use. */
type Binding = { readonly slot: number; readonly init?: Plan };

/** AST and the checker's findings to a plan. */
export function planProgram(ast: Ast, options: PlannerOptions): ProgramPlan {
  return new Planner(ast, options).program();
}

class Planner {
  private readonly ast: Ast;
  private readonly references: ReadonlyMap<number, Reference>;
  private readonly options: PlannerOptions;
  private readonly roots = new Map<string, number>();
  private readonly scopes: Map<string, Binding>[] = [];
  private readonly names = new Map<string, string>();
  private slots = 0;

  constructor(ast: Ast, options: PlannerOptions) {
    this.ast = ast;
    this.references = options.checked.references;
    this.options = options;
  }

  program(): ProgramPlan {
    const root = this.plan(this.ast.root);
    return { root, roots: Array.from(this.roots, ([name, slot]) => ({ name, slot })), slots: this.slots };
  }

  private plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return { ...place(expr), kind: 'constant', value: expr.value, cost: 0, literal: true };
      case 'ident':
        return this.ident(expr);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'fold':
        return this.fold(expr);
      case 'bind':
        return this.bind(expr);
      case 'optionalMap':
        return this.optionalMap(expr);
      case 'block':
        return this.block(expr);
      case 'message':
        return { ...place(expr), kind: 'failure', message: `message type ${expr.typeName} is not supported` };
    }
  }

  private ident(expr: IdentExpr): Plan {
    const local = this.lookUp(expr.name);
    if (local) {
      const { slot, init } = local;
      if (init) return { ...place(expr), kind: 'lazy', slot, name: expr.name, init };
      return { ...place(expr), kind: 'variable', slot, name: expr.name };
    }
    return this.reference(expr) ?? this.rootVariable(expr, expr.name.replace(/^\./, ''));
  }

  /** A node that the checker resolved to a variable or a type as a whole. */
  private reference(expr: IdentExpr | SelectExpr): Plan | undefined {
    const reference = this.references.get(expr.id);
    if (reference?.kind === 'type')
      return { ...place(expr), kind: 'constant', value: reference.type, cost: 0, literal: true };
    return reference?.kind === 'variable' ? this.rootVariable(expr, reference.name) : undefined;
  }

  private rootVariable(expr: Expr, name: string): Plan {
    let slot = this.roots.get(name);
    if (slot === undefined) {
      slot = this.newSlot();
      this.roots.set(name, slot);
    }
    return { id: expr.id, start: expr.start, end: expr.end, kind: 'variable', slot, name: this.nameOnce(name) };
  }

  /** One string for all uses of a name: each is cut out of the source anew, and a program keeps them. */
  private nameOnce(name: string): string {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    this.names.set(name, name);
    return name;
  }

  private select(expr: SelectExpr): Plan {
    const whole = expr.test ? undefined : this.reference(expr);
    if (whole) return whole;
    const { optional, fieldStart, fieldEnd } = expr;
    const key = this.nameOnce(this.wireName(expr));
    const segment: Segment = { kind: 'field', key, optional, start: fieldStart, end: fieldEnd };
    return this.path(expr, this.plan(expr.operand), segment, expr.test);
  }

  /** Schema-typed objects name some fields by escapes (`__dash__`); the data do not. */
  private wireName(expr: SelectExpr): string {
    const type = this.options.checked.types.get(expr.operand.id);
    const object = type?.kind === 'optional' ? type.params[0] : type;
    return object?.fields?.get(expr.field)?.wireName ?? expr.field;
  }

  private path(expr: Expr, base: Plan, segment: Segment, presence: boolean): PathPlan {
    const text = this.ast.source.slice(expr.start, expr.end);
    if (base.kind === 'path' && !base.presence) {
      const { rootCost } = base;
      return pathPlan(expr, base.base, [...base.segments, segment], presence, rootCost, text);
    }
    // The reference makes `(c ? a : b).x` one conditional attribute, which charges its segments only; optMap is such a choice.
    const rootCost = base.kind === 'conditional' || base.kind === 'optionalMap' ? 0 : 1;
    return pathPlan(expr, base, [segment], presence, rootCost, text);
  }

  private call(expr: CallExpr): Plan {
    const special = this.operatorCall(expr);
    if (special) return special;
    const reference = this.references.get(expr.id);
    if (reference?.kind !== 'function') {
      return { ...place(expr), kind: 'failure', message: `undeclared function '${expr.fn}'` };
    }
    const receiver = expr.target && !reference.namespaced ? [expr.target] : [];
    const args = [...receiver, ...expr.args].map((arg) => this.plan(arg));
    const first = args[0];
    if (args.length === 2 && first && expr.target && (expr.fn === 'or' || expr.fn === 'orValue')) {
      return { ...place(expr), kind: 'orElse', unwrap: expr.fn === 'orValue', operand: first, otherwise: args[1]! };
    }
    const { fn, overloads } = reference;
    const cost = costRule(overloads, fn.cost);
    const free = FREE_CONVERSIONS.has(fn.name) && args.length === 1 && isLiteral(args[0]!);
    const plan: Plan = {
      ...place(expr),
      kind: 'call',
      fn,
      overloads,
      args,
      cost,
      stopsAtError: stopsAtError(fn.name, args),
    };
    return this.folded(plan, args, free, overloads.every(isPure));
  }

  private operatorCall(expr: CallExpr): Plan | undefined {
    if (expr.target) return undefined;
    const [a, b, c] = expr.args;
    if (expr.fn === OPERATOR.and || expr.fn === OPERATOR.or) return this.logic(expr);
    if (expr.fn === OPERATOR.conditional && a && b && c) return this.conditional(expr, a, b, c);
    if (expr.fn === OPERATOR.not && a) {
      const operand = this.plan(a);
      return this.folded({ ...place(expr), kind: 'not', operand }, [operand], false);
    }
    if (!a || !b) return undefined;
    if (expr.fn === OPERATOR.index || expr.fn === OPERATOR.optionalIndex) return this.index(expr, a, b);
    const left = this.plan(a);
    const right = this.plan(b);
    const both = [left, right];
    const arithmetic = ARITHMETIC[expr.fn];
    if (arithmetic) {
      return this.folded(
        { ...place(expr), kind: 'arithmetic', operation: arithmetic, left, right, cost: this.cost(expr) },
        both,
        false,
      );
    }
    const order = ORDER[expr.fn];
    if (order) {
      const { crossTypeOrder: crossType } = this.options;
      return this.folded(
        { ...place(expr), kind: 'order', operation: order, left, right, crossType, cost: this.cost(expr) },
        both,
        false,
      );
    }
    if (expr.fn === OPERATOR.equals || expr.fn === OPERATOR.notEquals) {
      return this.folded(
        { ...place(expr), kind: 'equality', negated: expr.fn === OPERATOR.notEquals, left, right },
        both,
        false,
      );
    }
    if (expr.fn === OPERATOR.in) return this.membership(expr, left, right);
    return undefined;
  }

  private membership(expr: CallExpr, item: Plan, container: Plan): Plan {
    const constant = container.kind === 'constant' && container.literal && Array.isArray(container.value);
    // The reference's optimiser, too, does not even look at what is searched for in an empty list.
    if (constant && container.value.length === 0) {
      return { ...place(expr), kind: 'constant', value: false, cost: 0, literal: true };
    }
    const plan: Plan = { ...place(expr), kind: 'membership', item, container, constant, cost: this.cost(expr) };
    return this.folded(plan, [item, container], false);
  }

  private cost(expr: CallExpr): CostRule | undefined {
    const reference = this.references.get(expr.id);
    return reference?.kind === 'function' ? costRule(reference.overloads, reference.fn.cost) : undefined;
  }

  /** `a && b && c` comes as a balanced tree; its plan is one node with all operands. */
  private logic(expr: CallExpr): Plan {
    const operands: Plan[] = [];
    const pending: Expr[] = [expr];
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (next.kind === 'call' && next.fn === expr.fn && !next.target) pending.push(...[...next.args].reverse());
      else operands.push(this.plan(next));
    }
    const kind = expr.fn === OPERATOR.and ? 'and' : 'or';
    return this.folded({ ...place(expr), kind, operands }, operands, false);
  }

  private conditional(expr: CallExpr, a: Expr, b: Expr, c: Expr): Plan {
    const condition = this.plan(a);
    const yes = withoutRoot(this.plan(b));
    const no = withoutRoot(this.plan(c));
    // Never folded: a selection on it is charged as on a choice, which a constant would hide.
    return { ...place(expr), kind: 'conditional', condition, yes, no };
  }

  private index(expr: CallExpr, operand: Expr, by: Expr): Plan {
    const optional = expr.fn === OPERATOR.optionalIndex;
    const index = withoutRoot(this.plan(by));
    const span = { optional, start: by.start, end: by.end };
    const segment: Segment =
      index.kind === 'constant' && index.literal
        ? { kind: 'constantIndex', key: index.value, ...span }
        : { kind: 'index', index, ...span };
    return this.path(expr, this.plan(operand), segment, false);
  }

  private list(expr: ListExpr): Plan {
    const elements = expr.elements.map(({ value, optional }) => ({ value: this.plan(value), optional }));
    const parts = elements.map(({ value }) => value);
    return this.folded({ ...place(expr), kind: 'list', elements }, parts, parts.every(isLiteral));
  }

  private map(expr: MapExpr): Plan {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return this.folded({ ...place(expr), kind: 'map', entries }, parts, parts.every(isLiteral));
  }

  private fold(expr: FoldExpr): Plan {
    const range = this.plan(expr.range);
    const slot = this.newSlot();
    const indexSlot = expr.indexVariable === undefined ? undefined : this.newSlot();
    const scope = new Map<string, Binding>([[expr.variable, { slot }]]);
    if (expr.indexVariable !== undefined && indexSlot !== undefined) scope.set(expr.indexVariable, { slot: indexSlot });
    return this.inScope(scope, () => {
      const filter = expr.filter && this.plan(expr.filter);
      const body = this.plan(expr.body);
      const chargedBySize = this.options.checked.types.get(expr.body.id)?.kind === 'primitive';
      const { operation } = expr;
      return { ...place(expr), kind: 'fold', operation, range, indexSlot, slot, filter, body, chargedBySize };
    });
  }

  private bind(expr: BindExpr): Plan {
    const init = this.plan(expr.init);
    const slot = this.newSlot();
    const body = this.inScope(new Map([[expr.variable, { slot, init }]]), () => this.plan(expr.body));
    return { ...place(expr), kind: 'bind', slots: [slot], body };
  }

  private block(expr: BlockExpr): Plan {
    const scope = new Map<string, Binding>();
    const slots: number[] = [];
    return this.inScope(scope, () => {
      expr.slots.forEach((each, index) => {
        const slot = this.newSlot();
        slots.push(slot);
        scope.set(`@index${index}`, { slot, init: this.plan(each) });
      });
      return { ...place(expr), kind: 'bind', slots, body: this.plan(expr.body) };
    });
  }

  private optionalMap(expr: OptionalMapExpr): Plan {
    const target = this.plan(expr.target);
    const valueSlot = this.newSlot();
    const costSlot = this.newSlot();
    const slot = this.newSlot();
    const init: Plan = { ...place(expr.target), kind: 'optionalValue', valueSlot, costSlot };
    const body = this.inScope(new Map([[expr.variable, { slot, init }]]), () => this.plan(expr.body));
    return { ...place(expr), kind: 'optionalMap', flat: expr.flat, target, valueSlot, costSlot, slot, body };
  }

  /** Evaluates now what depends on nothing; keeps the cost the reference would charge at run time unless `literal`. */
  private folded(plan: Plan, parts: readonly Plan[], literal: boolean, pure = true): Plan {
    if (!pure || !parts.every((part) => part.kind === 'constant')) return plan;
    const result = this.options.foldConstant(plan, literal);
    if (!result) return plan;
    const { id, start, end } = plan;
    return { id, start, end, kind: 'constant', value: result.value, cost: literal ? 0 : result.cost, literal };
  }

  private inScope<T>(scope: Map<string, Binding>, run: () => T): T {
    this.scopes.push(scope);
    try {
      return run();
    } finally {
      this.scopes.pop();
    }
  }

  private lookUp(name: string): Binding | undefined {
    for (let index = this.scopes.length - 1; index >= 0; index -= 1) {
      const binding = this.scopes[index]!.get(name);
      if (binding) return binding;
    }
    return undefined;
  }

  private newSlot(): number {
    this.slots += 1;
    return this.slots - 1;
  }
}

/** Written out, since a spread leaves most fields outside of the object: paths are what a program keeps most of. */
function pathPlan(
  { id, start, end }: Expr,
  base: Plan,
  segments: readonly Segment[],
  presence: boolean,
  rootCost: number,
  text: string,
): PathPlan {
  return { id, start, end, kind: 'path', base, segments, presence, rootCost, text };
}

function place(expr: Expr): { readonly id: number; readonly start: number; readonly end: number } {
  return { id: expr.id, start: expr.start, end: expr.end };
}

/** Searches whose literal pattern the reference compiles while planning; that turns them into calls of a list of arguments. */
const PATTERN_SEARCHES: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** The reference evaluates both arguments of a two-argument call, but a longer list only up to the first error. */
function stopsAtError(name: string, args: readonly Plan[]): boolean {
  return args.length > 2 || (PATTERN_SEARCHES.has(name) && args.length === 2 && isLiteral(args[1]!));
}

function isLiteral(plan: Plan): boolean {
  return plan.kind === 'constant' && plan.literal;
}

function isPure(overload: Overload): boolean {
  return overload.pure !== false;
}

/** A rule by overload holds only where the checker left exactly one; a rule by name always; undefined is 1 unit. */
function costRule(overloads: readonly Overload[], byName: CostRule | undefined): CostRule | undefined {
  const only = overloads.length === 1 ? overloads[0]!.cost : undefined;
  return only ?? byName;
}

/** As an index, or as a branch of `?:`, an attribute charges its segments but not its root. */
function withoutRoot(plan: Plan): Plan {
  if (plan.kind === 'variable' || plan.kind === 'lazy') {
    const { id, start, end } = plan;
    return { id, start, end, kind: 'path', base: plan, segments: [], presence: false, rootCost: 0, text: plan.name };
  }
  return plan.kind === 'path' ? { ...plan, rootCost: 0 } : plan;
}
