import type { ReleaseSpec } from '../../api/index.ts';
import { type LabelMatcher, type LabelSelector, type Labels, readLabelSelector } from '../../object/label-selector.ts';
import type { CannotAssess } from './healthy-condition.ts';

/** What selection has to know of a rule set. */
export interface LabelledSet {
  /** '' for a global set. */
  readonly namespace: string;
  readonly labels: Labels;
}

type Assessment = NonNullable<ReleaseSpec['healthAssessment']>;

/** The sets that a Release of the namespace selects, in the order given. A selector that is not set selects none, an empty one all. */
export function selectSets<Set extends LabelledSet>(
  { globalRuleSetSelector, localRuleSetSelector }: Assessment,
  namespace: string,
  sets: readonly Set[],
): readonly Set[] | CannotAssess {
  const global = matcherOf('globalRuleSetSelector', globalRuleSetSelector);
  if (typeof global !== 'function') return global;
  const local = matcherOf('localRuleSetSelector', localRuleSetSelector);
  if (typeof local !== 'function') return local;
  return sets.filter((set) =>
    set.namespace === '' ? global(set.labels) : set.namespace === namespace && local(set.labels),
  );
}

function matcherOf(field: string, selector: LabelSelector | undefined): LabelMatcher | CannotAssess {
  if (selector === undefined) return () => false;
  const matcher = readLabelSelector(selector);
  if (!('problem' in matcher)) return matcher;
  return { reason: 'InvalidSelector', message: `spec.healthAssessment.${field}: ${matcher.problem}` };
}
