import { expect, test } from 'vitest';
import { Store, type StoreEvent } from './store.ts';

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '', creationTimestamp: '2026-03-02T10:00:00Z' },
});

test('a listener writes what it hears of: all hear the changes in the order of their revisions', () => {
  const store = new Store();
  const heard: StoreEvent[] = [];
  store.subscribe(({ type, key, object }) => {
    if (type === 'ADDED') store.put(key, { ...object, data: { seen: 'yes' } });
  });
  store.subscribe((event) => heard.push(event));
  store.put('configmaps', configMap('first'));
  store.put('configmaps', configMap('second'));
  expect(heard.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'ADDED first',
    'MODIFIED first',
    'ADDED second',
    'MODIFIED second',
  ]);
  expect(heard.map(({ revision }) => revision)).toEqual([2, 3, 4, 5]);
});

test('a listener that fails holds back no change behind it', () => {
  const store = new Store();
  const heard: string[] = [];
  store.subscribe(({ type, key, object }) => {
    if (type !== 'ADDED' || object.metadata.name !== 'first') return;
    store.put(key, { ...object, data: { seen: 'yes' } });
    throw new Error('no');
  });
  store.subscribe(({ object }) => heard.push(object.metadata.name));
  expect(() => store.put('configmaps', configMap('first'))).toThrow('no');
  store.put('configmaps', configMap('second'));
  expect(heard).toContain('second');
});
