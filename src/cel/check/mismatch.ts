import type { FunctionDeclaration } from '../declarations.ts';
import type { CelType } from '../value/cel-type.ts';

const INFIX = /^_(.+)_$/;

/** A call with the types of its arguments, as an author would write it: `int + string`, `text.size()`, `f(int)`. */
export function callText(fn: string, types: readonly CelType[], member: boolean): string {
  const [a, b, c] = types.map(String);
  if (fn === '_?_:_') return `${a} ? ${b} : ${c}`;
  if (fn === '_[_]' || fn === '_[?_]') return `${a}[${fn === '_[?_]' ? '?' : ''}${b}]`;
  if (fn === '@in') return `${a} in ${b}`;
  if (fn === '!_' || fn === '-_') return `${fn[0]}${a}`;
  const infix = INFIX.exec(fn);
  if (infix) return `${a} ${infix[1]} ${b}`;
  const [receiver, ...rest] = types;
  return member ? `${receiver}.${fn}(${rest.join(', ')})` : `${fn}(${types.join(', ')})`;
}

const NUMERIC = ['int', 'uint', 'double'];

/** How to mend a call that no overload takes, when its types tell. */
export function mismatchHint(fn: string, types: readonly CelType[]): string | undefined {
  const [a, b] = types;
  if (fn === '_&&_' || fn === '_||_' || fn === '!_' || fn === '_?_:_') return conditionHint(fn, types);
  if (!a || !b) return undefined;
  if (fn === '_+_' && (a.name === 'string') !== (b.name === 'string')) return 'convert the other side: string(…)';
  if (NUMERIC.includes(a.name) && NUMERIC.includes(b.name) && a.name !== b.name) {
    return `convert one side: ${a.name}(…) or ${b.name}(…)`;
  }
  if (!/^[_@]/.test(fn)) return undefined;
  if (a.kind === 'optional' || b.kind === 'optional') return 'take the value out first: .orValue(default)';
  if (fn === '_==_' || fn === '_!=_') return 'the two types can never be equal';
  if (fn === '@in' && b.kind !== 'list' && b.kind !== 'map') return 'the right side of in is a list or a map';
  return undefined;
}

function conditionHint(fn: string, types: readonly CelType[]): string | undefined {
  if (fn === '_?_:_' && types[0]?.name === 'bool') return 'both values of ? : need the same type; dyn(…) lifts that';
  const other = types.find((type) => type.name !== 'bool' && type.kind !== 'dyn');
  if (other?.kind === 'optional') return 'take the value out first: .orValue(false)';
  return other ? `a condition is a bool, this is ${other}: compare it with something` : undefined;
}

/** The numbers of arguments a function takes, when the number given is none of them. */
export function arityHint(fn: FunctionDeclaration, member: boolean, count: number): string | undefined {
  const counts = [...new Set(fn.overloads.filter((each) => each.member === member).map((each) => each.params.length))];
  if (counts.includes(count) || counts.length === 0) return undefined;
  const shown = counts.map((each) => (member ? each - 1 : each)).sort((a, b) => a - b);
  return `it takes ${shown.join(' or ')} argument${shown.length === 1 && shown[0] === 1 ? '' : 's'}`;
}

/** How a macro is written. */
export function macroHint(name: string): string {
  switch (name) {
    case 'has':
      return 'write has(object.field)';
    case 'bind':
      return 'write cel.bind(name, value, expression)';
    case 'optMap':
    case 'optFlatMap':
      return `write optional.${name}(x, …)`;
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return `write list.${name}(index, x, …)`;
    default:
      return `write list.${name}(x, …)`;
  }
}
