import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { WatchOptions } from '../../ports/cluster.ts';
import { CONFIG_MAPS, configMap } from '../builders.ts';
import { FakeClock, settled } from '../fake-clock.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { matcherOf } from './selectors.ts';

const ALL = { type: CONFIG_MAPS, namespace: '' };
const HERE = { type: CONFIG_MAPS, namespace: 'default' };
const named = (name: string) => ({ ...HERE, name });

function start(): { clock: FakeClock; cluster: MemoryCluster } {
  const clock = new FakeClock();
  return { clock, cluster: new MemoryCluster({ clock, types: [CONFIG_MAPS] }) };
}

/** Reads a watch to its end, or to its stop, as lines. */
function record(
  cluster: MemoryCluster,
  options: Omit<WatchOptions, 'signal'> = {},
): { readonly lines: string[]; readonly stop: AbortController; readonly ended: Promise<string> } {
  const lines: string[] = [];
  const stop = new AbortController();
  const read = async (): Promise<string> => {
    for await (const event of cluster.watch(ALL, { ...options, signal: stop.signal })) {
      if (event.type === 'ERROR') lines.push(`ERROR ${(event.error as { code: number }).code}`);
      else {
        const metadata = event.object['metadata'] as Record<string, unknown>;
        const end = JSON.stringify(metadata['annotations'] ?? {}).includes('initial-events-end') ? ' end' : '';
        lines.push(`${event.type} ${metadata['name'] ?? ''}@${metadata['resourceVersion']}${end}`);
      }
    }
    return 'quiet';
  };
  return { lines, stop, ended: read().catch((error: Error) => error.message) };
}

