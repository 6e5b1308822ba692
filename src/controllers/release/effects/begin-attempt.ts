import { asTime } from '../../../core/object/fields.ts';
import {
  type Action,
  attemptBegun,
  attemptNumber,
  type Beginning,
  paceOf,
} from '../../../core/release/attempt/index.ts';
import { SYNC_REQUESTED, shortRef } from '../../../core/release/index.ts';
import { entriesOf } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import { attemptPlan, renderOfRef } from '../observe.ts';
import type { Visit } from '../visit.ts';

/** Tells in one write which render is applied from now on, for which attempt, and how many objects it has. */
export async function beginAttempt(visit: Visit, action: Extract<Action, { kind: 'begin-attempt' }>): Promise<Step> {
  const { renderRef, revision, cause, holdFrom } = action;
  const { release, memory } = visit;
  const render = await renderOfRef(visit, renderRef);
  if (render === undefined) {
    // The index was told; what the source gives is rendered anew.
    return memory.stored?.some((one) => one.renderRef === renderRef) ? unservedKinds(visit, revision) : AGAIN;
  }
  const { status, metadata } = release;
  const attempt = attemptNumber(status, renderRef);
  const plan = attemptPlan(render, {
    attempt,
    appliedBefore: status.lastApplied !== undefined,
    rollback: holdFrom !== undefined,
  });
  const hasHooks = plan.plan.hooks.preSync.length > 0;
  const wave = hasHooks ? undefined : plan.plan.waves[0]?.wave;
  const beginning: Beginning = {
    renderRef,
    revision,
    cause,
    holdFrom,
    total: plan.entries.filter(({ hook }) => hook === undefined).length,
    phase: hasHooks ? 'PreSync' : 'Waves',
    wave,
    request: metadata.annotations[SYNC_REQUESTED] ?? '',
    now: beginningOf(visit),
  };
  await visit.writeStatus(attemptBegun(release, beginning));
  visit.plan = plan;
  const before = status.lastAttempted;
  if (before !== undefined && before.outcome === undefined && before.renderRef !== renderRef) {
    visit.tell('Normal', 'AttemptSuperseded', 'Apply', `${before.revision} gives way to ${revision}`);
  }
  memory.requests.clear();
  const timeout = Math.round(paceOf(release).timeout / 1000);
  const what = `${revision} (render ${shortRef(renderRef)}), attempt ${attempt}, for at most ${timeout}s`;
  visit.tell(
    'Normal',
    'AttemptStarted',
    'Apply',
    cause === 'Rollback' ? `rolling back to ${what}` : `applying ${what}`,
  );
  return AGAIN;
}

/**
 * Later than whatever was applied before: what has an older appliedAt is applied in this attempt, also when the clock was set back
 * since or has not moved.
 */
function beginningOf(visit: Visit): string {
  const applied = entriesOf(visit.pages).map(({ appliedAt }) => asTime(appliedAt) ?? 0);
  const before = asTime(visit.release.status.lastAttempted?.time) ?? 0;
  return new Date(Math.max(visit.services.clock.now(), before, Math.max(0, ...applied) + 1)).toISOString();
}

/** The bytes are there, but the cluster serves a kind of them no more. */
async function unservedKinds(visit: Visit, revision: string): Promise<Step> {
  const message = `${revision} holds kinds that the cluster does not serve any more`;
  await visit.writeReport({
    ready: { status: 'False', reason: 'RenderFailed', message },
    reconciling: false,
    stalled: false,
  });
  visit.memory.source = undefined;
  return { kind: 'wait', ms: paceOf(visit.release).retryInterval };
}
