import { CelError } from '../error.ts';
import type { PathPlan, Plan, Segment } from '../plan/plan.ts';
import { CelOptional, type CelResult, type CelValue } from '../value/cel-value.ts';
import { isList } from '../value/list.ts';
import { shortValue } from '../value/short-value.ts';
import { typeOf } from '../value/type-of.ts';
import { ABSENT, elementOf, fieldOf, NO_CONTAINER } from './access.ts';
import { admit } from './admit.ts';
import type { Frame, Step } from './frame.ts';
import { type Fallback, fusedPresence, fusedRead, plainPath } from './fused-paths.ts';
import type { Late } from './late-parts.ts';

export interface PathOptions {
  /** Kubernetes and the default: `has(p)` costs one less than `p`. cel-go alone charges it in full. */
  readonly freePresence: boolean;
  /** False while `explain` traces: every part is then a step of its own. */
  readonly fused: boolean;
  /** The step of the initialiser of a bound variable, one for all its uses. */
  readonly compileInit: (init: Plan) => Step;
  readonly late: Late;
}

/** A segment with its computed index, where it has one, as a step. */
type ReadySegment = { readonly plan: Segment; readonly index: Step | undefined };

/** The step of a path: fused reads for the plain cases, the general walk for everything else. */
export function pathStep(plan: PathPlan, compile: (plan: Plan) => Step, options: PathOptions): Step {
  const path = options.fused ? plainPath(plan) : undefined;
  if (!path) return generalWalk(plan, compile, options);
  const fallback = options.late(fallbackOf(plan, compile, options));
  const cost = rootCost(plan, options);
  return plan.presence ? fusedPresence(path, cost, fallback) : fusedRead(path, cost, fallback);
}

function fallbackOf(plan: PathPlan, compile: (plan: Plan) => Step, options: PathOptions): () => Fallback {
  return () => new PathFallback(plan, compile, options);
}

/** Makes the general walk and the errors of absence when they are first needed, which for most paths is never. */
export class PathFallback implements Fallback {
  private readonly rootCost: number;
  private readonly plan: PathPlan;
  private readonly compile: (plan: Plan) => Step;
  private readonly options: PathOptions;
  private general: Step | undefined = undefined;
  /** By segment; each is always the same error. */
  private errors: (CelError | undefined)[] | undefined = undefined;

  constructor(plan: PathPlan, compile: (plan: Plan) => Step, options: PathOptions) {
    this.rootCost = rootCost(plan, options);
    this.plan = plan;
    this.compile = compile;
    this.options = options;
  }

  walk(frame: Frame): CelResult {
    this.general ??= generalWalk(this.plan, this.compile, this.options);
    return this.general(frame);
  }

  absent(frame: Frame, index: number): CelError {
    frame.cost += this.rootCost + index + 1;
    this.errors ??= [];
    this.errors[index] ??= missingField(this.plan, this.plan.segments[index]!);
    return this.errors[index];
  }
}

export function rootCost(plan: PathPlan, options: Pick<PathOptions, 'freePresence'>): number {
  return plan.presence && options.freePresence ? Math.max(plan.rootCost - 1, 0) : plan.rootCost;
}

/** Reads a variable as the root of a path, whose cost the path charges. */
function rootStep(base: Plan, compile: (plan: Plan) => Step, { compileInit }: PathOptions): Step {
  if (base.kind === 'variable') {
    const { slot, name, start, end } = base;
    return (frame) => {
      const value = frame.slots[slot];
      return value === undefined ? unbound(name, start, end) : admit(value);
    };
  }
  if (base.kind === 'lazy') return lazyStep(base.slot, compileInit(base.init));
  return compile(base);
}

/** The value of a lazily bound variable, computed at the first use after its `bind` was entered. */
export function lazyStep(slot: number, init: Step): Step {
  return (frame) => {
    const known = frame.slots[slot];
    if (known !== undefined) return known;
    const value = init(frame);
    // An error is kept as well: the reference evaluates the initialiser once, whatever it gives.
    frame.slots[slot] = value as CelValue;
    return value;
  };
}

