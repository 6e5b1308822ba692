import { assertNever } from '../../core/object/assert-never.ts';
import type { Action, State } from '../../core/release/attempt/index.ts';
import { applyWave } from './effects/apply-wave.ts';
import { beginAttempt } from './effects/begin-attempt.ts';
import { claimRelease } from './effects/claim-release.ts';
import { collectRenders } from './effects/collect-renders.ts';
import { correctDrift } from './effects/correct-drift.ts';
import { endRollback } from './effects/end-rollback.ts';
import { enterPhase } from './effects/enter-phase.ts';
import { fetchSource } from './effects/fetch-source.ts';
import { failAttempt, finishAttempt } from './effects/finish-attempt.ts';
import { hold } from './effects/hold.ts';
import { deleteObjects, disown, sweep } from './effects/prune.ts';
import { rebuildInventory } from './effects/rebuild-inventory.ts';
import { recordHealth } from './effects/record-health.ts';
import { recordHook, retryHook } from './effects/record-hook.ts';
import { releaseFinalizers } from './effects/release-finalizers.ts';
import { renderSource } from './effects/render.ts';
import { renewInventory } from './effects/renew-inventory.ts';
import { restoreEntries } from './effects/restore-entries.ts';
import { runHook } from './effects/run-hook.ts';
import { AGAIN, type Step } from './failures.ts';
import { writePages } from './pages.ts';
import type { Visit } from './visit.ts';

/** Does what an action says. */
export async function perform(visit: Visit, action: Action, state: State): Promise<Step> {
  switch (action.kind) {
    case 'claim-release':
      return claimRelease(visit);
    case 'renew-inventory':
      return renewInventory(visit, action.pages);
    case 'rebuild-inventory':
      return rebuildInventory(visit);
    case 'restore-entries':
      return restoreEntries(visit);
    case 'fetch-source':
      return fetchSource(visit);
    case 'render':
      return renderSource(visit, action.inputs);
    case 'end-rollback':
      return endRollback(visit);
    case 'begin-attempt':
      return beginAttempt(visit, action);
    case 'write-inventory':
      await writePages(visit, action.writes);
      return AGAIN;
    case 'run-hook':
      return runHook(visit, action.hook);
    case 'record-hook':
      return recordHook(visit, action.hook, action);
    case 'retry-hook':
      return retryHook(visit, action.hook);
    case 'enter-phase':
      return enterPhase(visit, action);
    case 'apply-wave':
      return applyWave(visit, action.wave);
    case 'fail-attempt':
      return failAttempt(visit, action.outcome, action.message);
    case 'finish-attempt':
      return finishAttempt(visit, action.leftovers);
    case 'record-health':
      return recordHealth(visit);
    case 'sweep':
      return sweep(visit, action.entries);
    case 'correct-drift':
      return correctDrift(visit);
    case 'collect-renders':
      return collectRenders(visit, action.renderRefs);
    case 'disown':
      return disown(visit, action.entries);
    case 'delete-objects':
      return deleteObjects(visit, action.entries);
    case 'release-finalizers':
      return releaseFinalizers(visit, action.lost);
    case 'hold':
      return hold(visit, action, state);
    default:
      return assertNever(action);
  }
}
