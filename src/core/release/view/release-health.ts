import { type InventoryEntry, type Release, SUBRESOURCES_GROUP, VERSION } from '../../api/index.ts';
import { type HealthState, type HealthSummary, STATES_WORST_FIRST, summarize } from '../../health/index.ts';
import type { JsonMap } from '../../object/fields.ts';
import { countsForHealth } from '../inventory/index.ts';

/** One object of a Release, as its inventory knows it. What the observer has not said yet is left out. */
export interface ResourceHealth extends JsonMap {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly wave: number;
  /** The phase in which it runs as a hook. */
  readonly hook?: string;
  /** No part of the render any more: will be deleted. */
  readonly prune?: boolean;
  /** `Unknown` until it was assessed. */
  readonly state: HealthState;
  readonly reason: string;
  readonly message: string;
  readonly stateSince?: string;
  readonly firstUnhealthy?: string;
  readonly renderRef?: string;
  readonly assessedRenderRef?: string;
}

/** What a condition of the Release says. */
export interface ToldCondition extends JsonMap {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What /health answers. */
export interface ReleaseHealth extends JsonMap {
  readonly apiVersion: string;
  readonly kind: 'ReleaseHealth';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly creationTimestamp: string };
  /** The render that was attempted last; '' before the first. */
  readonly renderRef: string;
  /** The condition Healthy; undefined until the observer has written it. */
  readonly healthy?: ToldCondition;
  /** The condition Ready, which says why something is not applied; undefined until the controller has written it. */
  readonly ready?: ToldCondition;
  /** Hooks, and what will be deleted, are in no count. */
  readonly summary: HealthSummary;
  /** Worst first. */
  readonly resources: readonly ResourceHealth[];
}

export const RELEASE_HEALTH_API_VERSION = `${SUBRESOURCES_GROUP}/${VERSION}`;

/** What the inventory and the status of a Release say of its health; nothing is evaluated. `state`: only those in it. */
export function releaseHealthOf(
  { metadata, spec, status }: Release,
  entries: readonly InventoryEntry[],
  state?: HealthState,
): ReleaseHealth {
  const { name, namespace, creationTimestamp } = metadata;
  const configured = spec.healthAssessment !== undefined;
  const resources = entries.map((entry) => resourceHealthOf(entry, configured));
  return {
    apiVersion: RELEASE_HEALTH_API_VERSION,
    kind: 'ReleaseHealth',
    metadata: { name, namespace, creationTimestamp },
    renderRef: status.lastAttempted?.renderRef ?? '',
    ...told(
      'healthy',
      status.conditions?.find(({ type }) => type === 'Healthy'),
    ),
    ...told(
      'ready',
      status.conditions?.find(({ type }) => type === 'Ready'),
    ),
    summary: summarize(configured ? resources.filter((one) => one.hook === undefined && one.prune !== true) : []),
    resources: resources.filter((one) => state === undefined || one.state === state).sort(worstFirst),
  };
}

function told<K extends string>(key: K, condition: ToldCondition | undefined): { readonly [key in K]?: ToldCondition } {
  if (condition === undefined) return {};
  const { status, reason, message } = condition;
  return { [key]: { status, reason, message } } as { [key in K]: ToldCondition }; // a computed key widens to string
}

function resourceHealthOf(entry: InventoryEntry, configured: boolean): ResourceHealth {
  const { group, version, kind, namespace, name, wave, hook, prune } = entry;
  const { state, reason, message, stateSince, firstUnhealthy, renderRef, assessedRenderRef } = entry;
  return {
    group,
    version,
    kind,
    namespace,
    name,
    wave,
    ...(hook === undefined ? {} : { hook }),
    ...(prune === undefined ? {} : { prune }),
    state: state ?? 'Unknown',
    ...(state === undefined ? unassessed(entry, configured) : { reason: reason ?? '', message: message ?? '' }),
    ...(stateSince === undefined ? {} : { stateSince }),
    ...(firstUnhealthy === undefined ? {} : { firstUnhealthy }),
    ...(renderRef === undefined ? {} : { renderRef }),
    ...(assessedRenderRef === undefined ? {} : { assessedRenderRef }),
  };
}

/** Why there is no state. */
function unassessed(entry: InventoryEntry, configured: boolean): { readonly reason: string; readonly message: string } {
  if (entry.renderRef === undefined) return { reason: 'NotApplied', message: 'not applied yet' };
  if (entry.prune === true) return { reason: 'Pruned', message: 'will be deleted' };
  if (configured || !countsForHealth(entry)) return { reason: 'NotAssessed', message: 'not assessed yet' };
  return { reason: 'NotConfigured', message: 'health assessment is not configured' };
}

function worstFirst(a: ResourceHealth, b: ResourceHealth): number {
  return (
    STATES_WORST_FIRST.indexOf(a.state) - STATES_WORST_FIRST.indexOf(b.state) ||
    a.wave - b.wave ||
    compare(a.kind, b.kind) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
