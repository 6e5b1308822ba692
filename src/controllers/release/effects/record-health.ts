import { healthRecorded } from '../../../core/release/attempt/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** Everything of the current render is healthy: what dependents wait for, and what a rollback goes back to. */
export async function recordHealth(visit: Visit): Promise<Step> {
  await visit.writeStatus(healthRecorded(visit.release, visit.now));
  return AGAIN;
}
