import { OPERATOR } from '../operators.ts';
import type { Ast, CallExpr, Expr, ListExpr, SelectExpr } from '../syntax/ast.ts';
import { assertNever } from '../syntax/children.ts';
import { functionNameSpan } from '../syntax/function-name-span.ts';
import { CelDouble } from '../value/cel-value.ts';
import { isInt } from '../value/number.ts';
import {
  commaSeparated,
  type Document,
  firstPlace,
  group,
  indent,
  LINE,
  parts,
  SOFT_LINE,
  SPACE,
  text,
} from './document.ts';
import { literalText, multilineString } from './literal-text.ts';

/** How tightly an expression holds together, from loose to tight; operands looser than their place get parentheses. */
const CONDITIONAL = 0;
const OR = 1;
const AND = 2;
const RELATION = 3;
const SUM = 4;
const PRODUCT = 5;
const UNARY = 6;
const MEMBER = 7;

const BINARY: Readonly<Record<string, readonly [sign: string, tightness: number]>> = {
  [OPERATOR.equals]: ['==', RELATION],
  [OPERATOR.notEquals]: ['!=', RELATION],
  [OPERATOR.less]: ['<', RELATION],
  [OPERATOR.lessOrEqual]: ['<=', RELATION],
  [OPERATOR.greater]: ['>', RELATION],
  [OPERATOR.greaterOrEqual]: ['>=', RELATION],
  [OPERATOR.in]: ['in', RELATION],
  [OPERATOR.add]: ['+', SUM],
  [OPERATOR.subtract]: ['-', SUM],
  [OPERATOR.multiply]: ['*', PRODUCT],
  [OPERATOR.divide]: ['/', PRODUCT],
  [OPERATOR.modulo]: ['%', PRODUCT],
};

export interface ExpressionOptions {
  /** Text that was written over several lines stays so. */
  readonly multiline: boolean;
}

/** The document of a whole expression. */
export function documentOf(ast: Ast, options: ExpressionOptions): Document {
  return new Writer(ast.source, options).expression(ast.root);
}

function tightness(expr: Expr): number {
  if (expr.kind !== 'call' || expr.target) return MEMBER;
  switch (expr.fn) {
    case OPERATOR.conditional:
      return CONDITIONAL;
    case OPERATOR.or:
      return OR;
    case OPERATOR.and:
      return AND;
    case OPERATOR.not:
    case OPERATOR.negate:
      return UNARY;
    default:
      return BINARY[expr.fn]?.[1] ?? MEMBER;
  }
}

/** How many arguments of a macro name its variables and stay beside the opening parenthesis. */
function variableCount(name: string, argumentCount: number): number {
  switch (name) {
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return 2;
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'existsOne':
      return argumentCount === 3 ? 2 : 1;
    case 'map':
    case 'filter':
    case 'sortBy':
    case 'optMap':
    case 'optFlatMap':
    case 'bind':
      return 1;
    default:
      return 0;
  }
}

class Writer {
  private readonly source: string;
  private readonly options: ExpressionOptions;

  constructor(source: string, options: ExpressionOptions) {
    this.source = source;
    this.options = options;
  }

  expression(expr: Expr): Document {
    switch (expr.kind) {
      case 'literal':
        return this.literal(expr.value, expr.start, expr.end);
      case 'ident':
        return text(identifierText(expr.name), expr.end - 1);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.bracketed(
          text('{', expr.start),
          expr.entries.map(({ key, value, optional }) =>
            parts(...mark(optional), this.expression(key), text(':'), SPACE, this.expression(value)),
          ),
          text('}', expr.end - 1),
        );
      case 'message':
        return this.bracketed(
          text(`${expr.typeName}{`, expr.start),
          expr.fields.map(({ name, value, optional }) =>
            parts(...mark(optional), text(`${fieldText(name)}:`), SPACE, this.expression(value)),
          ),
          text('}', expr.end - 1),
        );
      case 'fold': {
        const names = expr.indexVariable === undefined ? [expr.variable] : [expr.indexVariable, expr.variable];
        const body = expr.filter ? [expr.filter, expr.body] : [expr.body];
        return this.macro(expr.range, expr.macro, names, body, expr.end);
      }
      case 'bind':
        return parts(text('cel'), this.macro(undefined, 'bind', [expr.variable], [expr.init, expr.body], expr.end));
      case 'optionalMap':
        return this.macro(expr.target, expr.flat ? 'optFlatMap' : 'optMap', [expr.variable], [expr.body], expr.end);
      case 'block': {
        const slots = this.bracketed(
          text('['),
          expr.slots.map((slot) => this.expression(slot)),
          text(']'),
        );
        return this.bracketed(text('cel.block('), [slots, this.expression(expr.body)], text(')', expr.end - 1));
      }
      default:
        return assertNever(expr);
    }
  }

