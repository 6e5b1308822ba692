/** What a token is. Operators and brackets are their own kind; `name` is any identifier, reserved words included. */
export type TokenKind =
  | 'name'
  | 'quoted'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'true'
  | 'false'
  | 'null'
  | 'in'
  | '('
  | ')'
  | '['
  | ']'
  | '{'
  | '}'
  | '.'
  | ','
  | ':'
  | '?'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '!'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '&&'
  | '||'
  | 'invalid'
  | 'end';

/**
 * Reads a source token by token: `next()` moves on, the fields describe the current token. Nothing is allocated per token;
 * an `invalid` token explains itself in `problem` and `hint`.
 */
export class Lexer {
  readonly source: string;
  readonly comments: { readonly start: number; readonly end: number }[] = [];
  kind: TokenKind = 'end';
  start = 0;
  end = 0;
  /** End of the token before the current one. */
  previousEnd = 0;
  problem = '';
  hint: string | undefined;

  constructor(source: string) {
    this.source = source;
  }

  next(): void {
    this.previousEnd = this.end;
    this.start = this.skipBlanks(this.end);
    this.end = this.start + 1;
    if (this.start >= this.source.length) {
      this.end = this.start;
      this.kind = 'end';
      return;
    }
    this.kind = this.scan(this.source.charCodeAt(this.start));
  }

  text(): string {
    return this.source.slice(this.start, this.end);
  }

