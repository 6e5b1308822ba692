import { SizeStandIn } from '../cost-sizes.ts';
import type { CostRule } from '../declarations.ts';
import { rootCost } from '../evaluate/paths.ts';
import type {
  ArithmeticPlan,
  BindPlan,
  CallPlan,
  ConditionalPlan,
  EqualityPlan,
  FoldPlan,
  LazyPlan,
  ListPlan,
  LogicPlan,
  MapPlan,
  MembershipPlan,
  OptionalMapPlan,
  OrderPlan,
  OrElsePlan,
  PathPlan,
  Plan,
  ProgramPlan,
} from '../plan/plan.ts';
import type { CelType } from '../value/cel-type.ts';
import { DYN } from '../value/cel-type.ts';
import type { CelValue } from '../value/cel-value.ts';
import { foldShape, loopCost } from './loops.ts';
import { exactly, ONE, plus, type Range, union, upTo, ZERO } from './range.ts';
import { resultShape, sumShape } from './result-shapes.ts';
import {
  contentOf,
  either,
  listOf,
  mapOf,
  optionalOf,
  SCALAR,
  type Shape,
  type SizeHints,
  shapeOfData,
  shapeOfValue,
  UNKNOWN,
} from './shape.ts';

/** Units of cost that an evaluation takes at least and at most, when it gives a value; `max` is Infinity where no size bounds it. */
export type CostEstimate = Range;

export interface EstimateOptions {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly freePresence: boolean;
  readonly sizes: SizeHints;
}

interface Estimate {
  readonly cost: Range;
  readonly shape: Shape;
}

/**
 * The bounds of a program's cost: the formulas of evaluation over the ranges of the sizes that types, schemas and hints
 * allow. An evaluation that ends with a value costs at least `min` and at most `max`, whatever the data.
 */
export function estimateCost(plan: ProgramPlan, options: EstimateOptions): CostEstimate {
  return new Estimator(plan, options).estimate(plan.root, false).cost;
}

/** Units of making a list and a map, beside their parts. */
const LIST_COST = exactly(10);
const MAP_COST = exactly(30);

/** Sizes from here on stand for ones without bound: a rule computes with a number, as 0 times Infinity is none. */
const ENDLESS = 2 ** 60;
const FINITE = 2 ** 50;

/** Whether the rule reads more of an argument than its size (a depth, a format), which nothing is known of unless it is constant. */
function readsBeyondSizes({ fn, overloads }: CallPlan): boolean {
  return fn.name === 'validate' || (fn.name === 'flatten' && overloads.some(({ params }) => params.length > 1));
}

class Estimator {
  private readonly options: EstimateOptions;
  private readonly slots = new Map<number, Shape>();
  private readonly lazies = new Map<number, Estimate>();
  private readonly used = new Set<number>();

  constructor(plan: ProgramPlan, options: EstimateOptions) {
    this.options = options;
    for (const { name, slot } of plan.roots) {
      this.slots.set(slot, shapeOfData(options.variables.get(name) ?? DYN, name, options.sizes));
    }
  }

  /** `absorbed`: an error of the expression need not be one of the whole, so it may end early. */
  estimate(plan: Plan, absorbed: boolean): Estimate {
    switch (plan.kind) {
      case 'constant':
        return { cost: exactly(plan.cost), shape: shapeOfValue(plan.value) };
      case 'variable':
        return { cost: ONE, shape: this.slots.get(plan.slot) ?? UNKNOWN };
      case 'lazy':
        return { cost: ONE, shape: this.lazy(plan, absorbed).shape };
      case 'path':
        return this.path(plan, absorbed);
      case 'and':
      case 'or':
        return this.logic(plan);
      case 'conditional':
        return this.conditional(plan, absorbed);
      case 'not':
        return { cost: plus(this.estimate(plan.operand, absorbed).cost, ONE), shape: SCALAR };
      case 'arithmetic':
      case 'order':
      case 'equality':
        return this.binary(plan, absorbed);
      case 'membership':
        return this.membership(plan, absorbed);
      case 'call':
        return this.call(plan, absorbed);
      case 'orElse':
        return this.orElse(plan, absorbed);
      case 'list':
        return this.list(plan, absorbed);
      case 'map':
        return this.map(plan, absorbed);
      case 'fold':
        return this.fold(plan, absorbed);
      case 'bind':
        return this.bind(plan, absorbed);
      case 'optionalMap':
        return this.optionalMap(plan, absorbed);
      case 'optionalValue':
        // Charged where its `optMap` stands.
        return { cost: ZERO, shape: this.slots.get(plan.valueSlot) ?? UNKNOWN };
      case 'failure':
        return { cost: ZERO, shape: UNKNOWN };
    }
  }

  // ── operators ──

