import { harmless } from '../../core/errors/index.ts';
import { viewExplanation } from '../../core/health/explain-view.ts';
import type { ExpressionExplanation, RuleExplanation, Verdict } from '../../core/health/index.ts';
import { asString, refOf } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { explainedExpression } from './explained-expression.ts';
import { layOut, oneLine } from './table.ts';

export interface ExplainedObject {
  readonly object: KubernetesObject;
  /** `Deployment shop/web`. */
  readonly title: string;
  readonly verdict: Verdict;
  readonly rules: readonly RuleExplanation[];
}

/** Reasons that the preamble gives: the rule's expressions were not asked. */
const BEFORE_THE_RULES: ReadonlySet<string> = new Set(['Terminating', 'StaleStatus']);

/** Longest expression that is shown behind the value of a variable. */
const WIDEST_EXPRESSION = 90;

/** A verdict and how it came about, as lines for a person. */
export function explanationLines(explained: ExplainedObject, colour: boolean): readonly string[] {
  const { verdict, rules } = explained;
  const lines = [verdictLine(explained)];
  if (rules.length === 0) return lines;
  if (BEFORE_THE_RULES.has(verdict.reason)) {
    return [...lines, '  decided before the rules, by the preamble of the set: their expressions were not asked'];
  }
  const many = rules.length > 1;
  for (const rule of rules) {
    if (many) lines.push('', `  ${rule.rule}: ${outcomeText(rule)}`);
    lines.push(...ruleLines(rule, colour));
  }
  return lines;
}

function verdictLine({ object, title, verdict, rules }: ExplainedObject): string {
  const { state, reason, message, rule } = verdict;
  const by = rule ?? rules.map((one) => one.rule).join(', ');
  const who =
    by === '' ? `: no rule applies to ${asString(object['apiVersion'])} ${asString(object['kind'])}` : ` by ${by}`;
  return oneLine(`${title} is ${state} (${reason})${who}${message === '' ? '' : `: ${message}`}`);
}

function outcomeText({ outcome }: RuleExplanation): string {
  return 'message' in outcome ? oneLine(`${outcome.outcome}, ${outcome.message}`) : outcome.outcome;
}

function ruleLines({ expressions }: RuleExplanation, colour: boolean): readonly string[] {
  const fields = expressions.filter(({ field }) => !field.startsWith('variables.'));
  const variables = expressions.filter(({ field }) => field.startsWith('variables.'));
  const lines = fields.flatMap((expression) => [
    ...fieldLines(expression, colour),
    ...decidingVariables(expression, variables).flatMap((variable) => fieldLines(variable, colour)),
  ]);
  if (variables.length === 0) return lines;
  const rows = variables.map(({ field, expression, explanation }) => {
    const value = explanation === undefined ? 'does not compile' : viewExplanation(explanation).short;
    const source = oneLine(expression);
    return [`    ${field}`, oneLine(value), cut(source, WIDEST_EXPRESSION)];
  });
  return [...lines, '  with', ...layOut(rows)];
}

/** Kinds of expressions whose parts say more than their value. */
const WORTH_SHOWING: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'conditional',
  'equality',
  'order',
  'membership',
  'fold',
  'bind',
]);

/** The variables that decided a field and were decided by something themselves. */
function decidingVariables(
  { field, text, explanation }: ExpressionExplanation,
  variables: readonly ExpressionExplanation[],
): readonly ExpressionExplanation[] {
  const isAsked = field === 'healthy' || explanation?.result === true;
  if (!isAsked) return [];
  const named = new Set(text.match(/\bvariables\.\w+/g));
  return variables.filter(
    (variable) => named.has(variable.field) && WORTH_SHOWING.has(variable.explanation?.root.kind ?? ''),
  );
}

/** Fields that are not asked for more when they are false. */
const QUIET_WHEN_FALSE: ReadonlySet<string> = new Set(['failed', 'suspended']);

/** Longest sentence behind a field: the values below it say the rest. */
const WIDEST_REASON = 200;

/** A field that is false because nothing asks for more than that (`failed`, `suspended`) is one line. */
function fieldLines(
  { field, expression, explanation, text }: ExpressionExplanation,
  colour: boolean,
): readonly string[] {
  if (explanation === undefined) return [`  ${field} does not compile`, ...indented(harmless(text))];
  const root = viewExplanation(explanation);
  if (root.error !== undefined) {
    return [
      `  ${field} is an error`,
      ...indented(explainedExpression(expression, root, colour).join('\n')),
      ...indented(harmless(text)),
    ];
  }
  if (QUIET_WHEN_FALSE.has(field) && root.value === false) return [`  ${field} is false`];
  const because = text === '' ? '' : `: ${cut(oneLine(text), WIDEST_REASON)}`;
  return [
    `  ${field} is ${root.short}${because}`,
    ...indented(explainedExpression(expression, root, colour).join('\n')),
  ];
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

function indented(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd());
}

/** What `rules explain -o json` prints. */
export function explanationJson(explained: readonly ExplainedObject[]): object {
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'HealthExplanationList',
    items: explained.map(({ object, verdict, rules }) => {
      const { kind, namespace, name } = refOf(object);
      const { state, reason, message, rule } = verdict;
      return {
        apiVersion: asString(object['apiVersion']),
        kind,
        namespace,
        name,
        state,
        reason,
        message,
        rule: rule ?? '',
        rules: rules.map(ruleJson),
      };
    }),
  };
}

function ruleJson({ rule, outcome, expressions }: RuleExplanation): object {
  return {
    rule,
    outcome: outcome.outcome,
    reason: outcome.reason,
    message: 'message' in outcome ? outcome.message : '',
    expressions: expressions.map(({ field, expression, cost, text, explanation }) => ({
      field,
      expression,
      cost,
      text,
      ...(explanation === undefined ? {} : { steps: viewExplanation(explanation) }),
    })),
  };
}
