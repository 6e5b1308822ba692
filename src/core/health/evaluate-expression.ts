import { fromJs, isCelError } from '../../cel/index.ts';
import { explainText, formatError } from '../../cel/texts.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { bindObject } from './bindings.ts';
import { RULE_COST_LIMIT } from './evaluate-rule.ts';
import { plainResult, type StepView, viewExplanation } from './explain-view.ts';
import { ruleEnvironment } from './rule-environments.ts';

export interface EvaluateOptions {
  /** ms since 1970. */
  readonly now: number;
  /** Units of cost; default: what a rule may use. */
  readonly costLimit?: number;
}

/** What an expression gave on an object. */
export type ExpressionResult =
  /** It does not compile: each message with its line and carets. */
  | { readonly outcome: 'refused'; readonly issues: readonly string[] }
  | ({
      /** The static type, as authors write it: `bool`, `dyn`, `list(int)`. */
      readonly type: string;
      readonly cost: number;
      /** The parts that decided, with the values they saw; '' when there is nothing to say. */
      readonly because: string;
      readonly steps: StepView;
    } & (
      | { readonly outcome: 'value'; readonly value: unknown }
      /** `text` is the message with its line and carets. */
      | { readonly outcome: 'error'; readonly message: string; readonly text: string }
    ));

/** Evaluates an expression with what a rule sees of an object; `variables`, `related` and `params` are empty. Never throws. */
export function evaluateExpression(
  source: string,
  object: KubernetesObject,
  { now, costLimit = RULE_COST_LIMIT }: EvaluateOptions,
): ExpressionResult {
  const compiled = ruleEnvironment('convoy').compile(source);
  if (!compiled.ok) {
    const errors = compiled.issues.filter(({ severity }) => severity === 'error');
    return { outcome: 'refused', issues: errors.map((issue) => formatError(issue, source)) };
  }
  const { program } = compiled;
  const explanation = program.explain(bindObject(object, fromJs(new Date(now)), true, 'masked'), { cost: costLimit });
  const { result, cost } = explanation;
  const told = { type: String(program.resultType), cost, steps: viewExplanation(explanation) };
  if (isCelError(result)) {
    return { ...told, outcome: 'error', because: '', message: result.message, text: formatError(result, source) };
  }
  const plain = plainResult(result);
  return 'error' in plain
    ? { ...told, outcome: 'error', because: '', message: plain.error, text: plain.error }
    : { ...told, outcome: 'value', because: explainText(explanation), value: plain.value };
}
