import { deletionHookRetried, hookEnded, hookTitle, isTerminating } from '../../../core/release/attempt/index.ts';
import type { PlannedHook } from '../../../core/release/index.ts';
import { AGAIN, type Step, wait } from '../failures.ts';
import type { Visit } from '../visit.ts';
import { deleteHook, liveHook } from './run-hook.ts';

/** Deletes the object as its policy says, then tells the result: in this order a restart between the two does both again. */
export async function recordHook(
  visit: Visit,
  hook: PlannedHook,
  result: { readonly succeeded: boolean; readonly message: string },
): Promise<Step> {
  const { succeeded, message } = result;
  if (hook.directives.deletePolicies.includes(succeeded ? 'Succeeded' : 'Failed')) {
    const live = await liveHook(visit, hook);
    if (live !== undefined && !isTerminating(live)) await deleteHook(visit, hook, live);
  }
  await visit.writeStatus(hookEnded(visit.release, hook, { succeeded, message, now: visit.now }));
  const told = `${hook.phase} hook ${hookTitle(hook)} ${succeeded ? 'succeeded' : 'failed'}`;
  const note = message === '' || succeeded ? told : `${told}: ${message}`;
  visit.tell(succeeded ? 'Normal' : 'Warning', succeeded ? 'HookSucceeded' : 'HookFailed', 'RunHook', note);
  return AGAIN;
}

/** A hook of a deletion runs again when nothing is left of it: its run carries the same mark. */
export async function retryHook(visit: Visit, hook: PlannedHook): Promise<Step> {
  const live = await liveHook(visit, hook);
  if (live !== undefined) {
    if (!isTerminating(live)) await deleteHook(visit, hook, live);
    if ((await liveHook(visit, hook)) !== undefined) return wait(1000);
  }
  await visit.writeStatus(deletionHookRetried(visit.release, hook));
  return AGAIN;
}
