import { check } from '../check/checker.ts';
import type { Declarations } from '../declarations.ts';
import { parse } from '../syntax/parser.ts';
import { type CelType, DYN, INT } from '../value/cel-type.ts';
import { type Token, valueStart } from './tokens.ts';

/** The type of a piece of source; undefined when it is none that compiles. */
export function typeOfText(source: string, declarations: Declarations): CelType | undefined {
  const { ast } = parse(source, declarations);
  return ast && check(ast, declarations).checked?.resultType;
}

/** The declarations with more variables, which hide those of the same name. */
export function withVariables(
  declarations: Declarations,
  added: readonly (readonly [string, CelType])[],
): Declarations {
  if (added.length === 0) return declarations;
  return { ...declarations, variables: new Map([...declarations.variables, ...added]) };
}

/** A bracket that is open at the cursor; `commas` are the places of the commas directly inside it. */
interface OpenBracket {
  readonly index: number;
  readonly commas: number[];
}

function openBrackets(tokens: readonly Token[]): readonly OpenBracket[] {
  const open: OpenBracket[] = [];
  tokens.forEach(({ kind }, index) => {
    if (kind === '(' || kind === '[' || kind === '{') open.push({ index, commas: [] });
    else if (kind === ')' || kind === ']' || kind === '}') open.pop();
    else if (kind === ',') open.at(-1)?.commas.push(index);
  });
  return open;
}

const ONE_VARIABLE = ['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter', 'sortBy'];
const TWO_VARIABLES = ['transformList', 'transformMap', 'transformMapEntry'];
const EITHER = ['all', 'exists', 'exists_one', 'existsOne'];

/** What the macros around the cursor declare, outermost first, and whether the cursor is where one names its variable. */
export interface MacroScopes {
  readonly variables: readonly (readonly [name: string, type: CelType])[];
  readonly naming: boolean;
}

/** Reads the macro calls that are open at the cursor: their variables, with the types of what they run over. */
export function macroScopes(source: string, tokens: readonly Token[], declarations: Declarations): MacroScopes {
  const variables: (readonly [string, CelType])[] = [];
  let naming = false;
  const textOf = (from: number, to: number): string => source.slice(tokens[from]!.start, tokens[to]!.end);
  for (const { index, commas } of openBrackets(tokens)) {
    naming = false;
    const name = tokens[index - 1];
    if (tokens[index]?.kind !== '(' || name?.kind !== 'name' || tokens[index - 2]?.kind !== '.') continue;
    const start = valueStart(tokens, index - 3);
    if (start === undefined) continue;
    const macro = source.slice(name.start, name.end);
    const target = textOf(start, index - 3);
    const inScope = withVariables(declarations, variables);
    const written = commas.map((comma, position) => {
      const from = (commas[position - 1] ?? index) + 1;
      return from <= comma - 1 ? textOf(from, comma - 1) : '';
    });
    const declared = macroVariables(macro, target, written, inScope);
    if (!declared) continue;
    variables.push(...declared.variables);
    naming = declared.naming;
  }
  return { variables, naming };
}

const NAME = /^[A-Za-z_]\w*$/;

function macroVariables(
  macro: string,
  target: string,
  written: readonly string[],
  declarations: Declarations,
): MacroScopes | undefined {
  const [first = '', second = ''] = written;
  const count = written.length;
  if (target === 'cel' && macro === 'bind' && declarations.macros.has('cel.bind')) {
    if (count === 0) return { variables: [], naming: true };
    if (count < 2 || !NAME.test(first)) return { variables: [], naming: false };
    return { variables: [[first, typeOfText(second, declarations) ?? DYN]], naming: false };
  }
  if (macro === 'optMap' || macro === 'optFlatMap') {
    if (count === 0) return { variables: [], naming: true };
    const type = typeOfText(target, declarations);
    return { variables: [[first, (type?.kind === 'optional' ? type.params[0] : undefined) ?? DYN]], naming: false };
  }
  if (!ONE_VARIABLE.includes(macro) && !TWO_VARIABLES.includes(macro)) return undefined;
  if (!declarations.macros.has(macro)) return undefined;
  if (count === 0) return { variables: [], naming: true };
  const { key, value, member } = rangeTypes(typeOfText(target, declarations));
  if (TWO_VARIABLES.includes(macro)) {
    if (count === 1) return { variables: [], naming: true };
    return {
      variables: [
        [first, key],
        [second, value],
      ],
      naming: false,
    };
  }
  if (count >= 2 && EITHER.includes(macro) && NAME.test(second)) {
    return {
      variables: [
        [first, key],
        [second, value],
      ],
      naming: false,
    };
  }
  return { variables: NAME.test(first) ? [[first, member]] : [], naming: false };
}

function rangeTypes(range: CelType | undefined): { key: CelType; value: CelType; member: CelType } {
  const [first = DYN, second = DYN] = range?.params ?? [];
  if (range?.kind === 'list') return { key: INT, value: first, member: first };
  if (range?.kind === 'map') return { key: first, value: second, member: first };
  return { key: DYN, value: DYN, member: DYN };
}
