import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { CelValue } from '../value/cel-value.ts';
import type { Ast, CallExpr, Expr, ListExpr, MapExpr, MessageExpr } from './ast.ts';
import { operatorOf, RELATION } from './binary-operators.ts';
import { nestingIssue } from './comprehension-nesting.ts';
import { RESERVED_WORDS } from './lexer.ts';
import { LiteralError, readBytes, readDouble, readInt, readString, readUint } from './literals.ts';
import { expandMacro, type MacroHost } from './macros.ts';
import { Operands } from './operands.ts';
import { syntaxHint } from './syntax-hints.ts';
import { GIVE_UP, type SyntaxDeclarations, TokenStream } from './token-stream.ts';
import { firstDeeperThan } from './tree-height.ts';

export type { SyntaxDeclarations };

/**
 * Parses one expression and expands its macros. `ast` is there exactly when there is no issue; after an error parsing goes
 * on behind the next `,` `)` `]` `}` of the same depth, so that one run reports several mistakes. Optional syntax (`.?f`,
 * `[?k]`, `[?e]`, `{?k: v}`) is on when the macro `optMap` is, as both come with the optional library. The depth limit holds
 * for brackets and for chains of one kind of operator, as in cel-go; the tree as a whole may be twice as high.
 */
export function parse(source: string, declarations: SyntaxDeclarations): { ast?: Ast; issues: Issue[] } {
  const limit = declarations.limits.expressionLength;
  if (source.length > limit && codePoints(source) > limit) {
    const message = `expression longer than ${limit} characters`;
    return { issues: [issueAt(source, 'error', 'limit_exceeded', message, 0, 0)] };
  }
  const parser = new Parser(source, declarations);
  const root = parser.run();
  if (!root || parser.issues.length > 0) return { issues: parser.issues };
  const { depth } = declarations.limits;
  const tooDeep = parser.nodes > 2 * depth ? firstDeeperThan(2 * depth, root) : undefined;
  if (tooDeep) {
    const message = `expression nested deeper than ${2 * depth} levels`;
    return { issues: [issueAt(source, 'error', 'limit_exceeded', message, tooDeep.start, tooDeep.end)] };
  }
  const nesting = nestingIssue(source, root, parser.folds, declarations.limits.comprehensionNesting);
  if (nesting) return { issues: [nesting] };
  return { ast: { source, root, nodes: parser.nodes, comments: parser.comments }, issues: [] };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

class Parser extends TokenStream implements MacroHost {
  readonly macros: ReadonlySet<string>;
  /** Comprehensions seen: without enough of them no nesting limit can be exceeded. */
  folds = 0;
  private readonly optionalSyntax: boolean;
  // Depths as cel-go counts them: one counter per kind of grammar rule, chains of operators included.
  private expressionDepth = 0;
  private relationDepth = 0;
  private sumDepth = 0;
  private memberDepth = 0;

  constructor(source: string, declarations: SyntaxDeclarations) {
    super(source, declarations);
    this.macros = declarations.macros;
    this.optionalSyntax = declarations.macros.has('optMap');
  }

  get comments(): Ast['comments'] {
    return this.lexer.comments;
  }

  run(): Expr | undefined {
    try {
      this.lexer.next();
      const root = this.expression();
      if (this.lexer.kind !== 'end') this.unexpected('an operator or the end');
      return root;
    } catch (thrown) {
      if (thrown !== GIVE_UP) throw thrown;
      return undefined;
    }
  }

  // ── operators ──

  private expression(): Expr {
    const lexer = this.lexer;
    this.expressionDepth += 1;
    this.checkDepth(this.expressionDepth);
    const start = lexer.start;
    let result = this.disjunction();
    if (lexer.kind === '?') {
      const hint = lexer.source[lexer.end] === '.' ? 'an optional selection is written .?field' : undefined;
      lexer.next();
      const yes = this.expression();
      if (this.at(':')) lexer.next();
      else this.unexpected("':' and the other value of the condition", hint);
      const no = this.expression();
      result = this.call('_?_:_', [result, yes, no], start);
    }
    this.expressionDepth -= 1;
    return result;
  }

  private disjunction(): Expr {
    const start = this.lexer.start;
    const first = this.conjunction();
    if (this.lexer.kind !== '||') return first;
    const operands = new Operands(first, start, this.lexer.previousEnd);
    while (this.lexer.kind === '||') {
      this.lexer.next();
      const from = this.lexer.start;
      operands.push(this.conjunction(), from, this.lexer.previousEnd);
    }
    return this.balanced('_||_', operands, 0, operands.length - 1);
  }

  private conjunction(): Expr {
    const start = this.lexer.start;
    const first = this.binary(RELATION);
    if (this.lexer.kind !== '&&') return first;
    const operands = new Operands(first, start, this.lexer.previousEnd);
    while (this.lexer.kind === '&&') {
      this.lexer.next();
      const from = this.lexer.start;
      operands.push(this.binary(RELATION), from, this.lexer.previousEnd);
    }
    return this.balanced('_&&_', operands, 0, operands.length - 1);
  }

  /** A chain of n operands as a tree of depth log n: no stage after this one recurses deeper for a longer chain. */
  private balanced(fn: string, operands: Operands, low: number, high: number): Expr {
    if (low === high) return operands.at(low);
    const middle = (low + high + 1) >> 1;
    const left = this.balanced(fn, operands, low, middle - 1);
    const right = this.balanced(fn, operands, middle, high);
    return {
      kind: 'call',
      id: this.nextId(),
      start: operands.starts[low] ?? left.start,
      end: operands.ends[high] ?? right.end,
      fn,
      target: undefined,
      args: [left, right],
    };
  }

  /** Comparisons, sums and products by precedence climbing; all are left-associative. */
  private binary(minimum: number): Expr {
    const lexer = this.lexer;
    const relations = this.relationDepth;
    const sums = this.sumDepth;
    if (minimum === RELATION) this.checkDepth(++this.relationDepth);
    this.checkDepth(++this.sumDepth);
    const start = lexer.start;
    let left = this.unary();
    for (;;) {
      const operator = operatorOf(lexer.kind);
      if (operator === undefined || operator.precedence < minimum) break;
      lexer.next();
      if (operator.precedence === RELATION) {
        this.sumDepth = sums;
        this.checkDepth(++this.relationDepth);
      } else this.checkDepth(++this.sumDepth);
      const right = this.binary(operator.precedence + 1);
      left = this.call(operator.fn, [left, right], start);
    }
    this.relationDepth = relations;
    this.sumDepth = sums;
    return left;
  }

  /** `!!x` and `--x` are x (as cel-go reads them); a minus directly before a number belongs to the number. */
  private unary(): Expr {
    const lexer = this.lexer;
    const kind = lexer.kind;
    if (kind !== '!' && kind !== '-') return this.member(false, lexer.start);
    const start = lexer.start;
    let count = 0;
    while (lexer.kind === kind) {
      count += 1;
      lexer.next();
    }
    if (kind === '-' && count === 1 && (lexer.kind === 'int' || lexer.kind === 'double'))
      return this.member(true, start);
    if (lexer.kind === '!' || (lexer.kind === '-' && kind === '!' && !this.minusOfNumber())) {
      return this.unexpected("a value: put the inner '!' or '-' in parentheses");
    }
    const operand = lexer.kind === '-' ? this.unary() : this.member(false, lexer.start);
    return count % 2 === 0 ? operand : this.call(kind === '!' ? '!_' : '-_', [operand], start);
  }

  private minusOfNumber(): boolean {
    return /^[\t\n\f\r ]*\.?[0-9]/.test(this.lexer.source.slice(this.lexer.end, this.lexer.end + 16));
  }

  private call(fn: string, args: readonly Expr[], start: number): CallExpr {
    return { kind: 'call', id: this.nextId(), start, end: this.lexer.previousEnd, fn, target: undefined, args };
  }

  // ── members ──

  private member(negative: boolean, start: number): Expr {
    const lexer = this.lexer;
    const depth = this.memberDepth;
    this.checkDepth(++this.memberDepth);
    let expr = this.primary(negative, start);
    for (;;) {
      const kind = lexer.kind;
      if (kind === '.') expr = this.selection(expr, start);
      else if (kind === '[') expr = this.index(expr, start);
      else if (kind === '{' && isTypeName(expr)) expr = this.message(expr, start);
      else break;
      this.checkDepth(++this.memberDepth);
    }
    this.memberDepth = depth;
    return expr;
  }

  private selection(operand: Expr, start: number): Expr {
    const lexer = this.lexer;
    lexer.next();
    const optional = lexer.kind === '?';
    if (optional) {
      this.needOptionals();
      lexer.next();
    }
    const quoted = lexer.kind === 'quoted';
    if (lexer.kind !== 'name' && !quoted) return this.unexpected('a field name');
    const fieldStart = lexer.start;
    const fieldEnd = lexer.end;
    const field = this.fieldName();
    if (lexer.kind === '(' && !optional && !quoted) return this.memberCall(operand, field, start);
    return {
      kind: 'select',
      id: this.nextId(),
      start,
      end: fieldEnd,
      operand,
      field,
      fieldStart,
      fieldEnd,
      test: false,
      optional,
      quoted,
    };
  }

  /** The name that is the current token, which is passed. */
  private fieldName(): string {
    const lexer = this.lexer;
    const { kind, start, end } = lexer;
    if (kind === 'quoted' && !this.declarations.quotedFields) {
      this.report(
        'syntax',
        'quoted field names are not part of this environment',
        start,
        end,
        "use an index: obj['…']",
      );
    }
    const name = kind === 'quoted' ? lexer.source.slice(start + 1, end - 1) : lexer.text();
    lexer.next();
    return name;
  }

  private memberCall(target: Expr, fn: string, start: number): Expr {
    const args = this.argumentsOf();
    return this.expanded({ kind: 'call', id: this.nextId(), start, end: this.lexer.previousEnd, fn, target, args });
  }

  private expanded(call: CallExpr): Expr {
    const macro = expandMacro(this, call);
    if (macro?.kind === 'fold') this.folds += 1;
    return macro ?? call;
  }

  private argumentsOf(): Expr[] {
    const lexer = this.lexer;
    const args: Expr[] = [];
    lexer.next();
    while (!this.at(')') && !this.at('end')) {
      args.push(this.expression());
      if (!this.comma(')')) break;
      if (this.at(')') && this.reportedAt < lexer.previousEnd - 1) this.unexpected('another argument');
    }
    this.close(')');
    return args;
  }

  private index(target: Expr, start: number): Expr {
    this.lexer.next();
    const optional = this.optionalMark();
    const key = this.expression();
    this.close(']');
    return this.call(optional ? '_[?_]' : '_[_]', [target, key], start);
  }

  /** Passes a `?` that marks an optional entry or index. */
  private optionalMark(): boolean {
    if (this.lexer.kind !== '?') return false;
    this.needOptionals();
    this.lexer.next();
    return true;
  }

  private needOptionals(): void {
    if (this.optionalSyntax) return;
    const { start, end } = this.lexer;
    this.report('not_supported', 'optional values (?) are not part of this environment', start, end);
  }

  // ── primary expressions ──

  private primary(negative: boolean, start: number): Expr {
    const lexer = this.lexer;
    switch (lexer.kind) {
      case 'name':
        return this.identifier(start, '');
      case '.':
        lexer.next();
        if (!this.at('name')) return this.unexpected('a name after the leading dot');
        return this.identifier(start, '.');
      case 'int':
      case 'uint':
      case 'double':
      case 'string':
      case 'bytes':
        return this.literal(negative, start);
      case 'true':
        return this.constant(true);
      case 'false':
        return this.constant(false);
      case 'null':
        return this.constant(null);
      case '(':
        return this.parenthesised();
      case '[':
        return this.list();
      case '{':
        return this.map();
      default:
        return this.unexpected('a value');
    }
  }

  private parenthesised(): Expr {
    this.lexer.next();
    const inner = this.expression();
    this.close(')');
    return inner;
  }

  private identifier(start: number, dot: string): Expr {
    const lexer = this.lexer;
    const word = lexer.text();
    if (RESERVED_WORDS.has(word)) return this.reservedWord(word);
    const end = lexer.end;
    lexer.next();
    if (lexer.kind !== '(') return { kind: 'ident', id: this.nextId(), start, end, name: dot + word };
    const args = this.argumentsOf();
    const call: CallExpr = {
      kind: 'call',
      id: this.nextId(),
      start,
      end: lexer.previousEnd,
      fn: dot + word,
      target: undefined,
      args,
    };
    return this.expanded(call);
  }

  private reservedWord(word: string): Expr {
    const { source, start, end } = this.lexer;
    const hint = syntaxHint(source, 'name', start, end) ?? `it can only name a field, as in obj.${word}`;
    this.report('syntax', `'${word}' is a reserved word`, start, end, hint);
    this.reportedAt = start;
    return this.unexpected('a name');
  }

  private constant(value: CelValue): Expr {
    const { start, end } = this.lexer;
    this.lexer.next();
    return { kind: 'literal', id: this.nextId(), start, end, value };
  }

  private literal(negative: boolean, start: number): Expr {
    const { end } = this.lexer;
    const value = this.literalValue(negative, start);
    this.lexer.next();
    if (!(value instanceof LiteralError)) return { kind: 'literal', id: this.nextId(), start, end, value };
    this.report('invalid_literal', value.message, value.start, value.end);
    return { kind: 'literal', id: this.lastId, start, end, value: null };
  }

  private literalValue(negative: boolean, start: number): CelValue | LiteralError {
    const lexer = this.lexer;
    switch (lexer.kind) {
      case 'int':
        return readInt(lexer.text(), negative, start, lexer.end);
      case 'uint':
        return readUint(lexer.text(), start, lexer.end);
      case 'double':
        return readDouble(lexer.text(), negative, start, lexer.end);
      case 'bytes':
        return readBytes(lexer.source, start, lexer.end);
      default:
        return readString(lexer.source, start, lexer.end);
    }
  }

  private list(): ListExpr {
    const lexer = this.lexer;
    const start = lexer.start;
    const elements: { value: Expr; optional: boolean }[] = [];
    lexer.next();
    while (lexer.kind !== ']' && lexer.kind !== 'end') {
      const optional = this.optionalMark();
      elements.push({ value: this.expression(), optional });
      if (!this.comma(']')) break;
    }
    this.close(']');
    return { kind: 'list', id: this.nextId(), start, end: lexer.previousEnd, elements };
  }

  private map(): MapExpr {
    const lexer = this.lexer;
    const start = lexer.start;
    const entries: { key: Expr; value: Expr; optional: boolean }[] = [];
    lexer.next();
    while (lexer.kind !== '}' && lexer.kind !== 'end') {
      const optional = this.optionalMark();
      const key = this.expression();
      if (lexer.kind === ':') {
        lexer.next();
        entries.push({ key, value: this.expression(), optional });
      } else this.unexpected("':' and a value");
      if (!this.comma('}')) break;
    }
    this.close('}');
    return { kind: 'map', id: this.nextId(), start, end: lexer.previousEnd, entries };
  }

  private message(type: Expr, start: number): MessageExpr {
    const lexer = this.lexer;
    const fields: { name: string; value: Expr; optional: boolean }[] = [];
    lexer.next();
    while (lexer.kind !== '}' && lexer.kind !== 'end') {
      const optional = this.optionalMark();
      if (lexer.kind === 'name' || lexer.kind === 'quoted') {
        const name = this.fieldName();
        if (this.at(':')) {
          lexer.next();
          fields.push({ name, value: this.expression(), optional });
        } else this.unexpected("':' and a value");
      } else this.unexpected('a field name');
      if (!this.comma('}')) break;
    }
    this.close('}');
    return { kind: 'message', id: this.nextId(), start, end: lexer.previousEnd, typeName: typeNameOf(type), fields };
  }
}

function isTypeName(expr: Expr): boolean {
  let at = expr;
  while (at.kind === 'select' && !at.optional && !at.quoted && !at.test) at = at.operand;
  return at.kind === 'ident';
}

function typeNameOf(expr: Expr): string {
  if (expr.kind === 'select') return `${typeNameOf(expr.operand)}.${expr.field}`;
  return expr.kind === 'ident' ? expr.name : '';
}
