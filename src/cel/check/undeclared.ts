import type { CallExpr, Expr, IdentExpr } from '../syntax/ast.ts';
import { functionNameSpan } from '../syntax/function-name-span.ts';
import { type CelType, ERROR_TYPE } from '../value/cel-type.ts';
import type { Checker } from './checker.ts';
import { macroHint } from './mismatch.ts';
import { closest, didYouMean } from './suggestion.ts';

/** Names of other languages, and what CEL calls them. */
const OTHER_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['len', 'size'],
  ['length', 'size'],
  ['count', 'size'],
  ['any', 'exists'],
  ['some', 'exists'],
  ['every', 'all'],
  ['includes', 'contains'],
  ['has_key', "'key' in map"],
  ['hasKey', "'key' in map"],
  ['isEmpty', 'size(…) == 0'],
  ['empty', 'size(…) == 0'],
  ['toLower', 'lowerAscii'],
  ['lower', 'lowerAscii'],
  ['toUpper', 'upperAscii'],
  ['upper', 'upperAscii'],
  ['toString', 'string(…)'],
  ['max', 'math.greatest'],
  ['min', 'math.least'],
  ['default', 'orValue'],
]);

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['TRUE', 'true'],
  ['False', 'false'],
  ['FALSE', 'false'],
  ['None', 'null'],
  ['nil', 'null'],
  ['NULL', 'null'],
  ['Null', 'null'],
  ['undefined', 'null'],
]);

/** Reports a name that nothing declares. */
export function undeclaredName(checker: Checker, expr: IdentExpr): CelType {
  if (expr.name === 'authorizer') {
    checker.report('not_supported', 'authorizer: it asks a live API server, which a rule cannot', expr);
    return ERROR_TYPE;
  }
  const hint = nameHint(checker, expr.name);
  checker.report('undeclared_reference', `undeclared reference to '${expr.name}'`, expr, hint);
  return ERROR_TYPE;
}

function nameHint(checker: Checker, name: string): string | undefined {
  const other = OTHER_NAMES.get(name);
  if (other) return `did you mean ${other}?`;
  const similar = didYouMean(name, checker.names.known());
  if (similar) return similar;
  const variables = [...checker.declarations.variables.keys()];
  return variables.length > 0 && variables.length <= 6 ? `declared: ${variables.join(', ')}` : undefined;
}

/**
 * Reports a call of a function that nothing declares. The arguments of a misspelt or misused macro are not looked at: they
 * name variables that the macro would have declared.
 */
export function undeclaredFunction(checker: Checker, expr: CallExpr): CelType {
  const at = functionNameSpan(checker.source, expr);
  if (isMisusedMacro(checker, expr)) {
    const { length } = expr.args;
    const message = `${expr.fn}() does not take ${length} argument${length === 1 ? '' : 's'}`;
    checker.report('invalid_macro', message, at, macroHint(expr.fn));
    return ERROR_TYPE;
  }
  const namespace = namespaceOf(checker, expr.target);
  if (namespace !== undefined) {
    const name = `${namespace}.${expr.fn}`;
    const known = namesOf(checker).filter((each) => each.startsWith(`${namespace}.`));
    const place = { start: expr.target?.start ?? expr.start, end: at.end };
    checker.report('undeclared_reference', `undeclared function '${name}'`, place, didYouMean(name, known));
    return ERROR_TYPE;
  }
  if (expr.target && checker.check(expr.target).kind === 'error') return ERROR_TYPE;
  const similar = similarFunction(checker, expr);
  if (!similar || !checker.declarations.macros.has(similar)) for (const each of expr.args) checker.check(each);
  const message = `undeclared function '${expr.fn.replace(/^\./, '')}'`;
  checker.report('undeclared_reference', message, at, similar && `did you mean ${similar}?`);
  return ERROR_TYPE;
}

/** A macro's name with another number of arguments than the macro takes. */
function isMisusedMacro(checker: Checker, expr: CallExpr): boolean {
  const { macros } = checker.declarations;
  const qualified = expr.target?.kind === 'ident' ? `${expr.target.name}.${expr.fn}` : expr.fn;
  if (!macros.has(expr.fn) && !macros.has(`${expr.fn}2`) && !macros.has(qualified)) return false;
  return (expr.fn === 'has') === (expr.target === undefined);
}

/** The target when it is no value but the first part of functions' names: `math` in `math.max(…)`. */
function namespaceOf(checker: Checker, target: Expr | undefined): string | undefined {
  if (target?.kind !== 'ident' || checker.names.identifier(target.name)) return undefined;
  return namesOf(checker).some((name) => name.startsWith(`${target.name}.`)) ? target.name : undefined;
}

function namesOf(checker: Checker): readonly string[] {
  return [...checker.declarations.functions.keys(), ...checker.declarations.macros];
}

function similarFunction(checker: Checker, expr: CallExpr): string | undefined {
  const other = OTHER_FUNCTIONS.get(expr.fn);
  if (other) return other;
  const { macros, functions } = checker.declarations;
  const member = expr.target !== undefined;
  const candidates = [...macros].filter((name) => /^[a-zA-Z_]+$/.test(name) && (name !== 'has') === member);
  for (const { name, overloads } of functions.values()) {
    if (/^[A-Za-z]/.test(name) && overloads.some((overload) => overload.member === member)) candidates.push(name);
  }
  return closest(expr.fn, candidates);
}
