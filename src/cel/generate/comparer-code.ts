import { type Comparison, differs, isMap } from '../paths/affected.ts';
import { propertyAccess } from './emitter.ts';
import { MOST_SOURCE } from './generator.ts';

export type Comparer = (before: unknown, after: unknown) => boolean;

/** `differs` for one place, its plain fields written out so that each read has an inline cache of its own; undefined when it is too large. */
export function generateComparer(place: Comparison): Comparer | undefined {
  const places: Comparison[] = [];
  let names = 0;
  /** Reads the same place of both, and compares them when they are not identical. */
  const pair = (at: Comparison, access: (of: string) => string, a: string, b: string): string => {
    names += 1;
    const [x, y] = [`x${names}`, `y${names}`];
    return `const ${x}=${access(a)},${y}=${access(b)};if(${x}!==${y}){${write(at, x, y)}}`;
  };
  const write = (at: Comparison, a: string, b: string): string => {
    const general = `if(D(P[${places.push(at) - 1}],${a},${b}))return true;`;
    if (at.simple) {
      const fields = at.keys.map((key, index) =>
        pair(at.below[index]!, (of) => `${of}${propertyAccess(String(key))}`, a, b),
      );
      return `if(M(${a})&&M(${b})){${fields.join('')}}else ${general}`;
    }
    if (!at.any || !at.length || at.subtree || at.keys.length > 0) return general;
    const element = pair(at.any, (of) => `${of}[i]`, a, b);
    const loop = `for(let i=0;i<${a}.length;i++){${element}}`;
    return `if(Array.isArray(${a})&&Array.isArray(${b})){if(${a}.length!==${b}.length)return true;${loop}}else ${general}`;
  };
  const body = `'use strict';return function(a,b){if(a!==b){${write(place, 'a', 'b')}}return false;};`;
  if (body.length > MOST_SOURCE) return undefined;
  const make = new Function('D', 'P', 'M', body) as (...given: readonly unknown[]) => Comparer;
  return make(differs, places, isMap);
}
