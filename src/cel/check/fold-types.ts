import type { Expr, FoldExpr } from '../syntax/ast.ts';
import { assertNever } from '../syntax/children.ts';
import { BOOL, type CelType, DYN, ERROR_TYPE, INT, list, map } from '../value/cel-type.ts';
import type { Checker } from './checker.ts';

/** What a range hands to the loop: an index or key, and an element or value. */
interface RangeTypes {
  readonly key: CelType;
  readonly value: CelType;
}

/** The type of a comprehension macro; its parts are checked on the way. */
export function foldedType(checker: Checker, expr: FoldExpr): CelType {
  const range = checker.known(checker.check(expr.range));
  const { key, value } = rangeTypes(checker, expr, range);
  const single = range.kind === 'map' ? key : value;
  const element = expr.indexVariable === undefined ? single : value;
  const variables: (readonly [string, CelType])[] = [[expr.variable, element]];
  if (expr.indexVariable !== undefined) variables.unshift([expr.indexVariable, key]);
  if (expr.filter) needBool(checker, expr, expr.filter, checker.checkWith(variables, expr.filter));
  const body = checker.checkWith(variables, expr.body);
  switch (expr.operation) {
    case 'all':
    case 'exists':
    case 'exists_one':
      needBool(checker, expr, expr.body, body);
      return BOOL;
    case 'filter':
      needBool(checker, expr, expr.body, body);
      return list(checker.known(element));
    case 'map':
    case 'transformList':
      return list(checker.known(body));
    case 'transformMap':
      return map(checker.known(key), checker.known(body));
    case 'transformMapEntry':
      return entryType(checker, expr, checker.known(body));
    case 'sortBy':
      return sortedType(checker, expr, range, checker.known(body));
    default:
      return assertNever(expr.operation);
  }
}

function rangeTypes(checker: Checker, expr: FoldExpr, range: CelType): RangeTypes {
  switch (range.kind) {
    case 'list':
      return { key: INT, value: range.params[0]! };
    case 'map':
      return { key: range.params[0]!, value: range.params[1]! };
    case 'dyn':
    case 'error':
      return { key: DYN, value: DYN };
    case 'parameter':
      checker.unification.assignable(DYN, range);
      return { key: DYN, value: DYN };
    default: {
      const hint = range.kind === 'optional' ? 'take the value out first: .orValue([])' : undefined;
      checker.report('type_mismatch', `${expr.macro}() needs a list or a map, this is ${range}`, expr.range, hint);
      return { key: ERROR_TYPE, value: ERROR_TYPE };
    }
  }
}

function needBool(checker: Checker, expr: FoldExpr, part: Expr, type: CelType): void {
  if (checker.unification.assignable(type, BOOL)) return;
  const message = `the condition of ${expr.macro}() has to be bool, this is ${checker.known(type)}`;
  checker.report('type_mismatch', message, part);
}

function entryType(checker: Checker, expr: FoldExpr, body: CelType): CelType {
  if (body.kind === 'map') return body;
  if (body.kind !== 'dyn' && body.kind !== 'error') {
    checker.report(
      'type_mismatch',
      `transformMapEntry() needs a map as its result, this is ${body}`,
      expr.body,
      'write {key: value}',
    );
  }
  return map(DYN, DYN);
}

/** Types that `sort` and `sortBy` can order. */
const SORTABLE = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

function sortedType(checker: Checker, expr: FoldExpr, range: CelType, key: CelType): CelType {
  const settled = checker.unification.substitute(key, true);
  if (settled.kind !== 'dyn' && settled.kind !== 'error' && !SORTABLE.includes(settled.name)) {
    checker.report('type_mismatch', `sortBy() cannot order ${settled}`, expr.body);
  }
  if (range.kind === 'list') return range;
  if (range.kind === 'map') checker.report('type_mismatch', `sortBy() needs a list, this is ${range}`, expr.range);
  return list(DYN);
}
