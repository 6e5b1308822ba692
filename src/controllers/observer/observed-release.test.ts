import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { Indexer } from '../../runtime/indexer.ts';
import { INVENTORY_INDEXES } from '../../runtime/inventory-index.ts';
import { observeRelease, pageWrite } from './observed-release.ts';
import { OwnWrites } from './own-writes.ts';

const UIDS: Readonly<Record<string, string>> = { a: 'aaaaaaaa-1', 'a-2': 'bbbbbbbb-1' };

function release(name: string, spec: object = { source: {} }): KubernetesObject {
  const metadata = { name, namespace: 'default', uid: UIDS[name] ?? 'x', resourceVersion: '1' };
  return { apiVersion: 'convoy.kumodo.io/v1alpha1', kind: 'Release', metadata, spec };
}

function page(name: string, of: string, number: number, entries: readonly object[] | undefined = []): KubernetesObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' };
  const spec = { release: of, page: number, ...(entries === undefined ? {} : { entries }) };
  return { apiVersion: 'convoy.kumodo.io/v1alpha1', kind: 'ReleaseInventory', metadata, spec };
}

const entry = (name: string) => ({
  group: '',
  kind: 'ConfigMap',
  namespace: 'default',
  name,
  version: 'v1',
  resource: 'configmaps',
  wave: 0,
});

function stores(...objects: readonly KubernetesObject[]) {
  const releases = new Indexer();
  const inventories = new Indexer(INVENTORY_INDEXES);
  for (const object of objects) (object['kind'] === 'Release' ? releases : inventories).set(object);
  return { releases, inventories };
}

describe('what the observer knows of a Release', () => {
  it('nothing, when it is not there', () => {
    expect(observeRelease('default/a', stores(), new OwnWrites())).toBeUndefined();
  });

  it('pages of Releases `a` and `a-2` do not mix, however they are named', () => {
    const all = stores(
      release('a'),
      release('a-2'),
      page('a', 'a', 1, [entry('one')]),
      page('a-aaaaaaaa-2', 'a', 2, [entry('two')]),
      page('a-2', 'a-2', 1, [entry('three')]),
      page('a-2-bbbbbbbb-2', 'a-2', 2, [entry('four')]),
      page('a-cccccccc-2', 'a', 2, [entry('of an earlier one')]),
    );
    const names = (key: string) => observeRelease(key, all, new OwnWrites())?.entries.map(({ name }) => name);
    expect([names('default/a'), names('default/a-2')]).toEqual([
      ['one', 'two'],
      ['three', 'four'],
    ]);
  });

  it('a page that does not fit its definition makes the inventory unreadable, and says where', () => {
    const all = stores(release('a'), page('a', 'a', 1, [{ ...entry('one'), wave: 'first' }]));
    expect(observeRelease('default/a', all, new OwnWrites())?.unreadable).toEqual({
      reason: 'InventoryUnreadable',
      message: expect.stringMatching(/^ReleaseInventory default\/a: spec\.entries\[0\]\.wave: /),
    });
  });

  it('a Release that does not fit is no business of a second try', () => {
    expect(() => observeRelease('default/a', stores(release('a', {})), new OwnWrites())).toThrow(
      /^Release default\/a: spec\.source: /,
    );
  });
});

describe('own writes', () => {
  const version = (resourceVersion: string): KubernetesObject => ({
    metadata: { name: 'a', uid: 'u', resourceVersion },
  });
  const key = pageWrite('default/a');
  const silent = (): void => {};

  it('stand in for the cache until that shows them, also when there were two', async () => {
    const own = new OwnWrites();
    await own.write(key, version('1'), async () => version('2'), silent);
    await own.write(key, version('1'), async () => version('3'), silent);
    expect(['1', '2', '3'].map((seen) => own.newest(key, version(seen)))).toEqual(['3', '3', '3'].map(version));
    expect(own.newest(key, version('4'))).toEqual(version('4'));
    expect(own.newest(key, version('1'))).toEqual(version('1'));
  });

  it('are no news; what others write is', async () => {
    const own = new OwnWrites();
    await own.write(key, version('1'), async () => version('2'), silent);
    expect([own.isOwn(key, version('2')), own.isOwn(key, version('3'))]).toEqual([true, false]);
  });

  it('another writer between is told behind the write', async () => {
    const own = new OwnWrites();
    let news = 0;
    const write = async (): Promise<KubernetesObject> => {
      // The watch is faster than the answer: the other's version, then ours.
      expect([own.isOwn(key, version('2')), own.isOwn(key, version('3'))]).toEqual([true, true]);
      return version('3');
    };
    await own.write(key, version('1'), write, () => {
      news += 1;
    });
    expect(news).toBe(1);
  });

  it('that failed are none', async () => {
    const own = new OwnWrites();
    const failing = own.write(key, version('1'), async () => Promise.reject(new Error('refused')), silent);
    await expect(failing).rejects.toThrow('refused');
    expect(own.newest(key, version('1'))).toEqual(version('1'));
  });
});