  private literal(value: Extract<Expr, { kind: 'literal' }>['value'], start: number, end: number): Document {
    const written = this.source.slice(start, end);
    const multiline = this.options.multiline && typeof value === 'string' ? multilineString(value, written) : undefined;
    return text(multiline ?? literalText(value, written), start);
  }

  /** An operand, in parentheses when it is looser than its place allows. */
  private operand(expr: Expr, least: number): Document {
    return tightness(expr) >= least ? this.expression(expr) : this.parenthesised(expr);
  }

  private parenthesised(expr: Expr): Document {
    const inner = this.expression(expr);
    return this.bracketed(before('(', inner), [inner], text(')'));
  }

  /** `[a, b]`: on one line, or each part on a line of its own. */
  private bracketed(open: Document, items: readonly Document[], close: Document): Document {
    if (items.length === 0) return parts(open, close);
    return group(open, indent(SOFT_LINE, commaSeparated(items)), SOFT_LINE, close);
  }

  private list(expr: ListExpr): Document {
    const items = expr.elements.map(({ value, optional }) => parts(...mark(optional), this.expression(value)));
    return this.bracketed(text('[', expr.start), items, text(']', expr.end - 1));
  }

  // ── members ──

  private select(expr: SelectExpr): Document {
    const name = expr.quoted ? `\`${expr.field}\`` : expr.field;
    const path = parts(
      this.operand(expr.operand, MEMBER),
      text(`.${expr.optional ? '?' : ''}${name}`, expr.fieldStart),
    );
    if (!expr.test) return path;
    return this.bracketed(text('has(', expr.start), [path], text(')', expr.end - 1));
  }

  private call(expr: CallExpr): Document {
    const { target, fn, args } = expr;
    const [first, second, third] = args;
    if (!target && fn === OPERATOR.conditional && first && second && third) return this.conditional(expr);
    if (!target && (fn === OPERATOR.and || fn === OPERATOR.or)) return this.chain(expr);
    if (!target && first && (fn === OPERATOR.not || fn === OPERATOR.negate)) return this.unary(fn, first);
    if (!target && first && second) {
      if (fn === OPERATOR.index || fn === OPERATOR.optionalIndex) return this.index(expr, first, second);
      const binary = BINARY[fn];
      if (binary) return this.binary(first, second, ...binary);
    }
    const span = functionNameSpan(this.source, expr);
    const close = text(')', expr.end - 1);
    const written = writtenArguments(expr);
    const hugged = target && written.length > 1 && written[0]?.kind === 'ident' ? variableCount(fn, written.length) : 0;
    const names = written.slice(0, hugged).map((each) => this.expression(each));
    const rest = written.slice(hugged).map((each) => this.expression(each));
    if (!target) return this.invocation(text(`${fn}(`, span.start), names, rest, close);
    return parts(this.operand(target, MEMBER), this.invocation(text(`.${fn}(`, span.start), names, rest, close));
  }

  private macro(
    target: Expr | undefined,
    name: string,
    variables: readonly string[],
    body: readonly Expr[],
    end: number,
  ): Document {
    const names = variables.map((each) => text(identifierText(each)));
    const rest = body.map((each) => this.expression(each));
    const call = this.invocation(text(`.${name}(`), names, rest, text(')', end - 1));
    return target ? parts(this.operand(target, MEMBER), call) : call;
  }

  /** `f(x, …)`: the variables of a macro stay beside the parenthesis when the other arguments take lines of their own. */
  private invocation(open: Document, names: readonly Document[], rest: readonly Document[], close: Document): Document {
    if (names.length === 0) return this.bracketed(open, rest, close);
    const head = names.flatMap((name, index) => (index === 0 ? [name, text(',')] : [SPACE, name, text(',')]));
    return group(open, ...head, indent(LINE, commaSeparated(rest)), SOFT_LINE, close);
  }

