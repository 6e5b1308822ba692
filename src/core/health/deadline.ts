import { asList, asMap, asTime, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
};

/**
 * Milliseconds of a Go duration (`90s`, `1m30s`, `1.5h`), as Kubernetes writes them.
 * Anything else, zero and negative durations give a sentence that says what is wrong.
 */
export function parseDeadline(text: string): number | { readonly problem: string } {
  const trimmed = text.trim();
  if (!/^\+?((\d+(\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns))+$/.test(trimmed)) {
    return { problem: `deadline "${text}" is not a duration: write it like 90s, 5m or 1h30m` };
  }
  let total = 0;
  for (const [, number, unit] of trimmed.matchAll(/(\d+\.?\d*|\.\d+)(h|ms|m|s|us|µs|μs|ns)/g)) {
    total += Number(number) * (UNITS[unit ?? ''] ?? Number.NaN);
  }
  if (!(total > 0)) return { problem: `deadline "${text}" has to be greater than zero` };
  return total;
}

/** Where the clock of a failing object stands. */
export interface DeadlineClock {
  /** Milliseconds since 1970: one time for the whole pass. */
  readonly now: number;
  /** Milliseconds; unset: time alone never makes an object Degraded. */
  readonly deadline?: number | undefined;
  /** When the object was first seen failing, ms since 1970. */
  readonly firstUnhealthy?: number | undefined;
}

/** The start of the failing time: a clock that went backwards (firstUnhealthy in the future) counts as now. */
export function failingSince(clock: DeadlineClock): number {
  return Math.min(clock.firstUnhealthy ?? clock.now, clock.now);
}

/** Milliseconds until the deadline passes: 0 or less when it has, undefined when there is none. */
export function remaining(clock: DeadlineClock): number | undefined {
  return clock.deadline === undefined ? undefined : failingSince(clock) + clock.deadline - clock.now;
}

/**
 * Since when an object read from a file may have been failing: the newest lastTransitionTime among its
 * conditions, else its creationTimestamp; undefined when it carries neither.
 */
export function objectClock(object: KubernetesObject): number | undefined {
  let newest: number | undefined;
  for (const condition of asList(field(asMap(object['status']), 'conditions'))) {
    const time = asTime(field(condition, 'lastTransitionTime'));
    if (time !== undefined && (newest === undefined || time > newest)) newest = time;
  }
  return newest ?? asTime(field(object['metadata'], 'creationTimestamp'));
}
