import {
  Budget,
  CelError,
  type CelResult,
  type CelValue,
  type Explanation,
  isCelError,
  type Program,
} from '../../cel/index.ts';
import type { RuleBindings } from './bindings.ts';
import type { CompiledExpression, CompiledRule } from './compile.ts';
import type { RelatedReference } from './rule.ts';
import type { VariableSource } from './variable-scope.ts';
import type { VerdictReason } from './verdict.ts';

/**
 * The cost one rule may use on one object, all its expressions together: the limit of the Kubernetes API server for one
 * expression (PerCallLimit, 1,000,000 units), so that what runs there runs here.
 */
export const RULE_COST_LIMIT = 1_000_000;

/** What one rule says of one object, before time is looked at. */
export type RuleOutcome =
  /** `healthy` is true. */
  | { readonly outcome: 'pass'; readonly reason: Extract<VerdictReason, 'AllRulesPass' | 'NoSignal'> }
  /** `healthy` is false and nothing more is known. */
  | {
      readonly outcome: 'failing';
      readonly reason: Extract<VerdictReason, 'RuleFailed' | 'NoStatus'>;
      readonly message: string;
    }
  /** `failed` is true: it will not recover by itself. */
  | { readonly outcome: 'failed'; readonly reason: 'Failed'; readonly message: string }
  /** `suspended` is true. */
  | { readonly outcome: 'suspended'; readonly reason: 'Suspended'; readonly message: string }
  /** An expression could not be evaluated. */
  | {
      readonly outcome: 'error';
      readonly reason: Extract<VerdictReason, 'RuleError' | 'CostLimitExceeded'>;
      readonly message: string;
      /** Which one, as `fieldsOf` names it; those after it were not asked. */
      readonly field: string;
    };

/** Finds a related object by name; null when it is not there. */
export type RelatedLookup = (reference: RelatedReference, name: string) => unknown;

/** Runs a rule: `healthy`, then `failed`, then `suspended`, then the message. Never throws. */
export function evaluateRule(compiled: CompiledRule, bindings: RuleBindings, related: RelatedLookup): RuleOutcome {
  return new RuleRun(compiled, bindings, related).outcome();
}

/** Thrown inside one run to leave it; never crosses `outcome`. */
class RunError {
  readonly reason: Extract<VerdictReason, 'RuleError' | 'CostLimitExceeded'>;
  readonly field: string;
  readonly text: string;
  constructor(reason: Extract<VerdictReason, 'RuleError' | 'CostLimitExceeded'>, field: string, text: string) {
    this.reason = reason;
    this.field = field;
    this.text = text;
  }
}

/**
 * One rule on one object. Variables are evaluated when an expression first reads them, and once: a ladder that stops at its
 * first rung pays for that rung. A variable's error is an error where it is read, so `||` and `&&` absorb it like any other.
 */
export class RuleRun implements VariableSource {
  readonly #compiled: CompiledRule;
  readonly #bindings: RuleBindings;
  readonly #related: RelatedLookup;
  readonly #budget = new Budget(RULE_COST_LIMIT);
  readonly #values: (CelResult | undefined)[] = [];
  #relatedBound = false;
  #limitHit = false;

  constructor(compiled: CompiledRule, bindings: RuleBindings, related: RelatedLookup) {
    this.#compiled = compiled;
    this.#bindings = bindings;
    this.#related = related;
    bindings.variables = compiled.scope.bound;
    bindings.related = {};
  }

  outcome(): RuleOutcome {
    try {
      return this.#outcome();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      const { reason, field, text } = error;
      return { outcome: 'error', reason, message: `rule ${this.#compiled.id}: ${text}`, field };
    }
  }

  /** The steps of one expression with the values that this run's expressions see. */
  explain(program: Program): Explanation {
    this.#bindRelated();
    return this.#compiled.scope.with(this, () => program.explain(this.#bindings));
  }