  /** The first operand may decide; an error of one may be overruled by another. */
  private logic(plan: LogicPlan): Estimate {
    const costs = plan.operands.map((operand) => this.estimate(operand, true).cost);
    return { cost: { min: costs[0]?.min ?? 0, max: plus(...costs).max }, shape: SCALAR };
  }

  private conditional(plan: ConditionalPlan, absorbed: boolean): Estimate {
    const condition = this.estimate(plan.condition, absorbed).cost;
    const yes = this.estimate(plan.yes, absorbed);
    const no = this.estimate(plan.no, absorbed);
    const branch = union(yes.cost, no.cost);
    const cost = { min: condition.min + (absorbed ? 0 : branch.min), max: condition.max + branch.max };
    return { cost, shape: either(yes.shape, no.shape) };
  }

  private orElse(plan: OrElsePlan, absorbed: boolean): Estimate {
    const operand = this.estimate(plan.operand, absorbed);
    const otherwise = this.estimate(plan.otherwise, absorbed);
    const first = plan.unwrap ? contentOf(operand.shape) : operand.shape;
    const cost = { min: operand.cost.min, max: operand.cost.max + otherwise.cost.max };
    return { cost, shape: either(first, otherwise.shape) };
  }

  private binary(plan: ArithmeticPlan | OrderPlan | EqualityPlan, absorbed: boolean): Estimate {
    const left = this.estimate(plan.left, absorbed);
    const right = this.estimate(plan.right, absorbed);
    const own =
      plan.kind === 'equality'
        ? equalityCost(left.shape, right.shape)
        : this.ruleCost(plan.cost, [plan.left, plan.right], [left.shape, right.shape], SCALAR, absorbed);
    const sum = plan.kind === 'arithmetic' && plan.operation === 'add';
    return { cost: plus(left.cost, right.cost, own), shape: sum ? sumShape(left.shape, right.shape) : SCALAR };
  }

  private membership(plan: MembershipPlan, absorbed: boolean): Estimate {
    const item = this.estimate(plan.item, absorbed).cost;
    const container = this.estimate(plan.container, absorbed);
    const charged = plan.cost === undefined ? ONE : union(container.shape.size, ONE);
    return { cost: plus(item, container.cost, plan.constant ? ZERO : charged), shape: SCALAR };
  }

  // ── literals ──

  private list(plan: ListPlan, absorbed: boolean): Estimate {
    const { cost, shape } = this.entries(plan.elements, absorbed);
    const firm = plan.elements.filter(({ optional }) => !optional).length;
    return { cost: plus(cost, LIST_COST), shape: listOf(shape, { min: firm, max: plan.elements.length }) };
  }

  private map(plan: MapPlan, absorbed: boolean): Estimate {
    const keys = this.entries(
      plan.entries.map(({ key }) => ({ value: key, optional: false })),
      absorbed,
    );
    const values = this.entries(plan.entries, absorbed);
    const firm = plan.entries.filter(({ optional }) => !optional).length;
    const size = { min: firm, max: plan.entries.length };
    return { cost: plus(keys.cost, values.cost, MAP_COST), shape: mapOf(keys.shape, values.shape, size) };
  }

  /** All values of a literal: what they cost together, and what holds of each. */
  private entries(
    entries: readonly { readonly value: Plan; readonly optional: boolean }[],
    absorbed: boolean,
  ): Estimate {
    let cost = ZERO;
    let shape = SCALAR;
    for (const { value, optional } of entries) {
      const each = this.estimate(value, absorbed);
      cost = plus(cost, each.cost);
      shape = either(shape, optional ? contentOf(each.shape) : each.shape);
    }
    return { cost, shape };
  }

  // ── names ──

  private lazy(plan: LazyPlan, absorbed: boolean): Estimate {
    this.used.add(plan.slot);
    const known = this.lazies.get(plan.slot);
    if (known) return known;
    const made = this.estimate(plan.init, absorbed);
    this.lazies.set(plan.slot, made);
    return made;
  }

  /** Each value that the body reads is computed once, or, where a condition passes it by, not at all. */
  private bind(plan: BindPlan, absorbed: boolean): Estimate {
    const body = this.estimate(plan.body, absorbed);
    let max = body.cost.max;
    for (const slot of plan.slots) if (this.used.has(slot)) max += this.lazies.get(slot)?.cost.max ?? 0;
    return { cost: { min: body.cost.min, max }, shape: body.shape };
  }

  private optionalMap(plan: OptionalMapPlan, absorbed: boolean): Estimate {
    const target = this.estimate(plan.target, absorbed);
    this.slots.set(plan.valueSlot, contentOf(target.shape));
    const body = this.estimate(plan.body, absorbed);
    const again = this.used.has(plan.slot) ? target.cost.max + 1 : 0;
    const cost = {
      min: target.cost.min + (absorbed ? 0 : plan.flat ? 1 : 2),
      max: target.cost.max + 2 + body.cost.max + again,
    };
    return { cost, shape: plan.flat ? either(body.shape, optionalOf(SCALAR)) : wrapped(body.shape) };
  }

