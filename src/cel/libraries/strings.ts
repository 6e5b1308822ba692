import { fifthOf, tenthOf, traversalCost } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { codePoints, positionOf, trimWhiteSpace, unitOffset } from '../text/code-points.ts';
import { formatTemplate } from '../text/format.ts';
import { DYN, INT, list, STRING } from '../value/cel-type.ts';
import { type CelList, listItems } from '../value/list.ts';
import { codePointLength, hasSurrogate } from '../value/size.ts';
import { typeOf } from '../value/type-of.ts';
import { declare, globalForm, memberForm } from './declare.ts';

type Int = number | bigint;

const passCost: CostRule = (_result, text) => tenthOf(text);
const rebuildCost: CostRule = (_result, text) => fifthOf(text);
const resultCost: CostRule = (result) => fifthOf(result);
const traverseCost: CostRule = (_result, text) => traversalCost(text);

function outOfBounds(index: Int, length: number): CelError {
  return new CelError('index_out_of_bounds', `position ${index} is outside a string of length ${length}`);
}

function charAt(context: CallContext, text: string, index: Int): string | CelError {
  context.work(text.length);
  const length = codePointLength(text);
  const position = Number(index);
  if (position < 0 || position > length) return outOfBounds(index, length);
  if (position === length) return '';
  if (!hasSurrogate(text)) return text.charAt(position);
  return String.fromCodePoint(text.codePointAt(unitOffset(text, position))!);
}

/** The reference answers −1 beyond the end, and the offset itself for an empty text; the specification has an error. */
function indexFrom(context: CallContext, text: string, sought: string, from: Int): Int | CelError {
  context.work(text.length);
  const length = codePointLength(text);
  if (context.strict && (from < 0 || from > length)) return outOfBounds(from, length);
  if (sought === '') return from;
  if (from < 0) return outOfBounds(from, length);
  if (from >= length) return -1;
  const found = text.indexOf(sought, unitOffset(text, Number(from)));
  return found < 0 ? -1 : positionOf(text, found);
}

function lastIndexFrom(context: CallContext, text: string, sought: string, from: Int): Int | CelError {
  context.work(text.length);
  const length = codePointLength(text);
  if (context.strict && (from < 0 || from > length)) return outOfBounds(from, length);
  if (sought === '') return from;
  if (from < 0) return outOfBounds(from, length);
  if (from >= length) return -1;
  const found = text.lastIndexOf(sought, unitOffset(text, Number(from)));
  return found < 0 ? -1 : positionOf(text, found);
}

function indexOf(context: CallContext, text: string, sought: string): Int | CelError {
  return indexFrom(context, text, sought, 0);
}

function lastIndexOf(context: CallContext, text: string, sought: string): Int | CelError {
  context.work(text.length);
  if (sought === '') return codePointLength(text);
  const found = text.lastIndexOf(sought);
  return found < 0 ? -1 : positionOf(text, found);
}

function substring(context: CallContext, text: string, start: Int, end?: Int): string | CelError {
  context.work(text.length);
  const length = codePointLength(text);
  const last = end ?? length;
  if (start < 0 || start > length) return outOfBounds(start, length);
  if (last > length || last < start) return outOfBounds(last, length);
  return text.slice(unitOffset(text, Number(start)), unitOffset(text, Number(last)));
}

function replace(context: CallContext, text: string, old: string, by: string, limit: Int = -1): string {
  const most = limit < 0 ? Infinity : Number(limit);
  const pieces = old === '' ? splitAtBoundaries(text, most) : splitText(text, old, most);
  // Counted before it is built: the result may be far longer than all arguments together.
  context.work(text.length + pieces.length * (by.length + 1));
  return pieces.join(by);
}

/** At most `most` cuts, before the first character and after each. */
function splitAtBoundaries(text: string, most: number): readonly string[] {
  const characters = ['', ...codePoints(text), ''];
  if (most >= characters.length - 1) return characters;
  return [...characters.slice(0, most), characters.slice(most).join('')];
}