describe('objects of the in-memory cluster', () => {
  it('are made once, with a uid and a version', async () => {
    const { cluster } = start();
    const made = await cluster.create(HERE, configMap('a'));
    expect(made).toMatchObject({ metadata: { uid: 'uid-1', resourceVersion: '1', generation: 1 } });
    await expect(cluster.create(HERE, configMap('a'))).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' });
    await expect(cluster.get(named('b'))).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('refuse an update from an old version, and take one without a version', async () => {
    const { cluster } = start();
    const first = await cluster.create(HERE, configMap('a'));
    await cluster.update(named('a'), configMap('a', { x: '1' }));
    await expect(cluster.update(named('a'), first)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('keep their version when nothing changes', async () => {
    const { cluster } = start();
    await cluster.create(HERE, configMap('a', { x: '1', y: '2' }));
    const same = await cluster.update(named('a'), configMap('a', { y: '2', x: '1' }));
    expect(same).toMatchObject({ metadata: { resourceVersion: '1' } });
  });

  it('go when their last finalizer goes', async () => {
    const { cluster } = start();
    await cluster.create(HERE, configMap('a', {}, { finalizers: ['x/y'] }));
    await cluster.delete(named('a'));
    expect(await cluster.get(named('a'))).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-01T00:00:00.000Z' },
    });
    await cluster.patch(named('a'), 'merge', { metadata: { finalizers: null } });
    await expect(cluster.get(named('a'))).rejects.toMatchObject({ code: 404 });
  });

  it('change their status alone through its subresource', async () => {
    const { cluster } = start();
    const object = await cluster.create(HERE, configMap('a', { x: '1' }));
    const changed = { ...object, data: {}, status: { ready: true } };
    expect(await cluster.update(named('a'), changed, { subresource: 'status' })).toMatchObject({
      data: { x: '1' },
      status: { ready: true },
    });
  });

  it('are deleted only under their preconditions', async () => {
    const { cluster } = start();
    await cluster.create(HERE, configMap('a'));
    await expect(cluster.delete(named('a'), { uid: 'other' })).rejects.toMatchObject({ code: 409 });
    await cluster.deleteCollection(HERE);
    expect((await cluster.list(ALL)).items).toEqual([]);
  });

  it('are listed in pages of one moment, until the pages are too old', async () => {
    const { cluster } = start();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await cluster.create(HERE, configMap(name));
    const first = await cluster.list(ALL, { limit: 2 });
    await cluster.delete(named('c'));
    const second = await cluster.list(ALL, { limit: 2, continue: first.continue });
    expect(second.items).toMatchObject([{ metadata: { name: 'c' } }, { metadata: { name: 'd' } }]);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    cluster.compact();
    await expect(cluster.list(ALL, { limit: 2, continue: second.continue })).rejects.toMatchObject({ code: 410 });
  });
});

describe('a watch of the in-memory cluster', () => {
  it('tells what happens behind its version, in order, with bookmarks', async () => {
    const { clock, cluster } = start();
    await cluster.create(HERE, configMap('a'));
    const { lines, stop, ended } = record(cluster, { resourceVersion: '0' });
    await cluster.update(named('a'), configMap('a', { x: '1' }));
    await cluster.delete(named('a'));
    await clock.advance(60_000);
    expect(lines).toEqual(['ADDED a@1', 'MODIFIED a@2', 'DELETED a@3', 'BOOKMARK @3']);
    stop.abort();
    expect(await ended).toBe('quiet');
    expect([cluster.openWatches, clock.sleeping]).toEqual([0, 0]);
  });

  it('streams a list when it is asked to, and passes the wish over when it is too old a server', async () => {
    const { cluster } = start();
    await cluster.create(HERE, configMap('a'));
    const streamed = record(cluster, { sendInitialEvents: true });
    await settled();
    cluster.streams.streamingLists = false;
    const old = record(cluster, { sendInitialEvents: true });
    await settled();
    expect(streamed.lines).toEqual(['ADDED a@1', 'BOOKMARK @1 end']);
    expect(old.lines).toEqual(['ADDED a@1']);
  });

  it('calls an object that ceases to match its selector deleted', async () => {
    const { cluster } = start();
    const { lines } = record(cluster, { labelSelector: 'app=web', resourceVersion: '0' });
    await cluster.create(HERE, configMap('a', {}, { labels: { app: 'web' } }));
    await cluster.create(HERE, configMap('b'));
    await cluster.update(named('a'), configMap('a'));
    await settled();
    expect(lines).toEqual(['ADDED a@1', 'DELETED a@3']);
  });

  it('is told 410 when its history is forgotten', async () => {
    const { cluster } = start();
    await cluster.create(HERE, configMap('a'));
    await cluster.create(HERE, configMap('b'));
    cluster.compact();
    const { lines, ended } = record(cluster, { resourceVersion: '1' });
    expect(await ended).toBe('quiet');
    expect(lines).toEqual(['ERROR 410']);
  });

  it('ends at its time, breaks at a restart, hangs when it is silent', async () => {
    const { clock, cluster } = start();
    const timed = record(cluster, { timeoutSeconds: 5 });
    await clock.advance(5000);
    expect(await timed.ended).toBe('quiet');

    const broken = record(cluster);
    await settled();
    void cluster.restart(1000);
    expect(await broken.ended).toBe('connection reset');
    await expect(cluster.list(ALL)).rejects.toThrow('connection refused');
    await clock.advance(1000);

    const silent = record(cluster);
    await settled();
    cluster.silenceWatches();
    await cluster.create(HERE, configMap('a'));
    await clock.advance(200_000);
    expect(silent.lines).toEqual([]);
    expect(cluster.openWatches).toBe(1);
  });

  it('repeats events and holds them back as faults say', async () => {
    const { clock, cluster } = start();
    for (const name of ['a', 'b', 'c']) await cluster.create(HERE, configMap(name));
    cluster.streams.replay = () => 2;
    cluster.streams.delay = () => 100;
    const { lines } = record(cluster, { resourceVersion: '3' });
    await clock.advance(100);
    expect(lines).toEqual(['ADDED b@2']);
    await clock.advance(100);
    expect(lines).toEqual(['ADDED b@2', 'ADDED c@3']);
  });
});

describe('a fault', () => {
  it('fails a call before its effect, or loses its answer', async () => {
    const { cluster } = start();
    cluster.fault = ({ verb, name, moment }) => {
      if (verb === 'create' && moment === (name === 'lost' ? 'after' : 'before')) throw new Error('cut');
    };
    await expect(cluster.create(HERE, configMap('never'))).rejects.toThrow('cut');
    await expect(cluster.create(HERE, configMap('lost'))).rejects.toThrow('cut');
    expect((await cluster.list(ALL)).items).toMatchObject([{ metadata: { name: 'lost' } }]);
  });
});

describe('a selector', () => {
  const object: KubernetesObject = configMap('a', {}, { labels: { app: 'web', tier: 'front' } });
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier!=back', true],
    ['app!=web', false],
    ['app in (api, web),tier', true],
    ['app notin (api)', true],
    ['none notin (api)', true],
    ['none in (api)', false],
    ['!none', true],
    ['!app', false],
  ])('%s', (labelSelector, matches) => {
    expect(matcherOf({ labelSelector })(object)).toBe(matches);
  });

  it('of fields follows a path', () => {
    expect(matcherOf({ fieldSelector: 'metadata.name=a,metadata.namespace!=other' })(object)).toBe(true);
    expect(matcherOf({ fieldSelector: 'metadata.name=b' })(object)).toBe(false);
  });
});

describe('discovery', () => {
  it('finds a type by its names', async () => {
    const { cluster } = start();
    for (const name of ['configmaps', 'cm', 'ConfigMap', 'configmap.v1.']) {
      expect(await cluster.discovery.find(name)).toBe(CONFIG_MAPS);
    }
    expect(await cluster.discovery.find('cm.apps')).toBeUndefined();
    expect(await cluster.discovery.kind('', 'ConfigMap')).toBe(CONFIG_MAPS);
  });
});
