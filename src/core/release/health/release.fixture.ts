import type { InventoryEntry, Release } from '../../api/index.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const RENDER = `sha256:${'0123456789ab'.padEnd(64, '0')}`;
export const OLDER = `sha256:${'ff'.padEnd(64, '0')}`;

type Status = Release['status'];

/** A Release whose render was attempted; what a test does not care about is filled in. null: health is not configured. */
export function release(
  healthAssessment: Partial<NonNullable<Release['spec']['healthAssessment']>> | null = {},
  status: Partial<Status> = {},
  total = 1,
): Release {
  return {
    metadata: {
      name: 'shop',
      namespace: 'apps',
      uid: 'uid-of-shop',
      resourceVersion: '1',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '',
      labels: {},
      annotations: {},
      finalizers: [],
    },
    spec: {
      source: {},
      suspend: false,
      syncPolicy: {
        interval: '5m',
        retryInterval: '30s',
        timeout: '10m',
        prune: true,
        allowEmpty: false,
        force: false,
        conflicts: 'Force',
        drift: { mode: 'Correct' },
      },
      ...(healthAssessment === null ? {} : { healthAssessment: { failFast: false, ...healthAssessment } }),
      historyLimit: 10,
    },
    status: {
      observedGeneration: 3,
      lastAttempted: {
        renderRef: RENDER,
        revision: 'one',
        time: '2026-01-01T11:00:00Z',
        attempt: 1,
        total,
        phase: 'Waves',
      },
      ...status,
    },
  };
}

/** A Widget that was applied with the current render. */
export function entry(name: string, more: Partial<InventoryEntry> = {}): InventoryEntry {
  return {
    group: 'example.test',
    kind: 'Widget',
    namespace: 'apps',
    name,
    version: 'v1',
    resource: 'widgets',
    wave: 0,
    renderRef: RENDER,
    uid: `uid-${name}`,
    generation: 1,
    ...more,
  };
}

/** As `entry`, assessed for the render that it has. */
export function assessed(
  name: string,
  state: NonNullable<InventoryEntry['state']>,
  more: Partial<InventoryEntry> = {},
): InventoryEntry {
  return entry(name, { state, reason: 'Tested', assessedRenderRef: more.renderRef ?? RENDER, ...more });
}
