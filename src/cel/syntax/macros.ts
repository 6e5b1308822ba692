import type { IssueCode } from '../issue.ts';
import type { CallExpr, Expr, FoldOperation, IdentExpr } from './ast.ts';

/** Every macro name a set of declarations can turn on. A digit at the end marks the two-variable form of the same name. */
export const STANDARD_MACROS = ['has', 'all', 'exists', 'exists_one', 'map', 'filter'] as const;
export const TWO_VARIABLE_MACROS = [
  'all2',
  'exists2',
  'exists_one2',
  'existsOne2',
  'transformList',
  'transformMap',
  'transformMapEntry',
] as const;
export const OPTIONAL_MACROS = ['optMap', 'optFlatMap'] as const;
export const BLOCK_MACROS = ['cel.block', 'cel.index', 'cel.iterVar', 'cel.accuVar'] as const;
export const MATH_MACROS = ['math.least', 'math.greatest'] as const;
export const ALL_MACROS: readonly string[] = [
  ...STANDARD_MACROS,
  'existsOne',
  ...TWO_VARIABLE_MACROS,
  ...OPTIONAL_MACROS,
  'sortBy',
  'cel.bind',
  ...MATH_MACROS,
  ...BLOCK_MACROS,
];

/** What a macro needs of the parser. */
export interface MacroHost {
  readonly macros: ReadonlySet<string>;
  nextId(): number;
  /** Nodes of the written call that are no part of the tree any more. */
  dropNodes(count: number): void;
  report(code: IssueCode, message: string, start: number, end: number, hint?: string): void;
}

/**
 * The node a call stands for when it is a macro that is on and has a fitting number of arguments; else undefined, and the
 * call stays a call. Faulty arguments are reported to the host.
 */
export function expandMacro(host: MacroHost, call: CallExpr): Expr | undefined {
  if (!call.target) return call.fn === 'has' ? expandHas(host, call) : undefined;
  const count = call.args.length;
  switch (call.fn) {
    case 'all':
      return fold(host, call, 'all', count === 2 ? 'all' : 'all2', count === 3);
    case 'exists':
      return fold(host, call, 'exists', count === 2 ? 'exists' : 'exists2', count === 3);
    case 'exists_one':
      return fold(host, call, 'exists_one', count === 2 ? 'exists_one' : 'exists_one2', count === 3);
    case 'existsOne':
      return fold(host, call, 'exists_one', count === 2 ? 'existsOne' : 'existsOne2', count === 3);
    case 'filter':
      return count === 2 ? fold(host, call, 'filter', 'filter', false) : undefined;
    case 'map':
      return fold(host, call, 'map', 'map', false);
    case 'transformList':
      return fold(host, call, 'transformList', 'transformList', true);
    case 'transformMap':
      return fold(host, call, 'transformMap', 'transformMap', true);
    case 'transformMapEntry':
      return fold(host, call, 'transformMapEntry', 'transformMapEntry', true);
    case 'sortBy':
      return expandSortBy(host, call);
    case 'optMap':
    case 'optFlatMap':
      return expandOptionalMap(host, call);
    case 'bind':
      return call.target.kind === 'ident' && call.target.name === 'cel' ? expandBind(host, call) : undefined;
    case 'least':
    case 'greatest':
      return call.target.kind === 'ident' && call.target.name === 'math' ? expandExtreme(host, call) : undefined;
    case 'block':
    case 'index':
    case 'iterVar':
    case 'accuVar':
      return call.target.kind === 'ident' && call.target.name === 'cel' ? expandBlockMacro(host, call) : undefined;
    default:
      return undefined;
  }
}

function expandHas(host: MacroHost, call: CallExpr): Expr | undefined {
  const [argument] = call.args;
  if (!host.macros.has('has') || call.args.length !== 1 || !argument) return undefined;
  if (argument.kind === 'select' && !argument.optional) {
    host.dropNodes(1);
    return { ...argument, id: host.nextId(), start: call.start, end: call.end, test: true };
  }
  host.report('invalid_macro', 'has() needs a field selection', argument.start, argument.end, hasHint(argument));
  return call;
}

function hasHint(argument: Expr): string {
  if (argument.kind === 'ident') return `has(${argument.name}.field) tests a field; a variable itself is always there`;
  if (argument.kind === 'select') return 'an optional selection is tested with .hasValue()';
  if (argument.kind === 'call' && argument.fn === '_[_]') return "for a key use 'key' in map";
  return 'write has(object.field)';
}

/** The name of a variable argument; reports and gives undefined when it is none. */
function variableName(host: MacroHost, macro: string, argument: Expr | undefined): string | undefined {
  if (!argument) return undefined;
  if (argument.kind !== 'ident' || argument.name.startsWith('.')) {
    host.report('invalid_macro', `${macro}() needs a plain variable name here`, argument.start, argument.end);
    return undefined;
  }
  if (argument.name === '__result__') {
    host.report('invalid_macro', `the name __result__ is taken by the macro itself`, argument.start, argument.end);
    return undefined;
  }
  return argument.name;
}