  variable(index: number): CelResult {
    const known = this.#values[index];
    if (known !== undefined) return known;
    // Stands while the variable is evaluated: one that reads itself gets this and not an endless recursion.
    this.#values[index] = new CelError('not_supported', 'a variable reads itself');
    const value = this.#variable(index);
    this.#values[index] = value;
    return value;
  }

  #variable(index: number): CelResult {
    const field = this.#compiled.scope.fields[index] ?? '';
    const expression = this.#compiled.expression(field);
    if (expression === undefined || !expression.ok) {
      return new CelError('not_supported', `${field} does not compile: ${expression?.issues[0]?.message ?? ''}`);
    }
    const result = this.#evaluate(expression);
    if (!isCelError(result)) return result;
    const text = result.message.startsWith('variables.') ? result.message : `${field}: ${result.message}`;
    return new CelError(result.code, text);
  }

  #evaluate(expression: CompiledExpression & { readonly ok: true }): CelResult {
    const result = this.#compiled.scope.with(this, () =>
      expression.program.evaluate(this.#bindings, { budget: this.#budget }),
    );
    if (isCelError(result) && (result.code === 'cost_limit' || result.code === 'work_limit')) this.#limitHit = true;
    return result;
  }

  #outcome(): RuleOutcome {
    if (this.#bool('healthy')) {
      return { outcome: 'pass', reason: this.#refined('NoSignal') ?? 'AllRulesPass' };
    }
    if (this.#bool('failed')) return { outcome: 'failed', reason: 'Failed', message: this.#message() };
    if (this.#bool('suspended')) return { outcome: 'suspended', reason: 'Suspended', message: this.#message() };
    const message = this.#message();
    return { outcome: 'failing', reason: this.#refined('NoStatus') ?? 'RuleFailed', message };
  }

  /** The value of a field; undefined when the rule does not have it. */
  #value(field: string): CelValue | undefined {
    const expression = this.#compiled.expression(field);
    if (expression === undefined) return undefined;
    if (!expression.ok) {
      throw new RunError('RuleError', field, `${field} does not compile: ${expression.issues[0]?.message ?? ''}`);
    }
    this.#bindRelated();
    const result = this.#evaluate(expression);
    // A limit that a variable has hit may not be absorbed by an operator around it.
    if (this.#limitHit)
      throw new RunError('CostLimitExceeded', field, `over the cost limit of ${RULE_COST_LIMIT} units`);
    if (isCelError(result)) {
      throw new RunError('RuleError', field, `${field === 'healthy' ? '' : `${field}: `}${result.message}`);
    }
    return result;
  }

  #bool(field: 'healthy' | 'failed' | 'suspended'): boolean {
    const value = this.#value(field);
    if (value === undefined && field !== 'healthy') return false;
    if (typeof value === 'boolean') return value;
    throw new RunError('RuleError', field, `${field} gives no bool`);
  }

  /** A reason that cannot be evaluated does not change the verdict: it only makes one finer. */
  #refined<R extends VerdictReason>(reason: R): R | undefined {
    // A rule that cannot speak of this reason is not asked for it: `reason` costs nothing on the healthy path of most rules.
    const source = this.#compiled.rule.reason ?? '';
    if (!source.includes(reason) && !source.includes('variables')) return undefined;
    try {
      return this.#value('reason') === reason ? reason : undefined;
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      return undefined;
    }
  }

  /** A message that cannot be made does not change the verdict: the default text stands, with what went wrong. */
  #message(): string {
    const fallback = `rule ${this.#compiled.rule.name} is false`;
    try {
      const value = this.#value('message');
      if (value === undefined) return fallback;
      if (typeof value === 'string') return value.trim() === '' ? fallback : value;
      return `${fallback} (its message is no string)`;
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      return `${fallback} (its message: ${error.text})`;
    }
  }

  #bindRelated(): void {
    if (this.#relatedBound) return;
    this.#relatedBound = true;
    for (const reference of this.#compiled.rule.related) {
      const name = this.#value(`related.${reference.name}`);
      this.#bindings.related[reference.name] =
        typeof name === 'string' && name !== '' ? (this.#related(reference, name) ?? null) : null;
    }
  }
}
