import type { SyntaxLimits } from './declarations.ts';

/** Every bound of the engine. All are counts; `Infinity` turns one off. */
export interface Limits extends SyntaxLimits {
  /** Cost units of one evaluation, default 1,000,000: the Kubernetes per-call limit. 0 lets nothing run. */
  readonly cost: number;
  /** Steps of built-in loops of one evaluation, default 10 × `cost`: some O(n) work costs one unit in the reference. */
  readonly work: number;
  /** Characters of a regular expression, default 1,000. */
  readonly regexLength: number;
}

const DEFAULTS: Omit<Limits, 'work'> = {
  cost: 1_000_000,
  depth: 250,
  expressionLength: 100_000,
  nodes: 50_000,
  comprehensionNesting: 8,
  regexLength: 1_000,
};

/** The limits with every default filled in. */
export function resolveLimits(given: Partial<Limits>): Limits {
  const merged = { ...DEFAULTS, ...given };
  return { ...merged, work: given.work ?? 10 * merged.cost };
}

/** Default budget of one object: ten evaluations at their limit, the Kubernetes limit per object or policy binding. */
const DEFAULT_BUDGET = 10_000_000;

/** Cost units that several evaluations share: once spent, the next one fails with `cost_limit`. */
export class Budget {
  private left: number;

  constructor(limit: number = DEFAULT_BUDGET) {
    this.left = limit;
  }

  get remaining(): number {
    return this.left;
  }

  /** Called by the engine after an evaluation. */
  spend(cost: number): void {
    this.left = Math.max(this.left - cost, 0);
  }
}
