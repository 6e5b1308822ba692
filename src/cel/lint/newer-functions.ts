import type { CheckedAst } from '../declarations.ts';
import type { Issue, TextEdit } from '../issue.ts';
import { macroSince, overloadSince } from '../libraries/kubernetes-since.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, CallExpr, Expr, SelectExpr } from '../syntax/ast.ts';
import { functionNameSpan } from '../syntax/function-name-span.ts';

/** What an expression uses that not every Kubernetes version has. */
interface Feature {
  /** As the author knows it: `quantity()`. */
  readonly name: string;
  /** The first minor version of Kubernetes 1 that has it; undefined when none has. */
  readonly since: number | undefined;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
  readonly edit?: TextEdit;
}

/** Warns of a function, macro or syntax that Kubernetes 1.`minor` does not have, and names the first version that has it. */
export function newerFunction(ast: Ast, checked: CheckedAst, expr: Expr, minor: number): Issue | undefined {
  const feature = featureOf(ast, checked, expr);
  if (!feature || (feature.since !== undefined && feature.since <= minor)) return undefined;
  const { name, since, start, end, edit } = feature;
  const message =
    since === undefined
      ? `${name} is in no Kubernetes version`
      : `${name} came with Kubernetes 1.${since}, not in 1.${minor}`;
  const hint = feature.hint ?? (since === undefined ? 'write it with other functions' : `needs Kubernetes 1.${since}`);
  return issueAt(ast.source, 'warning', 'newer_function', message, start, end, { hint, edit });
}

function featureOf(ast: Ast, checked: CheckedAst, expr: Expr): Feature | undefined {
  const { start, end } = expr;
  switch (expr.kind) {
    case 'select':
      return selectFeature(ast.source, expr);
    case 'call':
      return callFeature(ast, checked, expr);
    case 'fold': {
      const two = expr.indexVariable !== undefined && !expr.macro.startsWith('transform');
      const since = macroSince(two ? `${expr.macro}2` : expr.macro);
      const name = two ? `${expr.macro}() with two variables` : `${expr.macro}()`;
      const feature = { name, since, start, end };
      return expr.macro === 'existsOne' && !two
        ? { ...feature, ...oldSpelling(ast.source, expr.range.end, end) }
        : feature;
    }
    case 'bind':
      return {
        name: 'cel.bind()',
        since: macroSince('cel.bind'),
        start,
        end,
        hint: 'write the value where it is used',
      };
    case 'optionalMap':
      return { name: expr.flat ? 'optFlatMap()' : 'optMap()', since: macroSince('optMap'), start, end };
    case 'block':
      return { name: 'cel.block()', since: macroSince('cel.block'), start, end };
    case 'list':
    case 'map': {
      const entries = expr.kind === 'list' ? expr.elements : expr.entries;
      return entries.some(({ optional }) => optional)
        ? { name: 'an entry marked ?', since: macroSince('optMap'), start, end }
        : undefined;
    }
    default:
      return undefined;
  }
}

function oldSpelling(source: string, from: number, to: number): Pick<Feature, 'hint' | 'edit'> {
  const start = source.indexOf('existsOne', from);
  if (start < 0 || start >= to) return { hint: 'write exists_one' };
  return { hint: 'write exists_one', edit: { start, end: start + 'existsOne'.length, text: 'exists_one' } };
}

function selectFeature(source: string, expr: SelectExpr): Feature | undefined {
  const { fieldStart: start, fieldEnd: end } = expr;
  if (expr.optional) {
    return { name: 'an optional selection (.?)', since: macroSince('optMap'), start, end, hint: 'test with has(…)' };
  }
  if (!expr.quoted) return undefined;
  const dot = source.lastIndexOf('.', start);
  const text = `[${JSON.stringify(expr.field)}]`;
  const edit = expr.test ? undefined : { start: dot, end, text };
  return {
    name: 'a field name in backquotes',
    since: undefined,
    start,
    end,
    hint: `select by index: ${text}`,
    ...(edit ? { edit } : {}),
  };
}

function callFeature(ast: Ast, checked: CheckedAst, expr: CallExpr): Feature | undefined {
  if (expr.fn === '_[?_]') {
    const { start, end } = expr;
    return {
      name: 'an optional index ([?…])',
      since: macroSince('optMap'),
      start,
      end,
      hint: "test with 'key' in map",
    };
  }
  const reference = checked.references.get(expr.id);
  if (reference?.kind !== 'function' || !/^[A-Za-z]/.test(reference.fn.name)) return undefined;
  // Only a caller's own functions say whether they are pure; Kubernetes has none of them, and that is their business.
  const overloads = reference.overloads.filter(({ pure }) => pure === undefined);
  if (overloads.length === 0) return undefined;
  const { fn } = reference;
  const versions = overloads.map((overload) => overloadSince(fn.name, overload)).filter((minor) => minor !== undefined);
  const since = versions.length > 0 ? Math.min(...versions) : undefined;
  const span = functionNameSpan(ast.source, expr);
  const instead = plainDefault(ast.source, expr);
  return { name: `${fn.name}()`, since, ...span, ...instead };
}

/** `a.?b.orValue(d)` is `has(a.b) ? a.b : d`. */
function plainDefault(source: string, expr: CallExpr): Pick<Feature, 'hint' | 'edit'> {
  const { target, args } = expr;
  const [fallback] = args;
  if (expr.fn !== 'orValue' || target?.kind !== 'select' || !target.optional || !fallback) return {};
  if (source.slice(target.operand.start, target.operand.end).includes('?')) return {};
  const path = `${source.slice(target.operand.start, target.operand.end)}.${source.slice(target.fieldStart, target.fieldEnd)}`;
  const text = `(has(${path}) ? ${path} : ${source.slice(fallback.start, fallback.end)})`;
  return { hint: `write ${text}`, edit: { start: expr.start, end: expr.end, text } };
}
