import { describe, expect, it } from 'vitest';
import { configMap, deployment, emptyApi } from '../api/object-api.fixture.ts';
import { StatusError } from '../objects/status-error.ts';

type Containers = { template: { spec: { containers: Record<string, unknown>[] } } };

function setUp() {
  const { api, resource } = emptyApi();
  const maps = resource('v1', 'ConfigMap');
  const apply = (manager: string, data: Record<string, string>, force = false) =>
    api.apply(maps, 'default', 'a', configMap('a', data), { manager, force }).object;
  return { api, resource, maps, apply };
}

describe('server-side apply', () => {
  it('creates, and says which fields the manager set', () => {
    const { apply } = setUp();
    expect(apply('one', { x: '1' }).metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2026-03-02T10:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} } },
      },
    ]);
  });

  it('removes what its manager no longer says, but not what others hold', () => {
    const { apply } = setUp();
    apply('one', { x: '1', y: '1', z: '1' });
    apply('two', { y: '1' });
    expect(apply('one', { z: '1' })['data']).toEqual({ y: '1', z: '1' });
  });

  it('refuses to change what another manager holds, naming each field', () => {
    const { apply } = setUp();
    apply('one', { x: '1', y: '1' });
    try {
      apply('two', { x: '2', y: '2' });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      expect(error.code).toBe(409);
      expect(error.details.causes).toEqual([
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.y' },
      ]);
    }
  });

  it('takes fields over by force', () => {
    const { apply } = setUp();
    apply('one', { x: '1', y: '1' });
    const forced = apply('two', { x: '2' }, true);
    expect(forced['data']).toEqual({ x: '2', y: '1' });
    expect(apply('one', { y: '1' })['data']).toEqual({ x: '2', y: '1' });
  });

  it('of the same again writes nothing', () => {
    const { api, apply } = setUp();
    apply('one', { x: '1' });
    const before = api.store.revision;
    apply('one', { x: '1' });
    expect(api.store.revision).toBe(before);
  });

  it('meets the changes of an update: they are a conflict', () => {
    const { api, maps, apply } = setUp();
    apply('one', { x: '1' });
    api.update(maps, 'default', 'a', configMap('a', { x: '2' }), { manager: 'editor' });
    expect(() => apply('one', { x: '3' })).toThrow('conflict with "editor" using v1');
    expect(apply('one', { x: '2' })['data']).toEqual({ x: '2' });
  });

  it('merges lists by their keys, with the default of a key that is left out', () => {
    const { api, resource } = setUp();
    const type = resource('apps/v1', 'Deployment');
    const withContainers = (containers: unknown[]): unknown => {
      const { spec, ...rest } = deployment('web') as { spec: Record<string, unknown> };
      return { ...rest, spec: { ...spec, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } } };
    };
    const app = { name: 'app', image: 'app:1', ports: [{ containerPort: 80 }] };
    api.apply(type, 'default', 'web', withContainers([app]), { manager: 'one', force: false });
    const sidecar = { name: 'sidecar', image: 'proxy:1' };
    api.apply(type, 'default', 'web', withContainers([sidecar]), { manager: 'two', force: false });
    const again = api.apply(type, 'default', 'web', withContainers([{ ...app, image: 'app:2' }]), {
      manager: 'one',
      force: false,
    });
    const { containers } = (again.object['spec'] as Containers).template.spec;
    expect(containers.map(({ name, image }) => [name, image])).toEqual([
      ['app', 'app:2'],
      ['sidecar', 'proxy:1'],
    ]);
    expect(JSON.stringify(again.object.metadata.managedFields)).toContain(
      'k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}',
    );
    expect(again.object.metadata.generation).toBe(3);
  });

  it('with a uid refuses another object, and a missing one', () => {
    const { api, maps, apply } = setUp();
    const body = configMap('a', {}, { uid: 'other' });
    const options = { manager: 'one', force: false };
    expect(() => api.apply(maps, 'default', 'a', body, options)).toThrow('no existing object was found');
    apply('one', {});
    expect(() => api.apply(maps, 'default', 'a', body, options)).toThrow(
      'metadata.uid: Invalid value: "other": field is immutable',
    );
  });
});
