import type { CelResult } from '../../cel/index.ts';
import type { RuleVariable } from './rule.ts';

/** Gives a variable's value on its first read of a run. */
export interface VariableSource {
  variable(index: number): CelResult;
}

/**
 * The object bound as `variables` in a rule's expressions: each property asks the run that is under way. It is made once
 * per rule, since defining properties costs more than most rules.
 */
export class VariableScope {
  readonly bound: Record<string, unknown>;
  /** The field names of the variables, `variables.NAME`, made once. */
  readonly fields: readonly string[];
  #source: VariableSource | undefined;

  constructor(variables: readonly RuleVariable[]) {
    this.bound = Object.create(null);
    this.fields = variables.map(({ name }) => `variables.${name}`);
    variables.forEach(({ name }, index) => {
      Object.defineProperty(this.bound, name, { enumerable: true, get: () => this.#source?.variable(index) });
    });
  }

  /** Runs `evaluate` with the variables of one source; what was under way before is so again after it. */
  with<T>(source: VariableSource, evaluate: () => T): T {
    const before = this.#source;
    this.#source = source;
    try {
      return evaluate();
    } finally {
      this.#source = before;
    }
  }
}