  private skipBlanks(from: number): number {
    const source = this.source;
    let at = from;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === 32 || code === 10 || code === 9 || code === 13 || code === 12) at += 1;
      else if (code === 47 && source.charCodeAt(at + 1) === 47) {
        const newline = source.indexOf('\n', at);
        const end = newline < 0 ? source.length : newline;
        this.comments.push({ start: at, end });
        at = end;
      } else return at;
    }
  }

  private scan(code: number): TokenKind {
    if (isNameStart(code)) return this.nameOrLiteral(code);
    if (isDigit(code)) return this.number();
    const following = this.source.charCodeAt(this.start + 1);
    switch (code) {
      case 34: // "
      case 39: // '
        return this.quotedText(code, false, 'string');
      case 96: // `
        return this.backquoted();
      case 46: // .
        return isDigit(following) ? this.number() : '.';
      case 38: // &
        return following === 38 ? this.two('&&') : this.invalid("'&' is no operator", 'did you mean &&?');
      case 124: // |
        return following === 124 ? this.two('||') : this.invalid("'|' is no operator", 'did you mean ||?');
      case 61: // =
        if (following === 62) {
          return this.invalid("'=>' is no operator", 'a macro takes the name and the expression: list.all(x, …)', 2);
        }
        return following === 61 ? this.equality('==') : this.invalid("'=' is no operator", 'did you mean ==?');
      case 33: // !
        return following === 61 ? this.equality('!=') : '!';
      case 60: // <
        if (following === 61) return this.two('<=');
        if (following === 62) return this.invalid("'<>' is no operator", 'did you mean !=?', 2);
        return '<';
      case 62: // >
        return following === 61 ? this.two('>=') : '>';
      case 40:
        return '(';
      case 41:
        return ')';
      case 91:
        return '[';
      case 93:
        return ']';
      case 123:
        return '{';
      case 125:
        return '}';
      case 44:
        return ',';
      case 58:
        return ':';
      case 63:
        return '?';
      case 43:
        return '+';
      case 45:
        return '-';
      case 42:
        return '*';
      case 47:
        return '/';
      case 37:
        return '%';
      default:
        return this.strange(code);
    }
  }

  private two(kind: TokenKind): TokenKind {
    this.end = this.start + 2;
    return kind;
  }

  /** `===` and `!==` are read whole, so that one message tells it. */
  private equality(kind: '==' | '!='): TokenKind {
    if (this.source.charCodeAt(this.start + 2) !== 61) return this.two(kind);
    return this.invalid(`'${kind}=' is no operator`, `did you mean ${kind}?`, 3);
  }

  private invalid(problem: string, hint?: string, length = 1): 'invalid' {
    this.problem = problem;
    this.hint = hint;
    this.end = Math.min(this.start + length, this.source.length);
    return 'invalid';
  }

  private strange(code: number): TokenKind {
    if (code === 35) return this.invalid("unexpected '#'", 'a comment starts with //');
    if (code === 59) return this.invalid("unexpected ';'", 'a rule is one expression; join conditions with &&');
    if (code === 0x2018 || code === 0x2019) return this.invalid('typographic quotation mark', 'use \' or "');
    if (code === 0x201c || code === 0x201d) return this.invalid('typographic quotation mark', 'use \' or "');
    if (code === 0xa0) return this.invalid('no-break space', 'replace it by a plain space');
    const point = this.source.codePointAt(this.start) ?? code;
    const shown =
      point < 32 || point === 127 || (point >= 0xd800 && point <= 0xdfff)
        ? `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
        : `'${String.fromCodePoint(point)}'`;
    return this.invalid(`unexpected character ${shown}`, undefined, point > 0xffff ? 2 : 1);
  }

  private nameOrLiteral(code: number): TokenKind {
    const prefixed = this.prefixedText(code);
    if (prefixed) return prefixed;
    const source = this.source;
    let at = this.start + 1;
    while (isNamePart(source.charCodeAt(at))) at += 1;
    this.end = at;
    switch (at - this.start) {
      case 2:
        return code === 105 && source.charCodeAt(at - 1) === 110 ? 'in' : 'name';
      case 4:
        if (code === 116 && source.startsWith('true', this.start)) return 'true';
        return code === 110 && source.startsWith('null', this.start) ? 'null' : 'name';
      case 5:
        return code === 102 && source.startsWith('false', this.start) ? 'false' : 'name';
      default:
        return 'name';
    }
  }

  /** `r'…'`, `b"…"`, `bR'''…'''`; undefined when the letters are the start of a name. */
  private prefixedText(code: number): TokenKind | undefined {
    const lower = code | 32;
    if (lower !== 98 && lower !== 114) return undefined;
    let at = this.start + 1;
    let quote = this.source.charCodeAt(at);
    const bytes = lower === 98;
    let raw = lower === 114;
    if (bytes && (quote | 32) === 114) {
      raw = true;
      at += 1;
      quote = this.source.charCodeAt(at);
    }
    if (quote !== 34 && quote !== 39) return undefined;
    this.end = at + 1;
    return this.quotedText(quote, raw, bytes ? 'bytes' : 'string');
  }

  /** From behind the opening quote, where `end` stands, to the closing one. */
  private quotedText(quote: number, raw: boolean, kind: 'string' | 'bytes'): TokenKind {
    const source = this.source;
    const open = this.end;
    const triple = source.charCodeAt(open) === quote && source.charCodeAt(open + 1) === quote;
    let at = triple ? open + 2 : open;
    for (; at < source.length; at += 1) {
      const code = source.charCodeAt(at);
      if (code === quote) {
        if (!triple || (source.charCodeAt(at + 1) === quote && source.charCodeAt(at + 2) === quote)) {
          this.end = at + (triple ? 3 : 1);
          return kind;
        }
      } else if (code === 92 && !raw) at += 1;
      else if (!triple && (code === 10 || code === 13)) break;
    }
    const mark = String.fromCharCode(quote).repeat(triple ? 3 : 1);
    const hint =
      at < source.length
        ? `end it with ${mark}; text over several lines needs ${mark.repeat(3)}`
        : `end it with ${mark}`;
    return this.invalid('unterminated string', hint, Math.min(at, source.length) - this.start);
  }

  private backquoted(): TokenKind {
    const close = this.source.indexOf('`', this.start + 1);
    const inner = this.source.slice(this.start + 1, close < 0 ? this.source.length : close);
    if (close < 0 || inner.includes('\n')) return this.invalid('unterminated quoted field name', 'end it with `');
    if (!/^[A-Za-z0-9_.\-/ ]+$/.test(inner)) {
      return this.invalid(
        'a quoted field name holds letters, digits, _ . - / and spaces only',
        "use an index: obj['…']",
        close + 1 - this.start,
      );
    }
    this.end = close + 1;
    return 'quoted';
  }

  private number(): TokenKind {
    const source = this.source;
    let at = this.start;
    if (source.charCodeAt(at) === 48 && (source.charCodeAt(at + 1) | 32) === 120 && isHex(source.charCodeAt(at + 2))) {
      at += 2;
      while (isHex(source.charCodeAt(at))) at += 1;
      return this.integer(at);
    }
    at = this.digits(at);
    let double = false;
    if (source.charCodeAt(at) === 46 && isDigit(source.charCodeAt(at + 1))) {
      double = true;
      at = this.digits(at + 1);
    }
    if ((source.charCodeAt(at) | 32) === 101) {
      const sign = source.charCodeAt(at + 1);
      const exponent = sign === 43 || sign === 45 ? at + 2 : at + 1;
      if (isDigit(source.charCodeAt(exponent))) {
        double = true;
        at = this.digits(exponent);
      }
    }
    if (!double) return this.integer(at);
    this.end = at;
    return 'double';
  }

  private digits(from: number): number {
    let at = from;
    while (isDigit(this.source.charCodeAt(at))) at += 1;
    return at;
  }

  private integer(end: number): TokenKind {
    const unsigned = (this.source.charCodeAt(end) | 32) === 117;
    this.end = unsigned ? end + 1 : end;
    return unsigned ? 'uint' : 'int';
  }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || isDigit(code);
}

/** Words that may name a field after a dot, but no variable and no function (language definition, "reserved"). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