  // ── paths ──

  private path(plan: PathPlan, absorbed: boolean): Estimate {
    const { base, segments } = plan;
    const named = base.kind === 'variable' || base.kind === 'lazy';
    const root = this.estimate(base, absorbed);
    const fixed = rootCost(plan, this.options);
    const start = (named ? ZERO : root.cost).min + fixed;
    let min = start;
    let max = (named ? ZERO : root.cost).max + fixed;
    let shape = root.shape;
    let lenient = false;
    for (const segment of segments) {
      lenient ||= segment.optional || shape.maybeOptional;
      max += 1;
      if (!lenient) min += 1;
      const within = contentOf(shape);
      if (segment.kind === 'field') shape = within.field(segment.key);
      else if (segment.kind === 'constantIndex')
        shape = typeof segment.key === 'string' ? within.field(segment.key) : within.items();
      else {
        const index = this.estimate(segment.index, absorbed).cost;
        max += index.max;
        if (!lenient) min += index.min;
        shape = within.items();
      }
    }
    // An error of the root or of the first segment ends the path.
    const cost = { min: absorbed ? start : min, max };
    if (plan.presence) return { cost, shape: SCALAR };
    return { cost, shape: lenient ? wrapped(shape) : shape };
  }

  // ── calls ──

  private call(plan: CallPlan, absorbed: boolean): Estimate {
    const args = plan.args.map((arg) => this.estimate(arg, absorbed));
    const shapes = args.map(({ shape }) => shape);
    const shape = resultShape(plan, shapes);
    const beyond = readsBeyondSizes(plan) && plan.args.some(({ kind }) => kind !== 'constant');
    const own = beyond ? upTo(Number.POSITIVE_INFINITY) : this.ruleCost(plan.cost, plan.args, shapes, shape, absorbed);
    return { cost: plus(...args.map(({ cost }) => cost), own), shape };
  }

  /** What a rule charges for the smallest and for the largest arguments and result. Errors count 1. */
  private ruleCost(
    rule: CostRule | undefined,
    args: readonly Plan[],
    shapes: readonly Shape[],
    result: Shape,
    absorbed: boolean,
  ): Range {
    if (!rule) return ONE;
    const charge = (bound: 'min' | 'max'): number => {
      const stand = (shape: Shape | undefined, plan: Plan | undefined): CelValue => {
        if (!shape) return null;
        return plan?.kind === 'constant' ? plan.value : standIn(shape, bound, absorbed);
      };
      const [a, b, c] = [0, 1, 2].map((index) => stand(shapes[index], args[index]));
      return rule(stand(result, undefined), a ?? null, b ?? null, c ?? null);
    };
    const max = charge('max');
    return { min: Math.max(0, charge('min')), max: max >= FINITE ? Number.POSITIVE_INFINITY : max };
  }

  // ── loops ──

  private fold(plan: FoldPlan, absorbed: boolean): Estimate {
    const range = this.estimate(plan.range, absorbed);
    const over = range.shape;
    const member = plan.indexSlot === undefined ? over.members() : over.items();
    this.slots.set(plan.slot, member);
    if (plan.indexSlot !== undefined) this.slots.set(plan.indexSlot, over.keys());
    const search = plan.operation === 'all' || plan.operation === 'exists';
    const filter = plan.filter ? this.estimate(plan.filter, absorbed).cost : ZERO;
    const body = this.estimate(plan.body, absorbed || search);
    const loop = loopCost(plan, over.size, filter, body.cost);
    const cost = { min: range.cost.min + (absorbed ? 0 : loop.min), max: range.cost.max + loop.max };
    return { cost, shape: foldShape(plan, over, member, body.shape) };
  }
}

/** Sizes for a rule; an error, which an absorbed argument may be, has size 1. */
function standIn(shape: Shape, bound: 'min' | 'max', absorbed: boolean): CelValue {
  const widen = (range: Range): number => {
    const value = absorbed ? union(range, ONE)[bound] : range[bound];
    return Math.min(value, ENDLESS);
  };
  return new SizeStandIn(widen(shape.size), widen(shape.walk), bound === 'max');
}

/** A tenth of the smaller side, rounded up; scalars and library values 1. */
function equalityCost(a: Shape, b: Shape): Range {
  const least = Math.min(a.size.min, b.size.min, 1);
  const most = Math.min(a.size.max, b.size.max);
  return { min: Math.ceil(least / 10), max: Math.max(1, Math.ceil(most / 10)) };
}

/** An optional of a value, which may have been one already. */
function wrapped(shape: Shape): Shape {
  return shape.maybeOptional ? UNKNOWN : optionalOf(shape);
}