  private index(expr: CallExpr, operand: Expr, by: Expr): Document {
    const key = this.expression(by);
    const open = before(expr.fn === OPERATOR.optionalIndex ? '[?' : '[', key);
    return parts(this.operand(operand, MEMBER), open, key, text(']', expr.end - 1));
  }

  // ── operators ──

  private unary(fn: string, operand: Expr): Document {
    const sign = fn === OPERATOR.not ? '!' : '-';
    // `!!x` and `--x` are x, `!-x` is no CEL, and `-1` is a number of its own.
    const apart = tightness(operand) < MEMBER || (fn === OPERATOR.negate && beginsWithNumber(operand));
    const value = apart ? this.parenthesised(operand) : this.expression(operand);
    return parts(before(sign, value), value);
  }

  private binary(left: Expr, right: Expr, sign: string, tight: number): Document {
    return parts(this.operand(left, tight), SPACE, signed(sign, this.operand(right, tight + 1)));
  }

  /** A chain of one logical operator: however it was grouped, it means the same. */
  private chain(expr: CallExpr): Document {
    const [sign, least] = expr.fn === OPERATOR.and ? ['&&', RELATION] : ['||', AND];
    const [first, ...others] = chainOperands(expr);
    const following = others.map((each) => parts(LINE, signed(sign, this.operand(each, least))));
    return group(...(first ? [this.operand(first, least)] : []), indent(...following));
  }

  /** `a ? b : c ? d : e` is one chain of cases. */
  private conditional(expr: CallExpr): Document {
    const cases: Document[] = [];
    let at: Expr = expr;
    let head: Document | undefined;
    while (at.kind === 'call' && !at.target && at.fn === OPERATOR.conditional) {
      const [condition, yes, no]: readonly Expr[] = at.args;
      if (!condition || !yes || !no) break;
      const test = this.operand(condition, OR);
      if (!head) head = test;
      else cases.push(LINE, signed(':', test));
      cases.push(LINE, signed('?', this.operand(yes, OR)));
      at = no;
    }
    return group(...(head ? [head] : []), indent(...cases, LINE, signed(':', this.expression(at))));
  }
}

/** A sign that stands directly before a document; comments between the two go before the sign. */
function before(sign: string, document: Document): Document {
  return text(sign, firstPlace(document));
}

function signed(sign: string, document: Document): Document {
  return parts(before(sign, document), SPACE, document);
}

function mark(optional: boolean): readonly Document[] {
  return optional ? [text('?')] : [];
}

/** The names that only `cel.block` makes are written as calls. */
function identifierText(name: string): string {
  const index = /^@index(\d+)$/.exec(name);
  if (index) return `cel.index(${index[1]})`;
  const variable = /^@(it|ac):(\d+):(\d+)$/.exec(name);
  if (!variable) return name;
  return `cel.${variable[1] === 'it' ? 'iterVar' : 'accuVar'}(${variable[2]}, ${variable[3]})`;
}

function fieldText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
}

/** `math.least(a, b, c)` became a call with one list, which no one wrote. */
function writtenArguments(expr: CallExpr): readonly Expr[] {
  const [only] = expr.args;
  if (expr.args.length !== 1 || only?.kind !== 'list') return expr.args;
  const [first] = only.elements;
  if (!first || only.start !== first.value.start) return expr.args;
  return only.elements.map(({ value }) => value);
}

/** The operands of `a && b && c`, in order, by an explicit stack: a chain may have thousands. */
export function chainOperands(expr: CallExpr): readonly Expr[] {
  const operands: Expr[] = [];
  const pending: Expr[] = [expr];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'call' && !next.target && next.fn === expr.fn) pending.push(...[...next.args].reverse());
    else operands.push(next);
  }
  return operands;
}

/** Whether the first token of an expression that holds tightly together is an int or a double. */
function beginsWithNumber(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
      return isInt(expr.value) || typeof expr.value === 'number' || expr.value instanceof CelDouble;
    case 'select':
      return !expr.test && beginsWithNumber(expr.operand);
    case 'call': {
      const isIndex = expr.fn === OPERATOR.index || expr.fn === OPERATOR.optionalIndex;
      const first = expr.target ?? (isIndex ? expr.args[0] : undefined);
      return first !== undefined && beginsWithNumber(first);
    }
    case 'fold':
      return beginsWithNumber(expr.range);
    case 'optionalMap':
      return beginsWithNumber(expr.target);
    default:
      return false;
  }
}