/** All loops: `r.name([index,] variable[, filter], body)`; the middle argument exists for map and the transforms. */
function fold(
  host: MacroHost,
  call: CallExpr,
  operation: FoldOperation,
  macro: string,
  twoVariables: boolean,
): Expr | undefined {
  const { target, args } = call;
  const names = twoVariables ? 2 : 1;
  const mayFilter = operation === 'map' || operation.startsWith('transform');
  const fits = args.length === names + 1 || (mayFilter && args.length === names + 2);
  if (!target || !fits || !host.macros.has(macro)) return undefined;
  const first = variableName(host, call.fn, args[0]);
  const second = twoVariables ? variableName(host, call.fn, args[1]) : first;
  const body = args[args.length - 1];
  if (first === undefined || second === undefined || !body) return call;
  if (twoVariables && first === second) {
    const place = args[1] ?? call;
    host.report('invalid_macro', `${call.fn}() needs two different variable names`, place.start, place.end);
    return call;
  }
  host.dropNodes(names);
  return {
    kind: 'fold',
    id: call.id,
    start: call.start,
    end: call.end,
    operation,
    macro: call.fn,
    range: target,
    indexVariable: twoVariables ? first : undefined,
    variable: second,
    filter: args.length === names + 2 ? args[names] : undefined,
    body,
  };
}

function expandSortBy(host: MacroHost, call: CallExpr): Expr | undefined {
  if (call.args.length !== 2 || !host.macros.has('sortBy') || !call.target) return undefined;
  const kind = call.target.kind;
  if (kind !== 'list' && kind !== 'ident' && kind !== 'select' && kind !== 'call' && kind !== 'fold') {
    host.report('invalid_macro', 'sortBy() needs a list before the dot', call.target.start, call.target.end);
    return call;
  }
  return fold(host, call, 'sortBy', 'sortBy', false);
}

function expandOptionalMap(host: MacroHost, call: CallExpr): Expr | undefined {
  const [name, body] = call.args;
  if (call.args.length !== 2 || !host.macros.has(call.fn) || !call.target || !body) return undefined;
  const variable = variableName(host, call.fn, name);
  if (variable === undefined) return call;
  host.dropNodes(1);
  const { id, start, end, target } = call;
  return { kind: 'optionalMap', id, start, end, flat: call.fn === 'optFlatMap', target, variable, body };
}

function expandBind(host: MacroHost, call: CallExpr): Expr | undefined {
  const [name, init, body] = call.args;
  if (call.args.length !== 3 || !host.macros.has('cel.bind') || !init || !body) return undefined;
  const variable = variableName(host, 'cel.bind', name);
  if (variable === undefined) return call;
  host.dropNodes(2);
  return { kind: 'bind', id: call.id, start: call.start, end: call.end, variable, init, body };
}

/** `math.least` and `math.greatest` are functions of one or two values or a list: three arguments and more become a list. */
function expandExtreme(host: MacroHost, call: CallExpr): Expr | undefined {
  const name = `math.${call.fn}`;
  if (!host.macros.has(name)) return undefined;
  if (call.args.length === 0) {
    host.report('invalid_macro', `${name}() needs at least one argument`, call.start, call.end);
    return call;
  }
  for (const argument of extremeOperands(call)) {
    if (!isNumberLike(argument)) {
      host.report('invalid_macro', `${name}() takes numbers only`, argument.start, argument.end);
      return call;
    }
  }
  const first = call.args[0];
  const last = call.args[call.args.length - 1];
  if (call.args.length < 3 || !first || !last) return call;
  const elements = call.args.map((value) => ({ value, optional: false }));
  return { ...call, args: [{ kind: 'list', id: host.nextId(), start: first.start, end: last.end, elements }] };
}

function extremeOperands(call: CallExpr): readonly Expr[] {
  const [only] = call.args;
  if (call.args.length > 1 || !only || only.kind !== 'list') return call.args;
  return only.elements.map((element) => element.value);
}

/** False only for what can never be a number: other literals and constructors of other values. */
function isNumberLike(argument: Expr): boolean {
  if (argument.kind === 'list' || argument.kind === 'map' || argument.kind === 'message') return false;
  if (argument.kind !== 'literal') return true;
  const value = argument.value;
  return value !== null && typeof value !== 'string' && typeof value !== 'boolean' && !(value instanceof Uint8Array);
}

function expandBlockMacro(host: MacroHost, call: CallExpr): Expr | undefined {
  const macro = `cel.${call.fn}`;
  const [first, second] = call.args;
  if (!host.macros.has(macro) || !first) return undefined;
  if (macro === 'cel.block') {
    if (call.args.length !== 2 || !second) return undefined;
    if (first.kind !== 'list' || first.elements.some((element) => element.optional)) {
      host.report('invalid_macro', 'cel.block() needs a list of expressions first', first.start, first.end);
      return call;
    }
    host.dropNodes(2);
    const slots = first.elements.map((element) => element.value);
    return { kind: 'block', id: call.id, start: call.start, end: call.end, slots, body: second };
  }
  const name = blockName(host, call);
  return name === undefined ? undefined : name;
}

/** `cel.index(n)` → `@index<n>`, `cel.iterVar(d, n)` → `@it:<d>:<n>`, `cel.accuVar(d, n)` → `@ac:<d>:<n>`. */
function blockName(host: MacroHost, call: CallExpr): IdentExpr | CallExpr | undefined {
  if (call.args.length !== (call.fn === 'index' ? 1 : 2)) return undefined;
  const numbers: number[] = [];
  for (const argument of call.args) {
    if (argument.kind !== 'literal' || typeof argument.value !== 'number' || !Number.isInteger(argument.value)) {
      host.report('invalid_macro', `cel.${call.fn}() needs int literals`, argument.start, argument.end);
      return call;
    }
    numbers.push(argument.value);
  }
  host.dropNodes(1 + numbers.length);
  const prefix = call.fn === 'index' ? '@index' : call.fn === 'iterVar' ? '@it:' : '@ac:';
  return { kind: 'ident', id: call.id, start: call.start, end: call.end, name: prefix + numbers.join(':') };
}
