import { createEnvironment, type Environment, type EnvironmentVersion, isCelError } from '../../src/cel/index.ts';
import { deviationOf } from './deviations.ts';
import { ExpressionWriter, SUBJECT } from './expressions.ts';
import { typedValue } from './typed-value.ts';

/** What the reference says of one expression: `refused` at compile time, `failed` at run time, or a typed value with its cost. */
export interface Answer {
  readonly refused?: boolean;
  readonly failed?: boolean;
  readonly value?: unknown;
  readonly cost?: number;
}

/** An expression and what its variables hold. */
export interface Question {
  readonly expr: string;
  readonly vars: Readonly<Record<string, unknown>>;
}

/** In the place of the value of an answer: the reference refused for want of a function. */
export const UNKNOWN_NAME = 'unknown name';

export interface Comparison {
  readonly differences: readonly string[];
  /** How often each deviation of the ledger was met. */
  readonly listed: Readonly<Record<string, number>>;
}

/** The expressions of a seed; the same here and for the reference. */
export function expressionsOf(count: number, seed: number): readonly string[] {
  const writer = new ExpressionWriter(seed);
  return Array.from({ length: count }, () => writer.write());
}

/** Compares this engine with the reference's answers in value, error or not, and cost. */
export function compareAnswers(expressions: readonly string[], answers: readonly Answer[], mode: string): Comparison {
  const environment = createEnvironment({ version: mode as EnvironmentVersion, variables: { obj: 'dyn' } });
  const differences: string[] = [];
  const listed: Record<string, number> = {};
  expressions.forEach((expr, index) => {
    const found = difference(environment, { expr, vars: { obj: SUBJECT } }, answers[index] ?? {});
    if (found === undefined) return;
    const deviation = deviationOf(found, expr);
    if (deviation === undefined) differences.push(`${expr}\n  ${found}`);
    else listed[deviation] = (listed[deviation] ?? 0) + 1;
  });
  return { differences, listed };
}

/** The answers of a reference that knows neither our costs nor all our functions, over bindings of their own. */
export function compareValues(
  environment: Environment,
  questions: readonly Question[],
  answers: readonly Answer[],
): Comparison {
  const differences: string[] = [];
  const listed: Record<string, number> = {};
  const count = (id: string): void => {
    listed[id] = (listed[id] ?? 0) + 1;
  };
  for (const [index, question] of questions.entries()) {
    const { cost, ...answer } = answers[index] ?? {};
    const found = difference(environment, question, answer);
    if (found === undefined) continue;
    const deviation = answer.value === UNKNOWN_NAME ? UNKNOWN_NAME : deviationOf(found, question.expr);
    if (deviation === undefined) differences.push(`${question.expr}\n  ${found}`);
    else count(deviation);
  }
  return { differences, listed };
}

function difference(environment: Environment, { expr, vars }: Question, answer: Answer): string | undefined {
  const reference = `\n  reference: ${JSON.stringify(answer.value ?? answer)}`;
  const compiled = environment.compile(expr);
  if (!compiled.ok)
    return answer.refused === true ? undefined : `does not compile: ${compiled.issues[0]?.message}${reference}`;
  if (answer.refused === true) return `compiles, the reference refuses it${reference}`;
  const { program } = compiled;
  const result = program.evaluate(vars);
  if (isCelError(result))
    return answer.failed === true ? undefined : `error ${result.code}: ${result.message}${reference}`;
  const typed = JSON.stringify(typedValue(result));
  if (answer.failed === true || typed !== JSON.stringify(answer.value)) return `${typed}${reference}`;
  return answer.cost === undefined || program.lastCost === answer.cost
    ? undefined
    : `cost ${program.lastCost}, reference ${answer.cost}`;
}
