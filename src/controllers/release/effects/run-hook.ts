import { asMap, asString, asTime, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { hookEnded, hookStarted, hookTitle, isTerminating } from '../../../core/release/attempt/index.ts';
import {
  CONTROLLER_MANAGER,
  entriesOfPlan,
  HOOK_RUN,
  ownershipOf,
  type PlannedHook,
  readDirectives,
  releaseIdOf,
  withOwner,
} from '../../../core/release/index.ts';
import { entriesOf, entryKey } from '../../../core/release/inventory/index.ts';
import { ApiError } from '../../../ports/errors.ts';
import { AGAIN, failureAt, isNotFound, type Step, wait } from '../failures.ts';
import { changeEntries, ensureEntry } from '../pages.ts';
import { pathOfRendered } from '../paths.ts';
import type { Visit } from '../visit.ts';
import { later } from './applied-batch.ts';
import { prune } from './prune.ts';

/** `<render12>-<attempt>` */
const RUN = /^[0-9a-f]{12}-\d+$/;
/** ms between two looks at an object that is being deleted. */
const GOING = 1000;

/**
 * Creates the object of a hook, after what an earlier run left of it is gone. The annotation `hook-run` tells a restart that the object
 * is of this run: it is then only recorded.
 */
export async function runHook(visit: Visit, hook: PlannedHook): Promise<Step> {
  await recordEntry(visit, hook);
  const { cluster } = await visit.target();
  const path = pathOfRendered(hook);
  try {
    const live = await get(visit, hook);
    if (live !== undefined && isThisRun(visit, hook, live)) return await started(visit, hook, live);
    if (live !== undefined) return await makeRoom(visit, hook, live);
    if (wasStarted(visit, hook)) return await told(visit, hook);
    const cleared = await clearEarlier(visit, hook);
    if (cleared.kind === 'failed') return broken(visit, hook, cleared.message);
    const object = withOwner(hook.object, visit.owner);
    return await started(visit, hook, await cluster.create(path, object, { fieldManager: CONTROLLER_MANAGER }));
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return wait(GOING);
    return broken(visit, hook, failureAt(hook.ref, error).message);
  }
}

/** An object is never on the cluster without being in the inventory, hooks included. */
async function recordEntry(visit: Visit, hook: PlannedHook): Promise<void> {
  const entries = entriesOf(visit.pages);
  const key = entryKey(hook.ref);
  if (entries.some((entry) => entryKey(entry) === key && entry.prune !== true)) return;
  const planned = visit.plan === undefined ? [] : entriesOfPlan(visit.plan.plan, [hook.phase]);
  const entry = planned.find((one) => entryKey(one) === key);
  if (entry !== undefined) await ensureEntry(visit, entries, entry);
}

async function get(visit: Visit, hook: PlannedHook): Promise<KubernetesObject | undefined> {
  const { cluster } = await visit.target();
  try {
    return await cluster.get(pathOfRendered(hook), { signal: visit.signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isThisRun(visit: Visit, hook: PlannedHook, live: KubernetesObject): boolean {
  if (isTerminating(live) || ownershipOf(live, visit.owner) !== 'ours') return false;
  const run = asString(field(field(live['metadata'], 'annotations'), HOOK_RUN));
  if (run !== asString(asMap(field(hook.object['metadata'], 'annotations'))[HOOK_RUN])) return false;
  // One object can be the hook of two phases: what ran in the first of them is not the run of the second.
  const earlier = visit.release.status.hooks?.some(
    ({ name, phase }) => name === hookTitle(hook) && phase !== hook.phase,
  );
  const entry = entriesOf(visit.pages).find((one) => entryKey(one) === entryKey(hook.ref));
  return earlier !== true || entry?.uid !== field(live['metadata'], 'uid');
}

/**
 * With a generateName a hook has another name in each attempt. What earlier ones left goes like that of any other hook before it is
 * created: else a Release that fails for weeks fills cluster and inventory.
 */
async function clearEarlier(visit: Visit, hook: PlannedHook): Promise<Awaited<ReturnType<typeof prune>>> {
  const run = asString(asMap(field(hook.object['metadata'], 'annotations'))[HOOK_RUN]);
  const { group, kind, namespace, name } = hook.ref;
  if (!name.endsWith(run) || !hook.directives.deletePolicies.includes('BeforeCreation')) return AGAIN;
  const prefix = name.slice(0, -run.length);
  const earlier = entriesOf(visit.pages).filter(
    (entry) =>
      entry.hook === hook.phase &&
      entry.prune === true &&
      entry.group === group &&
      entry.kind === kind &&
      entry.namespace === namespace &&
      entry.name.startsWith(prefix) &&
      RUN.test(entry.name.slice(prefix.length)),
  );
  return earlier.length === 0 ? AGAIN : prune(visit, earlier, true, 'HookFailed');
}

/**
 * Whether the inventory says that this attempt has created it, while the status does not: a process ended between the two, and what it
 * created is gone by now. A hook of a deletion runs again and again, and says nothing of the kind.
 */
function wasStarted(visit: Visit, hook: PlannedHook): boolean {
  if (hook.phase === 'preDelete' || hook.phase === 'postDelete') return false;
  const { hooks = [], lastAttempted } = visit.release.status;
  if (hooks.some(({ name }) => name === hookTitle(hook))) return false;
  const entry = entriesOf(visit.pages).find((one) => entryKey(one) === entryKey(hook.ref));
  const begun = asTime(lastAttempted?.time) ?? Number.POSITIVE_INFINITY;
  return entry?.uid !== undefined && (asTime(entry.appliedAt) ?? 0) >= begun;
}

/** Deletes what an earlier run left. What is neither ours nor any tool's hook belongs to somebody. */
async function makeRoom(visit: Visit, hook: PlannedHook, live: KubernetesObject): Promise<Step> {
  const directives = readDirectives(live);
  const isHook = !('problem' in directives) && directives.hooks.length > 0;
  const ownership = ownershipOf(live, visit.owner);
  const mayGo = ownership === 'ours' || hook.directives.adopt || (ownership === 'nobody' && isHook);
  if (!mayGo) {
    const whose = ownership === 'another' ? `belongs to ${releaseIdOf(live)}` : 'was not made by convoy';
    return broken(visit, hook, `${hookTitle(hook)} is on the cluster and ${whose}; rename the hook, or delete it`);
  }
  if (!isTerminating(live)) await deleteHook(visit, hook, live);
  // Without finalizers it is gone already.
  return (await get(visit, hook)) === undefined ? AGAIN : wait(GOING);
}

/** Deletes one hook object, and no other that has taken its name. */
export async function deleteHook(visit: Visit, hook: PlannedHook, live: KubernetesObject): Promise<void> {
  const { cluster } = await visit.target();
  const uid = asString(field(live['metadata'], 'uid'));
  try {
    await cluster.delete(pathOfRendered(hook), { uid, propagation: 'Background' });
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof ApiError && error.code === 409)) throw error;
  }
}

async function started(visit: Visit, hook: PlannedHook, live: KubernetesObject): Promise<Step> {
  const { metadata } = { metadata: asMap(live['metadata']) };
  const renderRef = visit.plan?.renderRef ?? '';
  const set = {
    renderRef,
    uid: asString(metadata['uid']),
    generation: Number(metadata['generation'] ?? 0),
    appliedAt: later(visit.now, visit.release.status.lastAttempted?.time ?? ''),
  };
  await changeEntries(visit, [{ entry: hook.ref, set }]);
  return told(visit, hook);
}

/** Its row says that it runs. */
async function told(visit: Visit, hook: PlannedHook): Promise<Step> {
  await visit.writeStatus(hookStarted(visit.release, hook, visit.plan?.renderRef ?? '', visit.now));
  visit.tell('Normal', 'HookStarted', 'RunHook', `${hook.phase} hook ${hookTitle(hook)}`);
  return AGAIN;
}

/** Hooks of a failure and of a deletion fail for themselves, those of an attempt with it. */
async function broken(visit: Visit, hook: PlannedHook, message: string): Promise<Step> {
  if (hook.phase === 'preSync' || hook.phase === 'postSync') {
    return { kind: 'failed', outcome: 'HookFailed', message: `${hook.phase} hook ${message}` };
  }
  const { now } = visit;
  const { status } = hookStarted(visit.release, hook, visit.plan?.renderRef ?? '', now);
  const release = { ...visit.release, status: { ...visit.release.status, ...status } };
  await visit.writeStatus(hookEnded(release, hook, { succeeded: false, message, now }));
  return AGAIN;
}

/** Reads the hook object again, if it is still the one of this run. */
export async function liveHook(visit: Visit, hook: PlannedHook): Promise<KubernetesObject | undefined> {
  const live = await get(visit, hook);
  return live !== undefined && ownershipOf(live, visit.owner) === 'ours' ? live : undefined;
}
