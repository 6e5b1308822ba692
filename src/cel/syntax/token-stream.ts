import type { Declarations } from '../declarations.ts';
import type { Issue, IssueCode } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Expr } from './ast.ts';
import { Lexer, type TokenKind } from './lexer.ts';
import { syntaxHint } from './syntax-hints.ts';

export type SyntaxDeclarations = Pick<Declarations, 'macros' | 'quotedFields' | 'limits'>;

/** Reported syntax errors and recoveries after which the parser gives up (cel-go's defaults). */
const MAX_ERRORS = 100;
const MAX_RECOVERIES = 30;

const STARTS_VALUE: ReadonlySet<TokenKind> = new Set([
  'name',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'true',
  'false',
  'null',
]);

/** Ends a parse that met a limit. */
export const GIVE_UP = Symbol('give up');

/** The token stream under the grammar: reports, recovers from errors, counts nodes and keeps the limits. */
export class TokenStream {
  readonly issues: Issue[] = [];
  nodes = 0;
  protected readonly lexer: Lexer;
  protected readonly declarations: SyntaxDeclarations;
  protected lastId = 0;
  protected reportedAt = -1;
  private recoveries = 0;

  constructor(source: string, declarations: SyntaxDeclarations) {
    this.lexer = new Lexer(source);
    this.declarations = declarations;
  }

  nextId(): number {
    this.lastId += 1;
    this.nodes += 1;
    if (this.nodes > this.declarations.limits.nodes) {
      this.giveUp(`expression with more than ${this.declarations.limits.nodes} nodes`);
    }
    return this.lastId;
  }

  dropNodes(count: number): void {
    this.nodes -= count;
  }

  report(code: IssueCode, message: string, start: number, end: number, hint?: string): void {
    this.issues.push(issueAt(this.lexer.source, 'error', code, message, start, end, { hint }));
    if (this.issues.length >= MAX_ERRORS) throw GIVE_UP;
  }

  private giveUp(message: string): never {
    const { start, end } = this.lexer;
    this.issues.push(issueAt(this.lexer.source, 'error', 'limit_exceeded', message, start, end));
    throw GIVE_UP;
  }

  protected checkDepth(depth: number): void {
    if (depth > this.declarations.limits.depth) {
      this.giveUp(`expression nested deeper than ${this.declarations.limits.depth} levels`);
    }
  }

  /** Reports the current token once, skips to where parsing can go on, and gives a stand-in node. */
  protected unexpected(expected: string, hint?: string): Expr {
    const lexer = this.lexer;
    if (lexer.start !== this.reportedAt) this.reportToken(expected, hint);
    this.recoveries += 1;
    if (this.recoveries > MAX_RECOVERIES) throw GIVE_UP;
    this.skipToBoundary();
    this.reportedAt = lexer.start;
    return { kind: 'literal', id: this.lastId, start: lexer.start, end: lexer.start, value: null };
  }

  private reportToken(expected: string, hint?: string): void {
    const lexer = this.lexer;
    const { start, end, kind } = lexer;
    if (kind === 'invalid') {
      this.report('syntax', lexer.problem, start, end, lexer.hint);
      return;
    }
    const found = kind === 'end' ? 'the expression ends here' : `unexpected ${quote(lexer.text())}`;
    this.report(
      'syntax',
      `${found}, expected ${expected}`,
      start,
      end,
      hint ?? syntaxHint(lexer.source, kind, start, end),
    );
  }

  /** To the next `,` or closing bracket that belongs to the construct being parsed. */
  private skipToBoundary(): void {
    const lexer = this.lexer;
    for (let open = 0; lexer.kind !== 'end'; lexer.next()) {
      const kind = lexer.kind;
      if (kind === '(' || kind === '[' || kind === '{') open += 1;
      else if (kind === ')' || kind === ']' || kind === '}') {
        if (open === 0) return;
        open -= 1;
      } else if (kind === ',' && open === 0) return;
    }
  }

  /** A call, so that the type checker does not take the kind for unchanged after `next()`. */
  protected at(kind: TokenKind): boolean {
    return this.lexer.kind === kind;
  }

  /** Passes a comma between the parts of a bracketed list; false at its end. What is neither is reported. */
  protected comma(closing: ')' | ']' | '}'): boolean {
    if (this.at(closing)) return false;
    if (!this.at(','))
      this.unexpected(`',' or '${closing}'`, STARTS_VALUE.has(this.lexer.kind) ? this.missingComma() : undefined);
    if (!this.at(',')) return false;
    this.lexer.next();
    return true;
  }

  private missingComma(): string {
    const { source, kind, start, end } = this.lexer;
    return syntaxHint(source, kind, start, end) ?? 'is a comma or an operator missing?';
  }

  /** Passes the closing bracket, which is here or was reported. */
  protected close(closing: ')' | ']' | '}'): void {
    if (!this.at(closing)) this.unexpected(`'${closing}'`);
    if (this.at(closing)) this.lexer.next();
  }
}

function quote(text: string): string {
  return `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
}
