import { asTime } from '../../object/fields.ts';
import { countsForHealth } from '../inventory/index.ts';
import { millisecondsOf } from './back-off.ts';
import { isHealthy } from './gate.ts';
import type { Observed } from './observed.ts';

/**
 * When everything of the current render counts as healthy, ms since 1970: in the past as soon as it is. Undefined: something is not
 * healthy, health is not configured, or lastHealthy tells it already. With `remediation` the state has to hold for `settle`.
 */
export function healthyFrom({
  release,
  entries,
  now,
}: Pick<Observed, 'release' | 'entries' | 'now'>): number | undefined {
  const { spec, status } = release;
  const attempt = status.lastAttempted;
  if (spec.healthAssessment === undefined || attempt === undefined) return undefined;
  const { renderRef, total } = attempt;
  if (status.lastHealthy?.renderRef === renderRef) return undefined;
  const counted = entries.filter(countsForHealth);
  if (counted.length < total) return undefined;
  const healthy = counted.every((entry) =>
    entry.ignoreHealth === true ? entry.renderRef === renderRef : isHealthy(entry, renderRef),
  );
  if (!healthy) return undefined;
  if (spec.remediation === undefined) return now;
  const since = counted.map(({ stateSince, appliedAt }) => Math.max(asTime(stateSince) ?? 0, asTime(appliedAt) ?? 0));
  // A time in the future was written by a clock that has been set back since.
  return Math.min(Math.max(0, ...since), now) + millisecondsOf(spec.remediation.settle, 30_000);
}