export function unbound(name: string, start: number, end: number): CelError {
  return new CelError('unbound_variable', `no value is bound to the variable '${name}'`, start, end, name);
}

/** Every kind of segment, with its cost and its error. */
function generalWalk(plan: PathPlan, compile: (plan: Plan) => Step, options: PathOptions): Step {
  const base = rootStep(plan.base, compile, options);
  const fixed = rootCost(plan, options);
  const segments: readonly ReadySegment[] = plan.segments.map((segment) => ({
    plan: segment,
    index: segment.kind === 'index' ? compile(segment.index) : undefined,
  }));
  const last = segments.length - 1;
  return (frame) => {
    const root = base(frame);
    frame.cost += fixed;
    if (root instanceof CelError) return root.at(plan.start, plan.end);
    let value: CelValue = root;
    let optional = false;
    for (let index = 0; index <= last; index += 1) {
      const segment = segments[index]!;
      if (value instanceof CelOptional) {
        optional = true;
        if (!value.present) return plan.presence ? false : CelOptional.none;
        value = value.value;
      }
      const lenient: boolean = optional || segment.plan.optional;
      const next = access(frame, value, segment, lenient);
      if (next instanceof CelError) return next.at(segment.plan.start, segment.plan.end);
      if (plan.presence && index === last) {
        if (next === NO_CONTAINER && frame.strict) return missing(plan, segment.plan, value);
        return next !== ABSENT && next !== NO_CONTAINER;
      }
      if (next === ABSENT || next === NO_CONTAINER) {
        if (lenient && !(next === NO_CONTAINER && frame.strict)) return plan.presence ? false : CelOptional.none;
        return missing(plan, segment.plan, value);
      }
      value = next as CelValue;
      if (segment.plan.optional) optional = true;
    }
    const result = admit(value);
    if (result instanceof CelError) return result.at(plan.start, plan.end);
    return optional ? CelOptional.of(result) : result;
  };
}

/** One segment; charges one unit, an optional one only when it is there. */
function access(frame: Frame, value: CelValue, segment: ReadySegment, lenient: boolean): ReturnType<typeof fieldOf> {
  if (!lenient) frame.cost += 1;
  let key: CelResult;
  if (segment.plan.kind === 'field') {
    const found = fieldOf(value, segment.plan.key);
    if (lenient && found !== ABSENT && found !== NO_CONTAINER) frame.cost += 1;
    return found;
  }
  if (segment.plan.kind === 'constantIndex') key = segment.plan.key;
  else key = segment.index!(frame);
  if (key instanceof CelError) return key;
  const found = elementOf(value, key);
  if (lenient && found !== ABSENT && found !== NO_CONTAINER) frame.cost += 1;
  return found;
}

/** The error of a strict segment that found nothing; its span and path end at that segment. */
function missing(plan: PathPlan, segment: Segment, value: CelValue): CelError {
  if (segment.kind === 'field') return missingField(plan, segment);
  const { start, end } = segment;
  const path = pathUpTo(plan, segment);
  if (isList(value)) {
    return new CelError(
      'index_out_of_bounds',
      `index out of bounds: the list has ${value.length} elements`,
      start,
      end,
      path,
    );
  }
  const key = segment.kind === 'constantIndex' ? `: ${shortValue(segment.key)}` : '';
  const hint = typeof value === 'object' && value !== null ? '' : ` (in a ${typeOf(value)})`;
  return new CelError('no_such_key', `no such key${key}${hint}`, start, end, path);
}

function missingField(plan: PathPlan, segment: Segment): CelError {
  const key = segment.kind === 'field' ? segment.key : '';
  return new CelError('no_such_key', `no such key: ${key}`, segment.start, segment.end, pathUpTo(plan, segment));
}

function pathUpTo(plan: PathPlan, segment: Segment): string {
  return plan.text.slice(0, Math.max(segment.end - plan.start, 0));
}
