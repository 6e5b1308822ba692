import { ConvoyError } from '../../core/errors/index.ts';

/** One step of a path. */
export type Step =
  | { readonly kind: 'field'; readonly names: readonly string[] }
  /** Every element of a list, every value of a mapping. */
  | { readonly kind: 'all' }
  /** The value itself and everything below it. */
  | { readonly kind: 'descend' }
  | { readonly kind: 'index'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly kind: 'filter'; readonly left: Operand; readonly operator?: Comparison; readonly right?: Operand };

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type Operand =
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean };

/** A piece of a template. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  /** `{range PATH}` … `{end}`: the pieces for each value of the path. */
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Piece[] };

const NAME = /(?:\\.|[^\s.[\]{}()'"\\,=!<>*?@$|&:])+/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const STRING = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y;
const SLICE = /(-?\d+)?:(-?\d+)?(?::(-?\d+))?(?=\s*\])/y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  fail(reason: string): never {
    throw new ConvoyError('JsonPathInvalid', { value: this.#source, reason });
  }

  /** Pieces up to the end of the template, or of the innermost of the ranges it is in. */
  pieces(ranges: number): Piece[] {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length) {
      const open = this.#source.indexOf('{', this.#at);
      const text = this.#source.slice(this.#at, open < 0 ? undefined : open);
      if (text !== '') pieces.push({ kind: 'text', text });
      if (open < 0) break;
      this.#at = open + 1;
      if (this.#action(pieces, ranges)) {
        if (ranges === 0) this.fail('{end} without {range}');
        return pieces;
      }
    }
    if (ranges > 0) this.fail('{range} without {end}');
    this.#at = this.#source.length;
    return pieces;
  }

  /** What stands between braces. True: it was the end of a range. */
  #action(pieces: Piece[], ranges: number): boolean {
    if (ranges > DEEPEST_RANGES) this.fail(`more than ${DEEPEST_RANGES} ranges inside each other`);
    this.#space();
    if (this.#word('end')) {
      this.#expect('}');
      return true;
    }
    if (this.#word('range')) {
      const steps = this.#path();
      this.#expect('}');
      pieces.push({ kind: 'range', steps, body: this.pieces(ranges + 1) });
      return false;
    }
    while (!this.#take('}')) {
      const text = this.#match(STRING);
      if (text !== undefined) pieces.push({ kind: 'text', text: unquote(text) });
      else pieces.push({ kind: 'path', steps: this.#path() });
      this.#space();
      if (this.#at >= this.#source.length) this.fail('"{" without "}"');
    }
    return false;
  }

  #path(): Step[] {
    this.#space();
    const start = this.#at;
    if (!this.#take('$')) this.#take('@');
    const steps: Step[] = [];
    // A first name may come without its dot: {items[*].name}.
    const first = this.#match(NAME);
    if (first !== undefined) steps.push(field(first));
    for (;;) {
      if (this.#take('..')) {
        steps.push({ kind: 'descend' });
        if (!this.#next('[')) steps.push(this.#afterDot());
      } else if (this.#take('.')) {
        if (!this.#next('}') && !this.#next('[') && !this.#next(' ')) steps.push(this.#afterDot());
      } else if (this.#take('[')) steps.push(this.#bracket());
      else break;
    }
    if (this.#at === start) this.fail(`"${this.#source.slice(start, start + 10)}" where a path should be`);
    return steps;
  }

  #afterDot(): Step {
    if (this.#take('*')) return { kind: 'all' };
    const name = this.#match(NAME);
    return name === undefined ? this.fail('"." without a name') : field(name);
  }

  #bracket(): Step {
    this.#space();
    const step = this.#insideBracket();
    this.#space();
    this.#expect(']');
    return step;
  }

  #insideBracket(): Step {
    if (this.#take('*')) return { kind: 'all' };
    if (this.#take('?(')) return this.#filter();
    SLICE.lastIndex = this.#at;
    const slice = SLICE.exec(this.#source);
    if (slice !== null) {
      this.#at += slice[0].length;
      const [, from, to, by] = slice;
      return {
        kind: 'slice',
        ...(from === undefined ? {} : { from: Number(from) }),
        ...(to === undefined ? {} : { to: Number(to) }),
        by: by === undefined ? 1 : Number(by),
      };
    }
    const names = this.#separated(STRING);
    if (names.length > 0) return { kind: 'field', names: names.map(unquote) };
    const indexes = this.#separated(NUMBER);
    if (indexes.length > 0) return { kind: 'index', indexes: indexes.map(Number) };
    return this.fail('"[" wants a number, a name in quotes, * or ?( )');
  }

  #filter(): Step {
    const left = this.#operand();
    this.#space();
    const operator = this.#match(/==|!=|<=|>=|<|>/y);
    const right = operator === undefined ? undefined : this.#operand();
    this.#space();
    this.#expect(')');
    if (operator === undefined || right === undefined) return { kind: 'filter', left };
    return { kind: 'filter', left, operator: operator as Comparison, right };
  }

  #operand(): Operand {
    this.#space();
    const text = this.#match(STRING);
    if (text !== undefined) return { kind: 'literal', value: unquote(text) };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { kind: 'literal', value: Number(number) };
    if (this.#word('true')) return { kind: 'literal', value: true };
    if (this.#word('false')) return { kind: 'literal', value: false };
    return { kind: 'path', steps: this.#path() };
  }

  #separated(pattern: RegExp): string[] {
    const found: string[] = [];
    do {
      this.#space();
      const one = this.#match(pattern);
      if (one === undefined) break;
      found.push(one);
      this.#space();
    } while (this.#take(','));
    return found;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#source) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #next(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const there = this.#next(text);
    if (there) this.#at += text.length;
    return there;
  }

  #word(word: string): boolean {
    const there = this.#next(word) && !/\w/.test(this.#source[this.#at + word.length] ?? '');
    if (there) this.#at += word.length;
    return there;
  }

  #expect(text: string): void {
    this.#space();
    if (!this.#take(text)) this.fail(`"${text}" is missing`);
  }

  #space(): void {
    this.#match(/\s+/y);
  }
}

function field(name: string): Step {
  return { kind: 'field', names: [name.replace(/\\(.)/gs, '$1')] };
}

/** Templates are typed by people; longer or deeper ones are mistakes. */
const LONGEST_TEMPLATE = 100_000;
const DEEPEST_RANGES = 50;

/** Reads a template in kubectl's language; without braces the whole text is one path. Throws JsonPathInvalid. */
export function parseJsonPath(template: string): readonly Piece[] {
  if (template.trim() === '') throw new ConvoyError('JsonPathInvalid', { value: template, reason: 'it is empty' });
  if (template.length > LONGEST_TEMPLATE) {
    const reason = `it is longer than ${LONGEST_TEMPLATE} characters`;
    throw new ConvoyError('JsonPathInvalid', { value: template, reason });
  }
  return new Parser(template.includes('{') ? template : `{${template}}`).pieces(0);
}
