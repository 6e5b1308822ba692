import type { RuleSet } from '../core/health/rule.ts';
import { CATALOGUE } from './catalogue.gen.ts';

/** The shipped rule sets: one per API group, and `generic` for every kind without a rule. Not compiled. */
export function catalogue(): readonly RuleSet[] {
  return CATALOGUE;
}
