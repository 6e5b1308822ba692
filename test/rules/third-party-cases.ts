import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CompiledRules } from '../../src/core/health/index.ts';
import { compileRuleSets, readRuleSet } from '../../src/core/health/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { ROOT, ruleFolders } from './rule-folders.ts';

/** Recorded objects of other projects with what their tests say of them. Not part of this repository: read where they are. */
export const CASES = resolve(ROOT, process.env['CONVOY_CASES'] ?? '../shared/cases');

/** Prints why a suite is skipped when the cases are not there. */
export function casesPresent(file: string): boolean {
  const present = existsSync(join(CASES, file));
  if (!present) console.warn(`skipped: ${join(CASES, file)} is not there (CONVOY_CASES names another folder)`);
  return present;
}

/** One line of a cases file. */
export interface PeerCase {
  readonly id: string;
  readonly group: string;
  readonly kind: string;
  readonly object: KubernetesObject;
  /** The peer's word; null: the peer has no opinion on the kind. */
  readonly status: string | null;
  readonly note?: string;
  readonly now?: string;
}

/** The lines of a file of JSON objects. `T` is what the cases' README says of that file. */
export function readLines<T>(file: string): readonly T[] {
  const text = readFileSync(join(CASES, file), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as T);
}

/** The whole catalogue, as the CLI ships it. */
export function catalogueRules(only: (group: string) => boolean = () => true): CompiledRules {
  const sets = ruleFolders('rules')
    .filter(({ rule }) => only(String(rule['group'])))
    .map(({ rule, path }) => readRuleSet(rule, path).set)
    .filter((set) => set !== undefined);
  return compileRuleSets(sets);
}
