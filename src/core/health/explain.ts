import { type CelError, type CelValue, type Explanation, isCelError, type Step } from '../../cel/index.ts';
import { explainText, formatError } from '../../cel/texts.ts';
import { assertNever } from '../object/assert-never.ts';
import { asString } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { bindingsFor } from './assess.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
import { type RelatedLookup, type RuleOutcome, RuleRun } from './evaluate-rule.ts';

/** What one expression of a rule gave on one object, and why. */
export interface ExpressionExplanation {
  /** `healthy`, `failed`, …, `variables.NAME`. */
  readonly field: string;
  readonly expression: string;
  /** Absent when the expression does not compile; then `text` says why. */
  readonly result?: CelValue | CelError;
  /** Units of cost of this expression alone. */
  readonly cost: number;
  /** The sub-expressions that forced the result with the values they saw, or the error with its place. */
  readonly text: string;
  readonly explanation?: Explanation;
}

export interface RuleExplanation {
  /** `SET#RULE`. */
  readonly rule: string;
  readonly outcome: RuleOutcome;
  /** In evaluation order: variables that were read, then the fields that were needed. */
  readonly expressions: readonly ExpressionExplanation[];
}

export interface ExplainInput {
  readonly object: KubernetesObject;
  readonly rules: CompiledRules;
  /** ms since 1970. */
  readonly now: number;
  readonly related?: RelatedLookup;
  /** Only this rule: `SET#RULE` or its name. */
  readonly rule?: string;
}

/** Which sub-expression decided, and the values it saw: for every rule that applies to the object, in order. */
export function explainRule(input: ExplainInput): readonly RuleExplanation[] {
  const { object, rules } = input;
  return rules
    .select(asString(object['apiVersion']), asString(object['kind']))
    .filter((rule) => input.rule === undefined || rule.id === input.rule || rule.rule.name === input.rule)
    .map((rule) => explainOne(rule, input));
}

function explainOne(rule: CompiledRule, input: ExplainInput): RuleExplanation {
  const run = new RuleRun(rule, bindingsFor(input, rule), input.related ?? (() => null));
  const outcome = run.outcome();
  const expressions: ExpressionExplanation[] = [];
  for (const field of fieldsAsked(outcome)) {
    const asked = explainRead(rule, field, run);
    for (const name of [...variablesOf(rule, field), field]) {
      const explained = asked.get(name);
      if (explained !== undefined && !expressions.some((known) => known.field === name)) expressions.push(explained);
    }
  }
  return { rule: rule.id, outcome, expressions };
}

/** An expression with the variables that it read, and those that these read, by field. */
function explainRead(
  rule: CompiledRule,
  field: string,
  run: RuleRun,
  known = new Map<string, ExpressionExplanation>(),
): ReadonlyMap<string, ExpressionExplanation> {
  const explained = known.has(field) ? undefined : explainExpression(rule, field, run);
  if (explained === undefined) return known;
  known.set(field, explained);
  if (explained.explanation === undefined) return known;
  for (const name of variablesIn(explained.explanation.root)) explainRead(rule, name, run, known);
  return known;
}

/** Parts of which some may not have been asked. What is in any other part counts as read: not all rounds of a loop are kept. */
const CHOOSING: ReadonlySet<Step['kind']> = new Set(['and', 'or', 'not', 'conditional', 'bind']);

/** The variables in those parts of an expression that were asked. */
function variablesIn(step: Step): readonly string[] {
  if (step.skipped !== undefined) return [];
  if (CHOOSING.has(step.kind) && step.children.length > 0) return step.children.flatMap(variablesIn);
  return step.text.match(/\bvariables\.\w+/g) ?? [];
}

/** In the order in which a rule is asked. */
const ASKED: readonly string[] = ['healthy', 'failed', 'suspended'];

/** The fields whose answers led to the outcome. */
function fieldsAsked(outcome: RuleOutcome): readonly string[] {
  switch (outcome.outcome) {
    case 'pass':
      return ['healthy'];
    case 'failed':
      return ['healthy', 'failed'];
    case 'suspended':
    case 'failing':
      return ASKED;
    case 'error': {
      // Related objects are looked up before everything else.
      const last = ASKED.indexOf(outcome.field);
      return last < 0 ? [outcome.field] : ASKED.slice(0, last + 1);
    }
    default:
      return assertNever(outcome);
  }
}

function variablesOf(rule: CompiledRule, field: string): readonly string[] {
  const expression = rule.expression(field);
  return expression?.ok ? expression.needs.map((name) => `variables.${name}`) : [];
}

function explainExpression(rule: CompiledRule, field: string, run: RuleRun): ExpressionExplanation | undefined {
  const compiled = rule.expression(field);
  if (compiled === undefined) return undefined;
  if (!compiled.ok) {
    return {
      field,
      expression: compiled.issues[0]?.expression ?? '',
      cost: 0,
      text: compiled.issues.map((issue) => issue.text).join('\n'),
    };
  }
  const { program } = compiled;
  const explanation = run.explain(program);
  const text = isCelError(explanation.result)
    ? formatError(explanation.result, program.source)
    : explainText(explanation);
  return { field, expression: program.source, result: explanation.result, cost: explanation.cost, text, explanation };
}
