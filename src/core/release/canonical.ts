import { isMap } from '../object/fields.ts';
import { kubernetesInteger } from '../object/kubernetes-integer.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import type { Sha256 } from './ownership.ts';

/**
 * The JSON of a value with its keys sorted by code unit and the order of lists kept: equal values, equal text. Integers beyond 2^53 are
 * `bigint` and are written whole.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}

/** The value of a JSON text, with integers beyond 2^53 as `bigint`. Throws a SyntaxError. */
function parseExactJson(text: string): unknown {
  return JSON.parse(text, exactIntegers) as unknown;
}

/** The runtime hands a reviver the source of a primitive; the library's types do not know it yet. */
function exactIntegers(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return /^-?\d{1,40}$/.test(source) ? kubernetesInteger(BigInt(source)) : value;
}

/** One object a line, in the order given: what a render is kept as. */
export function linesOf(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => `${canonicalJson(object)}\n`).join('');
}

/** The inverse of linesOf. Throws a SyntaxError for what it did not write. */
export function objectsOf(lines: string): readonly KubernetesObject[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const object = parseExactJson(line);
      if (!isMap(object)) throw new SyntaxError('a line of the render is no object');
      return object;
    });
}

/** The name of a render: `sha256:` and the hex digest of its lines, which have to be sorted (sortObjects). */
export function renderRefOf(sorted: readonly KubernetesObject[], sha256: Sha256): string {
  return `sha256:${sha256(linesOf(sorted))}`;
}

/** What people and names of objects use of a renderRef: 12 hex digits. */
export function shortRef(renderRef: string): string {
  return renderRef.replace(/^sha256:/, '').slice(0, 12);
}
