import { Lexer, type TokenKind } from '../syntax/lexer.ts';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** What stands before the cursor, and the word or text the cursor is in. */
export interface CursorTokens {
  readonly before: readonly Token[];
  /** The name whose end or middle the cursor is at. */
  readonly word: Token | undefined;
  /** The string, closed or not, that the cursor is inside of. */
  readonly string: Token | undefined;
}

const WORDS: ReadonlySet<TokenKind> = new Set(['name', 'true', 'false', 'null', 'in']);
const NUMBERS: ReadonlySet<TokenKind> = new Set(['int', 'uint', 'double']);

/** The tokens around an offset; undefined inside comments, numbers and what is no token, where nothing can be completed. */
export function tokensAt(source: string, offset: number): CursorTokens | undefined {
  const lexer = new Lexer(source);
  const before: Token[] = [];
  for (lexer.next(); lexer.kind !== 'end' && lexer.start < offset; lexer.next()) {
    const token: Token = { kind: lexer.kind, start: lexer.start, end: lexer.end };
    const touches = token.end >= offset;
    if (touches && WORDS.has(token.kind)) return { before, word: token, string: undefined };
    if (touches && NUMBERS.has(token.kind)) return undefined;
    const text = token.kind === 'string' || (token.kind === 'invalid' && /['"]/.test(source.charAt(token.start)));
    if (text && (token.end > offset || token.kind === 'invalid') && touches)
      return { before, word: undefined, string: token };
    if (touches && token.end > offset && token.end - token.start > 1 && token.kind !== 'string') return undefined;
    before.push(token);
  }
  if (lexer.comments.some(({ start, end }) => start < offset && offset <= end)) return undefined;
  return { before, word: undefined, string: undefined };
}

/** All tokens of a source. */
export function tokensOf(source: string): readonly Token[] {
  const lexer = new Lexer(source);
  const tokens: Token[] = [];
  for (lexer.next(); lexer.kind !== 'end'; lexer.next()) {
    tokens.push({ kind: lexer.kind, start: lexer.start, end: lexer.end });
  }
  return tokens;
}

const VALUE_ENDS: ReadonlySet<TokenKind> = new Set([
  'name',
  'quoted',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'true',
  'false',
  'null',
  ')',
  ']',
  '}',
]);

/** Whether a value may end with this token, so that an operator has to follow. */
export function endsValue(token: Token | undefined): boolean {
  return token !== undefined && VALUE_ENDS.has(token.kind);
}

const OPENING: Readonly<Partial<Record<TokenKind, TokenKind>>> = { ')': '(', ']': '[', '}': '{' };

/** The index of the bracket that a closing bracket closes; undefined when none does. */
function openingOf(tokens: readonly Token[], closing: number): number | undefined {
  let depth = 0;
  for (let index = closing; index >= 0; index -= 1) {
    const { kind } = tokens[index]!;
    if (OPENING[kind]) depth += 1;
    else if (kind === '(' || kind === '[' || kind === '{') depth -= 1;
    if (depth === 0) return kind === OPENING[tokens[closing]!.kind] ? index : undefined;
  }
  return undefined;
}

/** The index of the first token of the value that ends with token `end`: a chain of names, calls and indexes. */
export function valueStart(tokens: readonly Token[], end: number): number | undefined {
  let index = end;
  for (;;) {
    const token = tokens[index];
    if (!token || !endsValue(token)) return undefined;
    if (token.kind === ')' || token.kind === ']' || token.kind === '}') {
      const open = openingOf(tokens, index);
      if (open === undefined) return undefined;
      const called = tokens[open - 1];
      if (token.kind === ')' && called?.kind === 'name') index = open - 1;
      else if (token.kind === ']' && endsValue(called)) {
        index = open - 1;
        continue;
      } else return open;
    }
    const operand = operandEnd(tokens, index);
    if (operand === undefined) return index;
    if (operand < 0 || !endsValue(tokens[operand])) return index - 1;
    index = operand;
  }
}

/** Where the operand of a selection ends whose field is token `field`; undefined when that is no field. */
export function operandEnd(tokens: readonly Token[], field: number): number | undefined {
  const dot = tokens[field - 1];
  if (dot?.kind === '.') return field - 2;
  return dot?.kind === '?' && tokens[field - 2]?.kind === '.' ? field - 3 : undefined;
}
