import { isMap, type JsonMap } from '../object/fields.ts';
import type { RuleProblem, RuleSet } from './rule.ts';

/** Typed access that notes what is wrong instead of failing at the first mistake. */
export class RuleReader {
  readonly source: string;
  readonly problems: RuleProblem[] = [];

  constructor(source: string) {
    this.source = source;
  }

  problem(path: string, message: string): void {
    this.problems.push({ source: this.source, path, message });
  }

  /** A string that has to be there and hold something. */
  required(map: JsonMap, name: string, path: string): string {
    const value = map[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    const found =
      value === undefined || value === null
        ? 'is missing'
        : typeof value === 'string'
          ? 'is empty'
          : 'has to be a string: write it in quotes';
    this.problem(join(path, name), found);
    return '';
  }

  optional(map: JsonMap, name: string, path: string): string | undefined {
    const value = map[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.problem(join(path, name), typeof value === 'string' ? 'is empty: leave it out' : 'has to be a string');
    return undefined;
  }

  strings(map: JsonMap, name: string, path: string): readonly string[] {
    const value = map[name];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
    this.problem(join(path, name), 'has to be a list of strings');
    return [];
  }

  maps(map: JsonMap, name: string, path: string): readonly JsonMap[] {
    const value = map[name];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every(isMap)) return value;
    this.problem(join(path, name), 'has to be a list of maps');
    return [];
  }

  flag(map: JsonMap, name: string, path: string): boolean {
    const value = map[name];
    if (typeof value === 'boolean') return value;
    if (value !== undefined && value !== null) this.problem(join(path, name), 'has to be true or false');
    return false;
  }

  preamble(map: JsonMap, path: string, otherwise: RuleSet['preamble']): RuleSet['preamble'] {
    const value = map['preamble'];
    if (value === 'None' || value === 'Standard') return value;
    if (value !== undefined && value !== null) this.problem(join(path, 'preamble'), 'has to be None or Standard');
    return otherwise;
  }

  /** Keys that nobody reads are misspellings. */
  known(map: JsonMap, names: readonly string[], path: string): void {
    for (const name of Object.keys(map)) {
      if (!names.includes(name)) this.problem(join(path, name), `is no field here; known are ${names.join(', ')}`);
    }
  }
}

/** `spec` and `rules` give `spec.rules`. */
export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
