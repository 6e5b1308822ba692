import { type HealthState, STATES_WORST_FIRST, type Verdict } from './verdict.ts';

/** Objects per state, as in `status.healthSummary` of a Release. `total` is their sum. */
export interface HealthSummary {
  readonly total: number;
  readonly healthy: number;
  readonly progressing: number;
  readonly degraded: number;
  readonly unknown: number;
}

export interface Aggregate {
  /** The worst state; Healthy when there is nothing to judge. */
  readonly state: HealthState;
  readonly summary: HealthSummary;
}

export function summarize(verdicts: readonly Pick<Verdict, 'state'>[]): HealthSummary {
  const count = (state: HealthState): number => verdicts.filter((verdict) => verdict.state === state).length;
  return {
    total: verdicts.length,
    healthy: count('Healthy'),
    progressing: count('Progressing'),
    degraded: count('Degraded'),
    unknown: count('Unknown'),
  };
}

/** The health of many objects as one: the worst decides. */
export function aggregate(verdicts: readonly Pick<Verdict, 'state'>[]): Aggregate {
  const state = STATES_WORST_FIRST.find((candidate) => verdicts.some((verdict) => verdict.state === candidate));
  return { state: state ?? 'Healthy', summary: summarize(verdicts) };
}
