import { describe, expect, it } from 'vitest';
import { StatusError } from '../objects/status-error.ts';
import { listObjects } from './listing.ts';
import { configMap, deployment, emptyApi } from './object-api.fixture.ts';

const BY = { manager: 'test' };

function refusal(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('an object that is created', () => {
  it('gets an identity, defaults, a first generation, and no status of the client', () => {
    const { api, resource } = emptyApi();
    const type = resource('apps/v1', 'Deployment');
    const made = api.create(type, 'default', { ...deployment('web'), status: { replicas: 7 } }, BY);
    expect(made.metadata).toMatchObject({
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-03-02T10:00:00Z',
    });
    expect(made.metadata.uid).not.toBe('');
    expect(made['status']).toBeUndefined();
    expect(made['spec']).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxSurge: '25%' } } });
  });

  it('is refused with the reason: twice, nameless, in no namespace, with a wrong name, without its containers', () => {
    const { api, resource } = emptyApi();
    const maps = resource('v1', 'ConfigMap');
    const make = (name: string, namespace = 'default'): unknown => api.create(maps, namespace, configMap(name), BY);
    make('a');
    expect(refusal(() => make('a')).message).toBe('configmaps "a" already exists');
    expect(refusal(() => make('')).code).toBe(422);
    expect(refusal(() => make('a', 'nowhere')).message).toBe('namespaces "nowhere" not found');
    expect(refusal(() => make('A_b')).details.causes?.[0]?.field).toBe('metadata.name');
    const empty = deployment('web', { template: { metadata: { labels: { app: 'web' } }, spec: {} } });
    const error = refusal(() => api.create(resource('apps/v1', 'Deployment'), 'default', empty, BY));
    expect(error.message).toBe('Deployment.apps "web" is invalid: spec.template.spec.containers: Required value');
  });

  it('is not kept by a dry run', () => {
    const { api, resource } = emptyApi();
    const before = api.store.revision;
    api.create(resource('v1', 'ConfigMap'), 'default', configMap('a'), { ...BY, dryRun: true });
    expect(api.store.revision).toBe(before);
  });
});

describe('an update', () => {
  it('counts generations for changes of what is wanted, not of labels or status', () => {
    const { api, resource } = emptyApi();
    const type = resource('apps/v1', 'Deployment');
    api.create(type, 'default', deployment('web'), BY);
    const label = api.change(
      type,
      'default',
      'web',
      (draft) => void Object.assign(draft.metadata, { labels: { a: 'b' } }),
      BY,
    );
    expect(label.metadata.generation).toBe(1);
    const status = { ...BY, subresource: 'status' };
    const stated = api.change(
      type,
      'default',
      'web',
      (draft) => ({ ...draft, spec: {}, status: { replicas: 1 } }),
      status,
    );
    expect(stated).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 1 } });
    const scaled = api.update(type, 'default', 'web', deployment('web', { replicas: 2 }), BY);
    expect(scaled).toMatchObject({ metadata: { generation: 2 }, status: { replicas: 1 } });
  });

  it('of an old version is refused, one that changes nothing writes nothing', () => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    const first = api.create(type, 'default', configMap('a', { x: '1' }), BY);
    api.update(type, 'default', 'a', configMap('a', { x: '2' }), BY);
    expect(refusal(() => api.update(type, 'default', 'a', first, BY)).reason).toBe('Conflict');
    const before = api.store.revision;
    api.update(type, 'default', 'a', configMap('a', { x: '2' }), BY);
    expect(api.store.revision).toBe(before);
  });
});

describe('an object', () => {
  const make = (metadata: object, more: object = {}) => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    api.create(type, 'default', { ...configMap('a', { x: '1' }, metadata), ...more }, BY);
    const update = (change: object) =>
      api.update(type, 'default', 'a', { ...configMap('a', { x: '1' }, metadata), ...more, ...change }, BY);
    return { api, type, update };
  };

  it('with a label that is none is refused', () => {
    expect(refusal(() => make({ labels: { a: 'b c' } })).message).toContain('metadata.labels: Invalid value: "b c"');
  });

  it('that is immutable keeps its data, and no map holds more than a mebibyte', () => {
    const { update } = make({}, { immutable: true });
    expect(refusal(() => update({ data: { x: '2' } })).message).toContain('field is immutable when `immutable` is set');
    expect(refusal(() => make({}).update({ data: { x: 'x'.repeat(1024 * 1024 + 1) } })).message).toContain('Too long');
  });

  it('that is being deleted takes no new finalizer', () => {
    const { api, type } = make({ finalizers: ['x/y'] });
    api.remove(type, 'default', 'a');
    const add = () => api.change(type, 'default', 'a', ({ metadata }) => void metadata.finalizers?.push('z/z'), BY);
    expect(refusal(add).message).toContain('no new finalizers can be added if the object is being deleted');
  });
});

describe('a deletion', () => {
  it('waits for finalizers and ends when the last is taken away', () => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    api.create(type, 'default', configMap('a', {}, { finalizers: ['x/y'] }), BY);
    api.remove(type, 'default', 'a');
    expect(api.get(type, 'default', 'a').metadata.deletionTimestamp).toBe('2026-03-02T10:00:00Z');
    api.change(type, 'default', 'a', (draft) => void delete draft.metadata.finalizers, BY);
    expect(api.find(type, 'default', 'a')).toBeUndefined();
  });

  it('of another object of that name is refused', () => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    api.create(type, 'default', configMap('a'), BY);
    expect(refusal(() => api.remove(type, 'default', 'a', { uid: 'other' })).reason).toBe('Conflict');
  });
});

describe('a list', () => {
  const query = {
    namespace: 'default',
    labelSelector: '',
    fieldSelector: '',
    limit: 2,
    continue: '',
    resourceVersion: '',
    resourceVersionMatch: '',
  };

  it('in pages shows one moment, whatever changes between them', () => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    for (const name of ['a', 'b', 'c', 'd']) api.create(type, 'default', configMap(name), BY);
    const first = listObjects(api.store, type, query);
    api.remove(type, 'default', 'c');
    api.create(type, 'default', configMap('e'), BY);
    const second = listObjects(api.store, type, { ...query, continue: first.continue });
    expect([...first.items, ...second.items].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(first.remaining).toBe(2);
    expect(second.continue).toBe('');
    expect(second.resourceVersion).toBe(first.resourceVersion);
  });

  it('whose moment is forgotten answers 410', () => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    for (const name of ['a', 'b', 'c']) api.create(type, 'default', configMap(name), BY);
    const first = listObjects(api.store, type, query);
    api.create(type, 'default', configMap('d'), BY);
    api.store.compact();
    expect(refusal(() => listObjects(api.store, type, { ...query, continue: first.continue })).code).toBe(410);
  });

  it.each([
    ['app=web', '', ['a']],
    ['app in (web, db),tier notin (x)', '', ['a', 'b']],
    ['!app', '', ['c']],
    ['', 'metadata.name=b', ['b']],
    ['', 'metadata.name!=b,metadata.namespace=default', ['a', 'c']],
  ])('with the labels "%s" and fields "%s"', (labelSelector, fieldSelector, names) => {
    const { api, resource } = emptyApi();
    const type = resource('v1', 'ConfigMap');
    api.create(type, 'default', configMap('a', {}, { labels: { app: 'web' } }), BY);
    api.create(type, 'default', configMap('b', {}, { labels: { app: 'db' } }), BY);
    api.create(type, 'default', configMap('c'), BY);
    const { items } = listObjects(api.store, type, { ...query, limit: 0, labelSelector, fieldSelector });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  });
});
