import { Budget, type CelError, type CelValue, isCelError } from '../../cel/index.ts';
import type { RuleBindings } from './bindings.ts';
import type { CompiledExpression, CompiledRule } from './compile.ts';
import type { RelatedReference } from './rule.ts';
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
  readonly text: string;
  constructor(reason: Extract<VerdictReason, 'RuleError' | 'CostLimitExceeded'>, text: string) {
    this.reason = reason;
    this.text = text;
  }
}

/** One rule on one object: the variables it has evaluated and the cost that is left. */
export class RuleRun {
  readonly #compiled: CompiledRule;
  readonly #bindings: RuleBindings;
  readonly #budget = new Budget(RULE_COST_LIMIT);
  #relatedBound = false;
  readonly #related: RelatedLookup;

  constructor(compiled: CompiledRule, bindings: RuleBindings, related: RelatedLookup) {
    this.#compiled = compiled;
    this.#bindings = { ...bindings, variables: {}, related: {} };
    this.#related = related;
  }

  outcome(): RuleOutcome {
    try {
      return this.#outcome();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      return { outcome: 'error', reason: error.reason, message: `rule ${this.#compiled.id}: ${error.text}` };
    }
  }

  /** The bindings one expression runs with, its variables and related objects filled in. */
  #prepare(expression: CompiledExpression & { readonly ok: true }): RuleBindings {
    this.#bindRelated();
    for (const name of expression.needs) {
      if (Object.hasOwn(this.#bindings.variables, name)) continue;
      const value = this.#value(`variables.${name}`);
      if (value !== undefined) this.#bindings.variables[name] = value;
    }
    return this.#bindings;
  }

  /** As `prepare`; undefined when a variable that the expression reads could not be evaluated. */
  bindingsOf(expression: CompiledExpression & { readonly ok: true }): RuleBindings | undefined {
    try {
      return this.#prepare(expression);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      return undefined;
    }
  }

  #outcome(): RuleOutcome {
    if (this.#bool('healthy')) {
      return { outcome: 'pass', reason: this.#refined('NoSignal') ?? 'AllRulesPass' };
    }
    if (this.#bool('failed')) return { outcome: 'failed', reason: 'Failed', message: this.#message() };
    if (this.#bool('suspended')) return { outcome: 'suspended', reason: 'Suspended', message: this.#message() };
    return { outcome: 'failing', reason: this.#refined('NoStatus') ?? 'RuleFailed', message: this.#message() };
  }

  /** The value of a field; undefined when the rule does not have it. */
  #value(field: string): CelValue | undefined {
    const expression = this.#compiled.expression(field);
    if (expression === undefined) return undefined;
    if (!expression.ok)
      throw new RunError('RuleError', `${field} does not compile: ${expression.issues[0]?.message ?? ''}`);
    const result = expression.program.evaluate(this.#prepare(expression), { budget: this.#budget });
    if (isCelError(result)) throw runError(field, result);
    return result;
  }

  #bool(field: 'healthy' | 'failed' | 'suspended'): boolean {
    const value = this.#value(field);
    if (value === undefined && field !== 'healthy') return false;
    if (typeof value === 'boolean') return value;
    throw new RunError('RuleError', `${field} gives no bool`);
  }

  #refined<R extends VerdictReason>(reason: R): R | undefined {
    // A rule that never speaks of this reason is not asked for it: `reason` costs nothing on the healthy path of most rules.
    if (this.#compiled.rule.reason?.includes(reason) !== true) return undefined;
    return this.#value('reason') === reason ? reason : undefined;
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

function runError(field: string, error: CelError): RunError {
  const limit = error.code === 'cost_limit' || error.code === 'work_limit';
  const where = field === 'healthy' ? '' : `${field}: `;
  return limit
    ? new RunError('CostLimitExceeded', `${where}over the cost limit of ${RULE_COST_LIMIT} units`)
    : new RunError('RuleError', `${where}${error.message}`);
}
