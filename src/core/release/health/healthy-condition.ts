import type { InventoryEntry, ReleaseStatus } from '../../api/index.ts';
import { type HealthState, type HealthSummary, STATES_WORST_FIRST } from '../../health/index.ts';
import { countsForHealth } from '../inventory/index.ts';

/** Why a Release cannot be assessed: nothing is known about its objects, and the entries keep their last values. */
export type CannotAssessReason =
  | 'InvalidSelector'
  | 'InvalidRule'
  | 'InvalidDeadline'
  | 'ClusterUnreachable'
  /** The Secret with the kubeconfig, or its key, is not there. */
  | 'KubeConfigMissing'
  | 'KubeConfigInvalid'
  | 'InventoryUnreadable';

/** What the condition says; times and generation apart. */
export interface HealthyCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: 'NotConfigured' | 'Pending' | HealthState | CannotAssessReason;
  /** At most 1,024 characters, without anything that ticks. */
  readonly message: string;
}

export interface CannotAssess {
  readonly reason: CannotAssessReason;
  /** The cause, whole. */
  readonly message: string;
}

const MESSAGE_LIMIT = 1024;
/** Objects that a message names. */
const MOST_NAMED = 3;

export const NOT_CONFIGURED: HealthyCondition = {
  status: 'Unknown',
  reason: 'NotConfigured',
  message: 'health assessment is not configured',
};

export function cannotAssess({ reason, message }: CannotAssess): HealthyCondition {
  return { status: 'Unknown', reason, message: cut(message.replaceAll(/\s+/g, ' ').trim(), MESSAGE_LIMIT) };
}

/** The condition of a Release whose entries were assessed: Pending, else the worst state of those that count. */
export function healthyCondition(
  lastAttempted: ReleaseStatus['lastAttempted'],
  entries: readonly InventoryEntry[],
): HealthyCondition {
  const pending = pendingMessage(lastAttempted, entries);
  if (pending !== undefined) return { status: 'Unknown', reason: 'Pending', message: pending };
  const counted = entries.filter((entry) => countsForHealth(entry) && entry.ignoreHealth !== true);
  const worst = STATES_WORST_FIRST.find((state) => counted.some((entry) => stateOf(entry) === state)) ?? 'Healthy';
  if (worst === 'Healthy') {
    return { status: 'True', reason: 'Healthy', message: `${counted.length} resources healthy` };
  }
  const affected = counted.filter((entry) => stateOf(entry) === worst);
  const head = `${affected.length} of ${counted.length} resources ${worst}: `;
  return { status: worst === 'Unknown' ? 'Unknown' : 'False', reason: worst, message: head + named(affected, head) };
}

/** Entries per state, as `status.healthSummary`; hooks and what is to be pruned apart. One that is not yet assessed is unknown. */
export function summaryOf(entries: readonly InventoryEntry[]): HealthSummary {
  const summary = { total: 0, healthy: 0, progressing: 0, degraded: 0, unknown: 0 };
  for (const entry of entries) {
    if (!countsForHealth(entry)) continue;
    summary.total += 1;
    summary[stateOf(entry).toLowerCase() as Lowercase<HealthState>] += 1;
  }
  return summary;
}

export const NO_SUMMARY: HealthSummary = summaryOf([]);

function stateOf(entry: InventoryEntry): HealthState {
  return entry.state ?? 'Unknown';
}

/** Why the health of the current render is not known yet; undefined: all that it consists of was applied. */
function pendingMessage(
  lastAttempted: ReleaseStatus['lastAttempted'],
  entries: readonly InventoryEntry[],
): string | undefined {
  if (lastAttempted === undefined) return 'waiting for the first render';
  const { renderRef, total } = lastAttempted;
  const counted = entries.filter(countsForHealth);
  const applied = counted.filter((entry) => entry.renderRef === renderRef).length;
  if (applied === counted.length && counted.length >= total) return undefined;
  const held = heldWave(lastAttempted, counted);
  return (
    `waiting for render ${shortRef(renderRef)}: ${applied} of ${Math.max(total, counted.length)} resources applied` +
    (held === undefined ? '' : `, held at wave ${held}`)
  );
}

/** The wave whose gate the attempt waits at: all up to it is applied, and something behind it is not. */
function heldWave(
  { renderRef, phase, wave, outcome }: NonNullable<ReleaseStatus['lastAttempted']>,
  counted: readonly InventoryEntry[],
): number | undefined {
  if (phase !== 'Waves' || wave === undefined || outcome !== undefined) return undefined;
  return counted.every((entry) => entry.wave > wave || entry.renderRef === renderRef) ? wave : undefined;
}

/** The digest as people compare it: `sha256:` and twelve digits are enough to tell renders apart. */
function shortRef(renderRef: string): string {
  return renderRef.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]+$/, '$1');
}

function named(entries: readonly InventoryEntry[], head: string): string {
  const rest = entries.length - MOST_NAMED;
  const tail = rest > 0 ? `; and ${rest} more` : '';
  const texts = entries.slice(0, MOST_NAMED).map(textOf);
  const whole = texts.join('; ') + tail;
  if (length(head) + length(whole) <= MESSAGE_LIMIT) return whole;
  // Each gets the same room, so that a long message of the first does not hide the others.
  const room = Math.floor((MESSAGE_LIMIT - length(head) - length(tail) - 2 * (texts.length - 1)) / texts.length);
  return texts.map((text) => cut(text, room)).join('; ') + tail;
}

function textOf({ kind, namespace, name, message, reason }: InventoryEntry): string {
  const said = message ?? reason;
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}${said === undefined ? '' : `: ${said}`}`;
}

/** Characters, not UTF-16 units: nothing is cut in the middle of one. */
function length(text: string): number {
  return [...text].length;
}

function cut(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}
