import type { TokenKind } from './lexer.ts';

/** Operators of other languages, and what CEL says instead. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['and', 'did you mean &&?'],
  ['AND', 'did you mean &&?'],
  ['or', 'did you mean ||?'],
  ['OR', 'did you mean ||?'],
  ['not', 'did you mean !?'],
  ['NOT', 'did you mean !?'],
  ['is', 'did you mean ==?'],
  ['if', 'CEL chooses with condition ? a : b'],
  ['then', 'CEL chooses with condition ? a : b'],
  ['else', 'CEL chooses with condition ? a : b'],
  ['let', 'a name is bound with cel.bind(name, value, expression)'],
  ['var', 'a name is bound with cel.bind(name, value, expression)'],
  ['for', 'a list is tested with list.all(x, …) or list.exists(x, …)'],
  ['return', 'a rule is one expression; its value is the result'],
  ['function', 'CEL has no functions of its own in a rule'],
]);

/** How to mend an unexpected token, when its text or its neighbours tell. */
export function syntaxHint(source: string, kind: TokenKind, start: number, end: number): string | undefined {
  if (kind === 'name') {
    const word = source.slice(start, end);
    return WORDS.get(word);
  }
  const before = source[start - 1];
  if (before === '.' && (kind === 'in' || kind === 'true' || kind === 'false' || kind === 'null')) {
    return `use an index: ['${source.slice(start, end)}']`;
  }
  if (kind === '?' && before === '?') return 'a default is written value.orValue(default)';
  if (kind === ')' || kind === ']' || kind === '}') return undefined;
  if (before === '?' && kind === '.') return 'an optional selection is written .?field';
  if (kind === 'end') return closingHint(source);
  if ((kind === '+' && before === '+') || (kind === '-' && before === '-')) return 'CEL changes nothing: write x + 1';
  if (kind === '>' && before === '-') return 'a field is selected with a dot';
  if (kind === '{') return 'a map is written {key: value}';
  return undefined;
}

/** The bracket that is still open at the end, when counting alone finds one. */
function closingHint(source: string): string | undefined {
  const count = (character: string): number => source.split(character).length - 1;
  if (count('(') > count(')')) return "a '(' is not closed";
  if (count('[') > count(']')) return "a '[' is not closed";
  if (count('{') > count('}')) return "a '{' is not closed";
  return undefined;
}