/** At most `most` cuts at `separator`, which is not empty. */
function splitText(text: string, separator: string, most: number): readonly string[] {
  const pieces = text.split(separator);
  if (pieces.length - 1 <= most) return pieces;
  return [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}

function split(context: CallContext, text: string, separator: string, limit: Int = -1): readonly string[] {
  context.work(text.length);
  if (limit === 0) return [];
  const most = limit < 0 ? Infinity : Number(limit) - 1;
  if (separator !== '') return splitText(text, separator, most);
  const characters = codePoints(text);
  if (characters.length - 1 <= most) return characters;
  return [...characters.slice(0, most), characters.slice(most).join('')];
}

function join(context: CallContext, texts: CelList, separator = ''): string | CelError {
  const items = listItems(texts);
  let length = separator.length * items.length;
  for (const item of items) {
    if (typeof item !== 'string') {
      return new CelError('no_such_overload', `join takes strings, not ${typeOf(item)}`);
    }
    length += item.length + 1;
  }
  context.work(length);
  return items.join(separator);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(context: CallContext, text: string): string {
  context.work(text.length);
  return `"${text.toWellFormed().replace(/[\x07-\r\\"]/g, (character) => QUOTED[character] ?? character)}"`;
}

function reverse(context: CallContext, text: string): string {
  context.work(text.length);
  return [...codePoints(text)].reverse().join('');
}

function asciiCase(name: string, pattern: RegExp, change: (text: string) => string): FunctionDeclaration {
  const impl = (context: CallContext, text: string): string => {
    context.work(text.length);
    return text.replace(pattern, change);
  };
  return declare(name, () => [memberForm([STRING], STRING, impl)], passCost);
}

function formatFunction(version: number): FunctionDeclaration {
  const style = version >= 4 ? 'plain' : 'literal';
  const overloads = () => [
    memberForm(
      [STRING, list(DYN)],
      STRING,
      (context, template: string, args: CelList) => {
        context.work(template.length);
        return formatTemplate(template, listItems(args), style, context);
      },
      passCost,
    ),
  ];
  return declare('format', overloads, undefined, style);
}

/**
 * cel-go's strings extension. Version 0: charAt indexOf join lastIndexOf lowerAscii replace split substring trim
 * upperAscii; 1 adds format and strings.quote; 3 reverse; 4 formats as the CEL specification says. Costs are the
 * Kubernetes rules.
 */
export function stringsLibrary(version = 4): Library {
  const functions: FunctionDeclaration[] = [
    declare('charAt', () => [memberForm([STRING, INT], STRING, charAt)]),
    declare(
      'indexOf',
      () => [memberForm([STRING, STRING], INT, indexOf), memberForm([STRING, STRING, INT], INT, indexFrom)],
      traverseCost,
    ),
    declare(
      'lastIndexOf',
      () => [memberForm([STRING, STRING], INT, lastIndexOf), memberForm([STRING, STRING, INT], INT, lastIndexFrom)],
      traverseCost,
    ),
    asciiCase('lowerAscii', /[A-Z]+/g, (letters) => letters.toLowerCase()),
    asciiCase('upperAscii', /[a-z]+/g, (letters) => letters.toUpperCase()),
    declare(
      'replace',
      () => [
        memberForm([STRING, STRING, STRING], STRING, replace),
        memberForm([STRING, STRING, STRING, INT], STRING, replace),
      ],
      rebuildCost,
    ),
    declare(
      'split',
      () => [memberForm([STRING, STRING], list(STRING), split), memberForm([STRING, STRING, INT], list(STRING), split)],
      rebuildCost,
    ),
    declare(
      'substring',
      () => [memberForm([STRING, INT], STRING, substring), memberForm([STRING, INT, INT], STRING, substring)],
      passCost,
    ),
    declare(
      'trim',
      () => [
        memberForm([STRING], STRING, (context, text: string) => {
          context.work(text.length);
          return trimWhiteSpace(text);
        }),
      ],
      passCost,
    ),
    declare(
      'join',
      () => [memberForm([list(STRING)], STRING, join), memberForm([list(STRING), STRING], STRING, join)],
      resultCost,
    ),
  ];
  if (version >= 1) {
    functions.push(
      formatFunction(version),
      declare('strings.quote', () => [globalForm([STRING], STRING, quote, passCost)]),
    );
  }
  if (version >= 3) {
    functions.push(declare('reverse', () => [memberForm([STRING], STRING, reverse)]));
  }
  return { name: 'strings', functions };
}
