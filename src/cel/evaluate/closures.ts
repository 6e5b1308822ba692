import { CelError } from '../error.ts';
import type { Plan } from '../plan/plan.ts';
import { callStep } from './calls.ts';
import { foldStep, optionalMapStep, optionalValueStep } from './folds.ts';
import type { Step } from './frame.ts';
import { held, type Late } from './late-parts.ts';
import { listStep, mapStep } from './literals.ts';
import { conditionalStep, logicStep, notStep, orElseStep } from './logic.ts';
import { arithmeticStep, equalityStep, membershipStep, orderStep } from './operators.ts';
import { lazyStep, pathStep, rootCost, unbound } from './paths.ts';

export interface ClosureOptions {
  readonly freePresence: boolean;
  /** Wraps every step, for `explain`; turns fused reads off so that each part of the source is a step. */
  readonly observe?: (plan: Plan, step: Step) => Step;
  /**
   * The steps of the initialisers of bound variables, shared by several compilations. Every use of a variable holds its
   * initialiser, whose uses of other variables hold theirs: compiled once for each use, thirty `cel.bind` inside each other
   * would be a thousand million steps.
   */
  readonly initialisers?: Map<Plan, Step>;
  /** How parts that rarely run are kept; held when left out. */
  readonly late?: Late;
}

/** The closures back end: a plan as a tree of functions. Always available, and complete alone. */
export function compileClosures(root: Plan, options: ClosureOptions): Step {
  const { observe } = options;
  const compile = (plan: Plan): Step => {
    const step = build(plan);
    return observe ? observe(plan, step) : step;
  };
  let { initialisers } = options;
  const compileInit = (init: Plan): Step => {
    initialisers ??= new Map();
    const known = initialisers.get(init);
    if (known) return known;
    const step = compile(init);
    initialisers.set(init, step);
    return step;
  };
  const { freePresence, late = held } = options;
  const paths = { freePresence, fused: observe === undefined, compileInit, late };
  const build = (plan: Plan): Step => {
    switch (plan.kind) {
      case 'constant': {
        const { value, cost } = plan;
        if (cost === 0) return () => value;
        return (frame) => {
          frame.cost += cost;
          return value;
        };
      }
      case 'variable': {
        const { slot, name, start, end } = plan;
        return (frame) => {
          frame.cost += 1;
          const value = frame.slots[slot];
          return value === undefined ? unbound(name, start, end) : value;
        };
      }
      case 'lazy': {
        const read = lazyStep(plan.slot, compileInit(plan.init));
        return (frame) => {
          frame.cost += 1;
          return read(frame);
        };
      }
      case 'path':
        return pathStep(plan, compile, paths);
      case 'and':
      case 'or':
        return logicStep(plan, compile, late);
      case 'conditional':
        return conditionalStep(plan, compile, late, paths.fused ? (path) => rootCost(path, paths) : undefined);
      case 'not':
        return notStep(plan, compile, late);
      case 'arithmetic':
        return arithmeticStep(plan, compile);
      case 'equality':
        return equalityStep(plan, compile);
      case 'order':
        return orderStep(plan, compile);
      case 'membership':
        return membershipStep(plan, compile);
      case 'call':
        return callStep(plan, compile);
      case 'orElse':
        return orElseStep(plan, compile, late, paths.fused);
      case 'list':
        return listStep(plan, compile);
      case 'map':
        return mapStep(plan, compile);
      case 'fold':
        return foldStep(plan, compile);
      case 'optionalMap':
        return optionalMapStep(plan, compile);
      case 'optionalValue':
        return optionalValueStep(plan);
      case 'bind': {
        const { slots } = plan;
        const body = compile(plan.body);
        return (frame) => {
          for (const slot of slots) frame.slots[slot] = undefined;
          return body(frame);
        };
      }
      case 'failure': {
        const failure = new CelError('unbound_variable', plan.message, plan.start, plan.end);
        return () => failure;
      }
    }
  };
  return compile(root);
}
