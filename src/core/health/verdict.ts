/** The health of one object or of a whole Release. */
export type HealthState = 'Healthy' | 'Progressing' | 'Degraded' | 'Unknown';

/** Why a verdict has its state: finer than the state, CamelCase, stable for machines to match on. */
export type VerdictReason =
  | 'AllRulesPass'
  | 'NoRule'
  | 'NoSignal'
  | 'RuleFailed'
  | 'DeadlineExceeded'
  | 'Failed'
  | 'Suspended'
  | 'Terminating'
  | 'StaleStatus'
  | 'NoStatus'
  | 'RuleError'
  | 'NotFound'
  | 'Forbidden'
  | 'Unreachable'
  | 'Timeout'
  | 'KindNotServed'
  | 'CostLimitExceeded';

/** The answer to "is this object working, and if not, why?". */
export interface Verdict {
  readonly state: HealthState;
  readonly reason: VerdictReason;
  /** One sentence for a person; '' when there is nothing to say. */
  readonly message: string;
  /** `SET#RULE` of the rule that decided, when one did. */
  readonly rule?: string;
  /** Milliseconds until time alone can change this verdict. */
  readonly recheckAfter?: number;
}

/** Worst first: the order in which an aggregate and a table show states. */
export const STATES_WORST_FIRST = [
  'Degraded',
  'Unknown',
  'Progressing',
  'Healthy',
] as const satisfies readonly HealthState[];
