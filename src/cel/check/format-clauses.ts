import type { CelType } from '../value/cel-type.ts';

/** What is wrong with a `format` call whose template and list are literals. `argument`: index of the argument at fault. */
export interface FormatProblem {
  readonly message: string;
  readonly argument: number | undefined;
}

const NUMBERS = ['int', 'uint', 'double'];

/** Types each clause takes, over all versions of the strings library; a string may spell NaN or Infinity. */
const ACCEPTED: ReadonlyMap<string, readonly string[] | 'any'> = new Map<string, readonly string[] | 'any'>([
  ['s', 'any'],
  ['d', NUMBERS],
  ['f', [...NUMBERS, 'string']],
  ['e', [...NUMBERS, 'string']],
  ['b', ['int', 'uint', 'bool']],
  ['o', ['int', 'uint']],
  ['x', ['int', 'uint', 'string', 'bytes']],
  ['X', ['int', 'uint', 'string', 'bytes']],
]);

/** Types that no clause can print. */
const UNPRINTABLE = ['opaque', 'object', 'optional'];

/** Checks a literal template against the types of its arguments; undefined when they fit. */
export function formatProblem(template: string, types: readonly CelType[]): FormatProblem | undefined {
  let argument = 0;
  for (let at = template.indexOf('%'); at >= 0; at = template.indexOf('%', at)) {
    if (template[at + 1] === '%') {
      at += 2;
      continue;
    }
    const clause = /^%(?:\.\d+)?([a-zA-Z])/.exec(template.slice(at));
    if (!clause)
      return { message: 'a % in a format template starts a clause; write %% for the sign', argument: undefined };
    const problem = clauseProblem(clause[0], clause[1] ?? '', types[argument], argument, types.length);
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
): FormatProblem | undefined {
  const accepted = ACCEPTED.get(letter);
  if (!accepted) return { message: `unknown format clause ${clause}`, argument: undefined };
  if (clause.includes('.') && letter !== 'f' && letter !== 'e') {
    return { message: `a precision goes with %f and %e only, not ${clause}`, argument: undefined };
  }
  if (!type) return { message: `the template needs more than the ${count} arguments given`, argument: undefined };
  if (type.kind === 'dyn' || type.kind === 'error' || type.kind === 'parameter') return undefined;
  const fits = accepted === 'any' ? !UNPRINTABLE.includes(type.kind) : accepted.includes(type.name);
  return fits ? undefined : { message: `${clause} cannot print a ${type}`, argument: index };
}
