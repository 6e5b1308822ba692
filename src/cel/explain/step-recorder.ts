import { CelError } from '../error.ts';
import type { Step as EvaluationStep, Tracer } from '../evaluate/frame.ts';
import type { Plan } from '../plan/plan.ts';
import type { CelResult, CelValue } from '../value/cel-value.ts';
import { blameOf } from './blame.ts';

/** One evaluated part of the source. `kind` is the plan's, or `element` for one round of a comprehension. */
export interface Step {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: Plan['kind'] | 'element';
  /** Missing when the part was skipped. */
  readonly value?: CelResult;
  /** Cost units of this part with all its children. */
  readonly cost: number;
  readonly skipped?: 'short-circuit' | 'not taken';
  /** Position (or key) and value of the element this round was about. */
  readonly element?: { readonly index: number | string; readonly value: CelValue };
  readonly children: readonly Step[];
  /** The plan of the part, for those who need to know more than its kind. */
  readonly plan: Plan;
}

/** What `explain` gives: the same result and cost as `evaluate`, every step, and the smallest set that forced the result. */
export interface Explanation {
  readonly result: CelResult;
  readonly cost: number;
  readonly root: Step;
  readonly blame: readonly Step[];
}

interface Recording {
  start: number;
  end: number;
  text: string;
  kind: Step['kind'];
  value?: CelResult;
  cost: number;
  skipped?: 'short-circuit' | 'not taken';
  element?: { index: number | string; value: CelValue };
  children: Recording[];
  plan: Plan;
}

/** Listens to one evaluation and keeps the value and cost of every step. */
export class StepRecorder implements Tracer {
  private readonly source: string;
  private readonly top: Recording[] = [];
  private current: Recording | undefined = undefined;

  constructor(source: string) {
    this.source = source;
  }

  observe(plan: Plan, step: EvaluationStep): EvaluationStep {
    return (frame) => {
      const parent = this.current;
      const recording = this.open(plan, plan.kind);
      const before = frame.cost;
      const value = step(frame);
      recording.value = value;
      recording.cost = frame.cost - before;
      this.current = parent;
      return value;
    };
  }

  element(index: number | string, value: CelValue): void {
    const fold = this.current?.plan;
    if (fold?.kind !== 'fold') return;
    const round = this.open(fold.body, 'element');
    round.element = { index, value };
  }

  elementEnd(): void {
    const round = this.current;
    if (round?.kind !== 'element') return;
    const last = round.children[round.children.length - 1];
    if (last?.value !== undefined) round.value = last.value;
    round.cost = round.children.reduce((sum, child) => sum + child.cost, 0);
    this.current = this.parentOf(round);
  }

  explanation(root: Plan, result: CelResult, cost: number): Explanation {
    const recording = this.top[0] ?? this.blank(root, root.kind);
    if (recording.value === undefined) recording.value = result;
    markSkipped(recording, (plan) => this.blank(plan, plan.kind));
    // An abort is nobody's part: the limit was crossed, not a sub-expression false.
    const aborted = result instanceof CelError && recording.value !== result;
    return { result, cost, root: recording, blame: aborted ? [recording] : blameOf(recording) };
  }

  private readonly parents = new Map<Recording, Recording | undefined>();

  private open(plan: Plan, kind: Step['kind']): Recording {
    const recording = this.blank(plan, kind);
    (this.current?.children ?? this.top).push(recording);
    this.parents.set(recording, this.current);
    this.current = recording;
    return recording;
  }

  private parentOf(recording: Recording): Recording | undefined {
    return this.parents.get(recording);
  }

  private blank(plan: Plan, kind: Step['kind']): Recording {
    const { start, end } = plan;
    return { start, end, text: this.source.slice(start, end), kind, cost: 0, children: [], plan };
  }
}

/** Adds the parts that a logical operator or a conditional did not need. */
function markSkipped(step: Recording, blank: (plan: Plan) => Recording): void {
  const { plan, kind } = step;
  const parts =
    kind === 'element'
      ? []
      : plan.kind === 'and' || plan.kind === 'or'
        ? plan.operands
        : plan.kind === 'conditional'
          ? [plan.yes, plan.no]
          : [];
  for (const part of parts) {
    if (step.children.some((child) => child.plan === part)) continue;
    step.children.push({ ...blank(part), skipped: plan.kind === 'conditional' ? 'not taken' : 'short-circuit' });
  }
  for (const child of step.children) if (child.skipped === undefined) markSkipped(child, blank);
}
