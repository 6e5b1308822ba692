import type { CallContext } from '../declarations.ts';
import { Abort, CelError } from '../error.ts';
import type { CompiledRegex } from '../regex/compiled-regex.ts';
import type { CelResult, CelValue } from '../value/cel-value.ts';

/** One evaluation step of a program; gives an error value rather than throw one (an `Abort` alone is thrown). */
export type Step = (frame: Frame) => CelResult;

/** A whole program: puts the bindings into their slots, then evaluates. */
export type Run = (frame: Frame, bindings: Readonly<Record<string, unknown>>) => CelResult;

/** Where `explain` listens in: folds tell it which element they are at. */
export interface Tracer {
  element(index: number | string, value: CelValue): void;
  elementEnd(): void;
}

/** How often `shouldStop` is asked, in iterations; the Kubernetes API server's interrupt check frequency. */
const STOP_CHECK_INTERVAL = 100;

/** What an environment gives to every frame of its programs. */
export interface FrameHost {
  readonly strict: boolean;
  regex(pattern: string): CompiledRegex | CelError;
}

/**
 * The state of one running evaluation: the variables' slots and the counters. One frame is kept per program and used again,
 * so that a rule that builds no value allocates nothing.
 */
export class Frame implements CallContext {
  readonly slots: (CelValue | undefined)[];
  readonly strict: boolean;
  cost = 0;
  costLimit = Infinity;
  steps = 0;
  stepLimit = Infinity;
  iterations = 0;
  shouldStop: (() => boolean) | undefined = undefined;
  tracer: Tracer | undefined = undefined;
  busy = false;
  private readonly host: FrameHost;

  constructor(slots: number, host: FrameHost) {
    this.slots = new Array<CelValue | undefined>(slots).fill(undefined);
    this.host = host;
    this.strict = host.strict;
  }

  reset(costLimit: number, stepLimit: number, shouldStop: (() => boolean) | undefined): void {
    this.cost = 0;
    this.steps = 0;
    this.iterations = 0;
    this.costLimit = costLimit;
    this.stepLimit = stepLimit;
    this.shouldStop = shouldStop;
  }

  regex(pattern: string): CompiledRegex | CelError {
    return this.host.regex(pattern);
  }

  work(steps: number): void {
    this.steps += steps;
    if (this.steps > this.stepLimit) {
      throw new Abort(
        new CelError('work_limit', `more than ${this.stepLimit} steps of work: the expression does too much`),
      );
    }
  }

  /** Tested where cost can grow without bound; as cost only grows, that finds the same programs as testing every step. */
  checkCost(): void {
    if (this.cost > this.costLimit) {
      throw new Abort(new CelError('cost_limit', `cost limit of ${this.costLimit} exceeded`));
    }
  }

  /** Once per iteration of a fold. */
  iterate(): void {
    this.steps += 1;
    if (this.cost > this.costLimit) this.checkCost();
    if (this.steps > this.stepLimit) this.work(0);
    if (this.shouldStop === undefined) return;
    this.iterations += 1;
    if (this.iterations % STOP_CHECK_INTERVAL === 0 && this.shouldStop()) {
      throw new Abort(new CelError('interrupted', 'evaluation was interrupted'));
    }
  }
}
