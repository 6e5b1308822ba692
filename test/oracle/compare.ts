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
    const found = difference(environment, expr, answers[index] ?? {});
    if (found === undefined) return;
    const deviation = deviationOf(found, expr);
    if (deviation === undefined) differences.push(`${expr}\n  ${found}`);
    else listed[deviation] = (listed[deviation] ?? 0) + 1;
  });
  return { differences, listed };
}

function difference(environment: Environment, expr: string, answer: Answer): string | undefined {
  const reference = `\n  reference: ${JSON.stringify(answer.value ?? answer)}`;
  const compiled = environment.compile(expr);
  if (!compiled.ok)
    return answer.refused === true ? undefined : `does not compile: ${compiled.issues[0]?.message}${reference}`;
  if (answer.refused === true) return `compiles, the reference refuses it${reference}`;
  const { program } = compiled;
  const result = program.evaluate({ obj: SUBJECT });
  if (isCelError(result))
    return answer.failed === true ? undefined : `error ${result.code}: ${result.message}${reference}`;
  const typed = JSON.stringify(typedValue(result));
  if (answer.failed === true || typed !== JSON.stringify(answer.value)) return `${typed}${reference}`;
  return program.lastCost === answer.cost ? undefined : `cost ${program.lastCost}, reference ${answer.cost}`;
}
