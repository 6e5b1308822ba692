import { beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { Indexer } from '../../runtime/indexer.ts';
import { Memories } from './memory.ts';
import { inventoryHandler, RELEASE_INDEXES, releaseHandler, sourceHandler } from './watches.ts';

let woken: string[];
let releases: Indexer;
const enqueue = (key: string): void => void woken.push(key);
beforeEach(() => {
  woken = [];
  releases = new Indexer(RELEASE_INDEXES);
});

function release(name: string, spec: object = {}, status: object = {}, metadata: object = {}): KubernetesObject {
  return {
    metadata: { name, namespace: 'shop', uid: name, generation: 1, ...metadata },
    spec: { source: {}, ...spec },
    status,
  };
}

describe('a Release', () => {
  it('wakes when what is asked for changes, not by its own status', () => {
    const { updated } = releaseHandler(releases, enqueue);
    const before = release('web');
    updated?.(release('web', {}, { observedGeneration: 1 }), before);
    expect(woken).toEqual([]);
    updated?.(release('web', {}, {}, { generation: 2 }), before);
    updated?.(release('web', {}, {}, { annotations: { 'convoy.kumodo.io/sync-requested': 'now' } }), before);
    updated?.(release('web', {}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), before);
    expect(woken).toEqual(['shop/web', 'shop/web', 'shop/web']);
  });

  it('wakes those that depend on it when what it came to changes', () => {
    releases.set(release('app', { dependsOn: [{ name: 'db' }] }));
    const { updated, added, deleted } = releaseHandler(releases, enqueue);
    const before = release('db');
    updated?.(release('db', {}, { healthSummary: { total: 1 } }), before);
    expect(woken).toEqual([]);
    updated?.(release('db', {}, { observedGeneration: 1 }), before);
    added?.(before, false);
    deleted?.(before, false);
    expect(woken).toEqual(['shop/app', 'shop/db', 'shop/app', 'shop/db', 'shop/app']);
  });
});

describe('a page of an inventory', () => {
  const page = (entry: object, metadata: object = {}): KubernetesObject => ({
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: {
      release: 'web',
      page: 1,
      entries: [{ kind: 'ConfigMap', name: 'a', version: 'v1', resource: 'configmaps', ...entry }],
    },
  });

  it('wakes its Release by what the observer writes, not by what we write', () => {
    const { updated } = inventoryHandler(enqueue);
    updated?.(page({ renderRef: 'r', uid: 'u' }), page({}));
    updated?.(page({ message: 'else' }), page({}));
    expect(woken).toEqual([]);
    updated?.(page({ state: 'Healthy' }), page({}));
    updated?.(page({ state: 'Healthy', assessedRenderRef: 'r' }), page({ state: 'Healthy' }));
    updated?.(page({ state: 'Progressing', reason: 'Failed' }), page({ state: 'Progressing' }));
    expect(woken).toHaveLength(3);
  });

  it('wakes it when somebody deletes the page', () => {
    const { updated, deleted } = inventoryHandler(enqueue);
    updated?.(page({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), page({}));
    deleted?.(page({}), false);
    expect(woken).toEqual(['shop/web', 'shop/web']);
  });
});

describe('what a source reads', () => {
  it('wakes the Releases that name it, and has them read it anew', () => {
    const helm = {
      chart: 'web',
      repo: { url: 'https://charts.example', secretRef: { name: 'login' } },
      valuesFrom: [{ kind: 'ConfigMap', name: 'values' }],
    };
    releases.set(release('chart', { source: { helm } }));
    releases.set(release('plain', { source: { configMap: { name: 'manifests' } } }));
    const memories = new Memories();
    const facts = { kind: 'read', inputs: '', revision: '', nextAt: 0 } as const;
    memories.of('shop/chart').source = { generation: 1, failures: 0, facts };
    const object = (name: string) => ({ metadata: { name, namespace: 'shop' } });
    const maps = sourceHandler('ConfigMap', releases, memories, enqueue);
    maps.added?.(object('values'), true);
    expect(woken).toEqual([]);
    maps.updated?.(object('values'), object('values'));
    maps.deleted?.(object('manifests'), false);
    sourceHandler('Secret', releases, memories, enqueue).added?.(object('login'), false);
    expect(woken).toEqual(['shop/chart', 'shop/plain', 'shop/chart']);
    expect(memories.of('shop/chart').source).toBeUndefined();
  });
});
