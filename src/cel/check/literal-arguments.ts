import type { CallContext, FunctionDeclaration, Overload } from '../declarations.ts';
import { CelError } from '../error.ts';
import type { CallExpr, LiteralExpr } from '../syntax/ast.ts';
import type { FormatStyle } from '../text/format.ts';
import { DYN } from '../value/cel-type.ts';
import type { CelResult, CelValue } from '../value/cel-value.ts';
import type { Checker } from './checker.ts';
import { formatProblem } from './format-clauses.ts';

/** Reports constant arguments that fail whenever the call runs: `duration('1d')`, a misfit of format. */
export function literalIssues(checker: Checker, expr: CallExpr, fn: FunctionDeclaration): void {
  switch (fn.name) {
    case 'duration':
    case 'timestamp':
      conversionIssue(checker, expr, fn);
      return;
    case 'format':
      formatIssue(checker, expr, fn.formatStyle ?? 'plain');
      return;
    default:
      return;
  }
}

function stringLiteral(expr: CallExpr['args'][number] | undefined): LiteralExpr | undefined {
  return expr?.kind === 'literal' && typeof expr.value === 'string' ? expr : undefined;
}

function conversionIssue(checker: Checker, expr: CallExpr, fn: FunctionDeclaration): void {
  const literal = stringLiteral(expr.args[0]);
  const overload = fn.overloads.find((each) => each.params.length === 1 && each.params[0]?.name === 'string');
  if (!checker.context || expr.target || expr.args.length !== 1 || !literal || !overload) return;
  const result = run(overload, checker.context, literal.value);
  if (result instanceof CelError) checker.report('invalid_argument', result.message, literal);
}

function run(overload: Overload, context: CallContext, argument: CelValue): CelResult {
  // `never[]` stands for any parameters; the literal is of the overload's parameter type.
  const impl = overload.impl as unknown as (context: CallContext, argument: CelValue) => CelResult;
  return impl(context, argument);
}

const PATTERN_SEARCHES: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** Reports a constant pattern that is none: `x.matches('(')`. */
export function patternIssue(checker: Checker, expr: CallExpr, fn: FunctionDeclaration): void {
  // A function of the caller's own, which alone says whether it is pure, takes what text it likes.
  if (!PATTERN_SEARCHES.has(fn.name) || fn.overloads.some(({ pure }) => pure !== undefined)) return;
  const literal = stringLiteral(expr.target ? expr.args[0] : expr.args[1]);
  if (!checker.context || !literal) return;
  const compiled = checker.context.regex(String(literal.value));
  if (compiled instanceof CelError) checker.report('invalid_argument', compiled.message, literal);
}

function formatIssue(checker: Checker, expr: CallExpr, style: FormatStyle): void {
  const template = stringLiteral(expr.target);
  const [given] = expr.args;
  if (!template || expr.args.length !== 1 || given?.kind !== 'list') return;
  if (given.elements.some((element) => element.optional)) return;
  const types = given.elements.map(({ value }) => {
    const type = checker.types.get(value.id);
    return type ? checker.unification.substitute(type, true) : DYN;
  });
  const problem = formatProblem(String(template.value), types, style);
  if (!problem) return;
  const at = problem.argument === undefined ? template : (given.elements[problem.argument]?.value ?? given);
  checker.report('invalid_argument', problem.message, at);
}
