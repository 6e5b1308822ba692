import type { FormatStyle } from '../text/format.ts';
import type { CelType } from '../value/cel-type.ts';

/** What is wrong with a `format` call whose template and list are literals. `argument`: index of the argument at fault. */
export interface FormatProblem {
  readonly message: string;
  readonly argument: number | undefined;
}

const NUMBERS = ['int', 'uint', 'double'];

type Accepted = ReadonlyMap<string, readonly string[] | 'any'>;

function clauses(decimal: readonly string[], fixed: readonly string[]): Accepted {
  return new Map<string, readonly string[] | 'any'>([
    ['s', 'any'],
    ['d', decimal],
    ['f', fixed],
    ['e', fixed],
    ['b', ['int', 'uint', 'bool']],
    ['o', ['int', 'uint']],
    ['x', ['int', 'uint', 'string', 'bytes']],
    ['X', ['int', 'uint', 'string', 'bytes']],
  ]);
}

/** Types each clause takes, by the style of the strings library; a string may spell NaN or Infinity. */
const ACCEPTED: Readonly<Record<FormatStyle, Accepted>> = {
  literal: clauses(['int', 'uint'], ['double', 'string']),
  plain: clauses(NUMBERS, [...NUMBERS, 'string']),
};

/** Types that no clause can print. */
const UNPRINTABLE = ['opaque', 'object', 'optional'];

/** Checks a literal template against the types of its arguments; undefined when they fit. */
export function formatProblem(
  template: string,
  types: readonly CelType[],
  style: FormatStyle,
): FormatProblem | undefined {
  let argument = 0;
  for (let at = template.indexOf('%'); at >= 0; at = template.indexOf('%', at)) {
    if (template[at + 1] === '%') {
      at += 2;
      continue;
    }
    const clause = /^%(?:\.\d+)?([a-zA-Z])/.exec(template.slice(at));
    if (!clause)
      return { message: 'a % in a format template starts a clause; write %% for the sign', argument: undefined };
    const problem = clauseProblem(clause[0], clause[1] ?? '', types[argument], argument, types.length, ACCEPTED[style]);
    if (problem) return problem;
    argument += 1;
    at += clause[0].length;
  }
  if (argument >= types.length) return undefined;
  return { message: `the template has ${argument} clauses for ${types.length} arguments`, argument };
}

function clauseProblem(
  clause: string,
  letter: string,
  type: CelType | undefined,
  index: number,
  count: number,
  clauses: Accepted,
): FormatProblem | undefined {
  const accepted = clauses.get(letter);
  if (!accepted) return { message: `unknown format clause ${clause}`, argument: undefined };
  if (!type) return { message: `the template needs more than the ${count} arguments given`, argument: undefined };
  if (type.kind === 'dyn' || type.kind === 'error' || type.kind === 'parameter') return undefined;
  const fits = accepted === 'any' ? isPrintable(type) : accepted.includes(type.name);
  return fits ? undefined : { message: `${clause} cannot print a ${type}`, argument: index };
}

function isPrintable(type: CelType): boolean {
  if (UNPRINTABLE.includes(type.kind)) return false;
  return type.kind === 'type' || type.params.every(isPrintable);
}
