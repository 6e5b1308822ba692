import type { Release, ReleaseStatus } from '../../api/index.ts';
import { parseDeadline } from '../../health/deadline.ts';
import { asTime } from '../../object/fields.ts';

/** ms that no wait between two attempts exceeds, unless retryInterval is longer itself. */
const LONGEST_RETRY = 600_000;

/** ms of a duration that the definition of the Release has checked; the fallback for one that is older than that check. */
export function millisecondsOf(duration: string, fallback: number): number {
  const parsed = parseDeadline(duration);
  return typeof parsed === 'number' ? parsed : fallback;
}

/** The times of a Release's syncPolicy, in ms. */
export interface Pace {
  readonly interval: number;
  readonly retryInterval: number;
  readonly timeout: number;
}

export function paceOf({ spec }: Pick<Release, 'spec'>): Pace {
  const { interval, retryInterval, timeout } = spec.syncPolicy;
  return {
    interval: millisecondsOf(interval, 300_000),
    retryInterval: millisecondsOf(retryInterval, 30_000),
    timeout: millisecondsOf(timeout, 600_000),
  };
}

/** ms to wait after so many failures in a row: retryInterval, doubled by each, up to 10 minutes. */
export function retryDelay(retryInterval: number, failures: number): number {
  const doubled = retryInterval * 2 ** Math.min(Math.max(failures - 1, 0), 30);
  return Math.min(doubled, Math.max(LONGEST_RETRY, retryInterval));
}

type Attempt = NonNullable<ReleaseStatus['lastAttempted']>;

/**
 * When a failed attempt may be repeated, ms since 1970. An end that lies in the future was written by a clock that has been set back
 * since: the retry is due at once.
 */
export function retryAt(attempt: Attempt, pace: Pace, now: number): number {
  const ended = asTime(attempt.endedAt ?? attempt.time) ?? now;
  return ended > now ? now : ended + retryDelay(pace.retryInterval, attempt.failures ?? 1);
}

/** When a running attempt has had its time, ms since 1970. A beginning in the future counts as now: it then has the whole of it. */
export function timeoutAt(attempt: Attempt, pace: Pace, now: number): number {
  return Math.min(asTime(attempt.time) ?? now, now) + pace.timeout;
}

/** Failures that recovery decides about where `remediation` is set: it asks for the retry, or rolls back. */
export function waitsForRecovery({ spec, status }: Pick<Release, 'spec' | 'status'>): boolean {
  const outcome = status.lastAttempted?.outcome;
  const decided = outcome === 'WaveDegraded' || outcome === 'WaveTimedOut' || outcome === 'HookFailed';
  return decided && spec.remediation !== undefined;
}

/**
 * When a failed attempt will be repeated by itself, ms since 1970; undefined: it has not failed, or only a request or a change helps.
 */
export function repeatedAt(release: Pick<Release, 'spec' | 'status'>, now: number): number | undefined {
  const { spec, status } = release;
  const attempt = status.lastAttempted;
  const ended = attempt?.outcome;
  if (attempt === undefined || ended === undefined || ended === 'Succeeded' || ended === 'Superseded') return undefined;
  return spec.suspend || waitsForRecovery(release) ? undefined : retryAt(attempt, paceOf(release), now);
}
