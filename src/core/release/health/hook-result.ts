import type { InventoryEntry } from '../../api/index.ts';
import { fitMessage, type Verdict } from '../../health/index.ts';
import { asList, asMap, asString, asTime, field } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { assessEntry, type EntryInput, type EntryPolicy } from './assess-entry.ts';
import type { Look } from './look.ts';
import type { Finding } from './observed-fields.ts';
import { rulesOf } from './release-rules.ts';

/** Behind the states of health: a hook that is gone before anybody saw how it ended. */
const DISAPPEARED = 'HookDisappeared';

/** Whether the entry says how its hook ended, and says it of the object that stands in the entry. */
export function isComplete(entry: InventoryEntry): boolean {
  return (
    entry.uid !== undefined &&
    entry.assessedUid === entry.uid &&
    (entry.state === 'Healthy' || entry.state === 'Degraded')
  );
}

/** A hook that was created and has not ended as far as anybody knows; what has ended stays so and is not read again. */
export function isRunningHook(entry: InventoryEntry): boolean {
  return entry.hook !== undefined && entry.uid !== undefined && !isComplete(entry);
}

/** Whether the object of a hook has to be read: without a rule one that is no Job and no Pod is done when it is applied. */
export function readsHook(entry: InventoryEntry, policy: Pick<EntryPolicy, 'rules'>): boolean {
  return isJob(entry) || isPod(entry) || rulesOf(policy.rules, entry).length > 0;
}

/** How the hook of an entry stands. Healthy: done. Degraded: failed. Progressing: running. Never throws. */
export function hookResult(input: EntryInput, policy: EntryPolicy): Finding {
  const { entry, look } = input;
  if (!readsHook(entry, policy)) return result('Healthy', 'NoRule', '');
  if (look === undefined || ('fault' in look && look.fault !== 'NotFound')) return unread(entry, look);
  if ('fault' in look || uidOf(look.object) !== entry.uid) {
    return result('Degraded', DISAPPEARED, `${entry.kind} ${entry.name} is gone and nobody saw how it ended`);
  }
  if (isJob(entry)) return jobResult(look.object);
  if (isPod(entry)) return podResult(look.object);
  // A rule's `failed` is an end: a hook that will not recover holds everything behind it.
  return assessEntry(input, { ...policy, failFast: true });
}

/** Whether an object on its way out shows how the hook that it was ended: what a Job's TTL takes away has been seen then. */
export function showsEnd(object: KubernetesObject): boolean {
  const kind = object['kind'];
  if (kind !== 'Job' && kind !== 'Pod') return false;
  return (kind === 'Job' ? jobResult(object) : podResult(object)).verdict.state !== 'Progressing';
}

function isJob({ group, kind }: InventoryEntry): boolean {
  return group === 'batch' && kind === 'Job';
}

function isPod({ group, kind }: InventoryEntry): boolean {
  return group === '' && kind === 'Pod';
}

function uidOf(object: KubernetesObject): string {
  return asString(field(object['metadata'], 'uid'));
}

function result(state: Verdict['state'], reason: string, message: string): Finding {
  return { verdict: { state, reason, message: fitMessage(message) }, firstUnhealthy: undefined };
}

/** What cannot be read at the moment may still be running; the clock of a hook that rules judge goes on. */
function unread(entry: InventoryEntry, look: Look | undefined): Finding {
  const { fault, message } =
    look !== undefined && 'fault' in look ? look : { fault: 'Unreachable', message: 'not read' };
  return { ...result('Unknown', fault, message), firstUnhealthy: asTime(entry.firstUnhealthy) };
}

function textOf(reason: unknown, message: unknown, otherwise: string): string {
  return [asString(reason), asString(message)].filter((text) => text !== '').join(': ') || otherwise;
}

function jobResult(job: KubernetesObject): Finding {
  for (const condition of asList(field(job['status'], 'conditions'))) {
    if (field(condition, 'status') !== 'True') continue;
    if (field(condition, 'type') === 'Complete') return result('Healthy', 'Complete', '');
    if (field(condition, 'type') === 'Failed') {
      const text = textOf(field(condition, 'reason'), field(condition, 'message'), 'the Job failed');
      return result('Degraded', 'Failed', text);
    }
  }
  return result('Progressing', 'Running', '');
}

function podResult(pod: KubernetesObject): Finding {
  const { phase, reason, message } = asMap(pod['status']);
  if (phase === 'Succeeded') return result('Healthy', 'Complete', '');
  if (phase === 'Failed') return result('Degraded', 'Failed', textOf(reason, message, 'the Pod failed'));
  return result('Progressing', 'Running', '');
}
