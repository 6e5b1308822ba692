import type { Action, OwnStatus, State } from '../../../core/release/attempt/index.ts';
import { SYNC_REQUESTED } from '../../../core/release/index.ts';
import { type Step, wait } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** Says what is waited for, and until when. */
export async function hold(visit: Visit, action: Extract<Action, { kind: 'hold' }>, state: State): Promise<Step> {
  const { release, services, memory } = visit;
  const changed: { -readonly [Name in keyof OwnStatus]: OwnStatus[Name] } = {};
  if (state.kind === 'Settled' || state.kind === 'BackingOff') {
    // What was asked for in vain (a retry of what succeeded, a look) is served by having looked.
    memory.requests.clear();
    const request = release.metadata.annotations[SYNC_REQUESTED] ?? '';
    if (request !== '') changed.lastSyncRequest = request;
    changed.observedGeneration = release.metadata.generation;
    memory.render = undefined;
  }
  // Its own finalizer is off: somebody else's keeps it, and it is none of our business.
  const over = release.metadata.deletionTimestamp !== '' && state.kind === 'Settled';
  if (!over) await visit.writeReport(action.report, changed);
  const ms = action.until - services.clock.now();
  return wait(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST) : Number.POSITIVE_INFINITY);
}

/** Timers of more than 24.8 days overflow. */
const LONGEST = 86_400_000;
