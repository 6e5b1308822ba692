import type { Release } from '../../api/index.ts';
import { fitMessage } from '../../health/index.ts';
import type { HealthyCondition } from './healthy-condition.ts';
import { healthyOf } from './healthy-status.ts';

/** A change of health as an Event tells it. */
export interface HealthEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Reasons that say nothing about health: no news on their own. */
const SILENT: readonly string[] = ['NotConfigured', 'Pending'];
/** Bytes of UTF-8 that events.k8s.io takes. */
const LONGEST_NOTE = 1024;
const GOOD: readonly string[] = ['Healthy', 'Progressing'];

/** What is told when the condition becomes this one; undefined: nothing new. */
export function healthEvent(release: Release, condition: HealthyCondition): HealthEvent | undefined {
  const { reason, message } = condition;
  if (SILENT.includes(reason) || healthyOf(release)?.reason === reason) return undefined;
  return { type: GOOD.includes(reason) ? 'Normal' : 'Warning', reason, note: fitMessage(message, LONGEST_NOTE) };
}
