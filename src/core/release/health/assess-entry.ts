import type { InventoryEntry } from '../../api/index.ts';
import { type AssessInput, type CompiledRules, type Judgement, judge } from '../../health/index.ts';
import { asTime } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import type { Look, ReadFault } from './look.ts';
import { rulesOf } from './release-rules.ts';

/** How the entries of one Release are judged in one pass. */
export interface EntryPolicy {
  /** As `releaseRules` gives them. */
  readonly rules: CompiledRules;
  /** ms since 1970. */
  readonly now: number;
  /** ms; unset: time alone never makes an object Degraded. An entry's own comes first. */
  readonly deadline?: number | undefined;
  readonly failFast: boolean;
}

export interface EntryInput {
  readonly entry: InventoryEntry;
  /** Undefined only where no rule applies. */
  readonly look: Look | undefined;
  /** ms; the entry's own deadline. */
  readonly deadline?: number | undefined;
  /** Whether its kind has a status subresource; false: an empty status says nothing. */
  readonly servesStatus?: boolean;
  readonly related?: AssessInput['related'];
}

const HEALTHY_UNREAD: Judgement = {
  verdict: { state: 'Healthy', reason: 'NoRule', message: '' },
  firstUnhealthy: undefined,
};

/** The state of the object of an entry. Never throws. */
export function assessEntry(input: EntryInput, policy: EntryPolicy): Judgement {
  const { entry, look } = input;
  if (rulesOf(policy.rules, entry).length === 0) return HEALTHY_UNREAD;
  if (look === undefined) return unread(entry, 'Unreachable', 'not read');
  return 'fault' in look ? unread(entry, look.fault, look.message) : judgeObject(input, look.object, policy);
}

/** An object that could not be read keeps its clock: a short read error does not start the deadline again. */
function unread(entry: InventoryEntry, reason: ReadFault, message: string): Judgement {
  return { verdict: { state: 'Unknown', reason, message }, firstUnhealthy: asTime(entry.firstUnhealthy) };
}

function judgeObject(
  { entry, deadline, servesStatus, related }: EntryInput,
  object: KubernetesObject,
  policy: EntryPolicy,
): Judgement {
  const judgement = judge({
    object,
    rules: policy.rules,
    resource: entry.resource,
    now: policy.now,
    deadline: deadline ?? policy.deadline,
    failFast: policy.failFast,
    firstUnhealthy: asTime(entry.firstUnhealthy),
    ...(related === undefined ? {} : { related }),
  });
  if (judgement.verdict.reason === 'NoStatus' && servesStatus === false) {
    return { verdict: { state: 'Healthy', reason: 'NoSignal', message: '' }, firstUnhealthy: undefined };
  }
  return judgement;
}
