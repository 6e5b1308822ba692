import { expect } from 'vitest';
import { asList } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { all, at, configMap, deployment, law, one, refusal, TYPES, versionOf, type World } from './law.ts';

type Data = Readonly<Record<string, string>>;

/** Applies data to the ConfigMap `a`. */
function apply(world: World, manager: string, data: Data, force = false): Promise<KubernetesObject> {
  return world.cluster.apply(one(world, 'a'), configMap('a', data), { fieldManager: manager, force });
}

/** `manager operation` of every entry of managedFields, in order of the alphabet. */
function managers(object: KubernetesObject): string[] {
  return asList(at(object, 'metadata', 'managedFields'))
    .map((entry) => [at(entry, 'manager'), at(entry, 'operation'), at(entry, 'subresource')].filter(Boolean).join(' '))
    .sort();
}

function fieldsOf(object: KubernetesObject, manager: string): unknown {
  return at(
    asList(at(object, 'metadata', 'managedFields')).find((entry) => at(entry, 'manager') === manager),
    'fieldsV1',
  );
}

const withPorts = (...ports: readonly unknown[]): KubernetesObject => deployment('a', { ports });
const portsOf = (object: KubernetesObject): unknown => at(object, 'spec', 'template', 'spec', 'containers', 0, 'ports');

export const APPLY_LAWS = [
  law('an apply creates what is not there and notes what its manager owns', async (world) => {
    const applied = await apply(world, 'one', { n: '1' });
    expect(managers(applied)).toEqual(['one Apply']);
    expect(fieldsOf(applied, 'one')).toEqual({ 'f:data': { 'f:n': {} } });
  }),

  law('an apply of the same again keeps the version', async (world) => {
    const first = await apply(world, 'one', { n: '1' });
    expect(versionOf(await apply(world, 'one', { n: '1' }))).toBe(versionOf(first));
  }),

  law('two managers own fields of one object side by side', async (world) => {
    await apply(world, 'one', { a: '1' });
    const applied = await apply(world, 'two', { b: '2' });
    expect(applied['data']).toEqual({ a: '1', b: '2' });
    expect(managers(applied)).toEqual(['one Apply', 'two Apply']);
  }),

  law(
    'a field that another applied with another value is Conflict; the cause names field and manager',
    async (world) => {
      await apply(world, 'one', { a: '1', b: '1' });
      const { code, reason, causes } = await refusal(apply(world, 'two', { a: '2', b: '1' }));
      expect([code, reason]).toEqual([409, 'Conflict']);
      expect(causes).toEqual([{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }]);
    },
  ),

  law('a field that another updated is Conflict; the cause tells the way of the update', async (world) => {
    await world.cluster.create(all(world), configMap('a', { a: '1' }), { fieldManager: 'one' });
    const { causes } = await refusal(apply(world, 'two', { a: '2' }));
    expect(causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: expect.stringContaining('conflict with "one" using v1'),
        field: '.data.a',
      },
    ]);
  }),

  law('every field in conflict is a cause of its own', async (world) => {
    await apply(world, 'one', { a: '1' });
    await apply(world, 'two', { b: '1' });
    const { causes } = await refusal(apply(world, 'three', { a: '2', b: '2' }));
    expect(causes.map(({ field, message }) => `${field} ${message}`).sort()).toEqual([
      '.data.a conflict with "one"',
      '.data.b conflict with "two"',
    ]);
  }),

  law('force takes a field over, and the one who had it owns it no more', async (world) => {
    await apply(world, 'one', { a: '1', b: '1' });
    const forced = await apply(world, 'two', { a: '2' }, true);
    expect(forced['data']).toEqual({ a: '2', b: '1' });
    expect(at(fieldsOf(forced, 'one'), 'f:data')).not.toHaveProperty('f:a');
    expect(at(fieldsOf(forced, 'two'), 'f:data')).toHaveProperty('f:a');
  }),

  law('the same value by two managers is shared, not a conflict', async (world) => {
    await apply(world, 'one', { a: '1' });
    const applied = await apply(world, 'two', { a: '1' });
    expect(at(fieldsOf(applied, 'one'), 'f:data')).toHaveProperty('f:a');
    expect(at(fieldsOf(applied, 'two'), 'f:data')).toHaveProperty('f:a');
  }),

  law('a field that its manager no longer applies is removed', async (world) => {
    await apply(world, 'one', { a: '1', b: '1' });
    expect((await apply(world, 'one', { b: '1' }))['data']).toEqual({ b: '1' });
  }),

  law('a field that its manager no longer applies stays while another owns it', async (world) => {
    await apply(world, 'one', { a: '1', b: '1' });
    await apply(world, 'two', { a: '1' });
    expect((await apply(world, 'one', { b: '1' }))['data']).toEqual({ a: '1', b: '1' });
  }),

  law('a field that a manager never applied is left alone by it', async (world) => {
    await world.cluster.create(all(world), configMap('a', { theirs: '1' }), { fieldManager: 'one' });
    await apply(world, 'two', { ours: '1' });
    expect((await apply(world, 'two', {}))['data']).toEqual({ theirs: '1' });
  }),

  law('an update takes over the fields that it changes', async (world) => {
    await apply(world, 'one', { a: '1', b: '1' });
    const patched = await world.cluster.patch(one(world, 'a'), 'merge', { data: { a: '2' } }, { fieldManager: 'two' });
    expect(managers(patched)).toEqual(['one Apply', 'two Update']);
    expect(at(fieldsOf(patched, 'one'), 'f:data')).not.toHaveProperty('f:a');
    expect(at(fieldsOf(patched, 'two'), 'f:data')).toEqual({ 'f:a': {} });
  }),

  law('containers are one list by name: each manager owns its own', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.apply(path, deployment('a'), { fieldManager: 'one' });
    const containers = [{ name: 'beside', image: 'example.test/beside:1' }];
    const beside = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { template: { spec: { containers } } },
    };
    const applied = await world.cluster.apply(path, beside, { fieldManager: 'two' });
    const names = asList(at(applied, 'spec', 'template', 'spec', 'containers')).map((each) => at(each, 'name'));
    expect(names.sort()).toEqual(['beside', 'main']);
  }),

  law('a key of a list that is left out has its default: a port without protocol is a TCP port', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.apply(path, withPorts({ containerPort: 80 }), { fieldManager: 'one' });
    const explicit = withPorts({ containerPort: 80, protocol: 'TCP' }, { containerPort: 80, protocol: 'UDP' });
    const applied = await world.cluster.apply(path, explicit, { fieldManager: 'one' });
    expect(portsOf(applied)).toEqual([
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 80, protocol: 'UDP' },
    ]);
    const without = await world.cluster.apply(path, withPorts({ containerPort: 80 }), { fieldManager: 'one' });
    expect(portsOf(without)).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
  }),

  law('finalizers are a set to which each manager adds', async (world) => {
    const finalized = (name: string): KubernetesObject => configMap('a', {}, { finalizers: [name] });
    await world.cluster.apply(one(world, 'a'), finalized('example.test/one'), { fieldManager: 'one' });
    const both = await world.cluster.apply(one(world, 'a'), finalized('example.test/two'), { fieldManager: 'two' });
    expect(asList(at(both, 'metadata', 'finalizers')).toSorted()).toEqual(['example.test/one', 'example.test/two']);
    const left = await world.cluster.apply(one(world, 'a'), configMap('a'), { fieldManager: 'one' });
    expect(at(left, 'metadata', 'finalizers')).toEqual(['example.test/two']);
    await world.cluster.apply(one(world, 'a'), configMap('a'), { fieldManager: 'two' });
  }),

  law('an apply with the uid of another object is Invalid: a uid cannot be changed', async (world) => {
    await apply(world, 'one', { a: '1' });
    const other = configMap('a', { a: '2' }, { uid: '00000000-0000-4000-8000-000000000000' });
    const { code, causes } = await refusal(world.cluster.apply(one(world, 'a'), other, { fieldManager: 'one' }));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toContain('metadata.uid');
  }),

  law('an apply with a uid creates nothing where nothing is: Conflict', async (world) => {
    const other = configMap('a', { a: '2' }, { uid: '00000000-0000-4000-8000-000000000000' });
    const { code, reason } = await refusal(world.cluster.apply(one(world, 'a'), other, { fieldManager: 'one' }));
    expect([code, reason]).toEqual([409, 'Conflict']);
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
  }),

  law('an apply with the uid of the object itself is done', async (world) => {
    const { metadata } = await apply(world, 'one', { a: '1' });
    const same = configMap('a', { a: '2' }, { uid: at(metadata, 'uid') });
    const applied = await world.cluster.apply(one(world, 'a'), same, { fieldManager: 'one' });
    expect(applied['data']).toEqual({ a: '2' });
  }),

  law('an apply with a version of the past is Conflict', async (world) => {
    const first = await apply(world, 'one', { a: '1' });
    await apply(world, 'one', { a: '2' });
    const stale = configMap('a', { a: '3' }, { resourceVersion: versionOf(first) });
    const { code, reason } = await refusal(world.cluster.apply(one(world, 'a'), stale, { fieldManager: 'one' }));
    expect([code, reason]).toEqual([409, 'Conflict']);
  }),

  law('an apply of managedFields is BadRequest', async (world) => {
    const applied = await apply(world, 'one', { a: '1' });
    const { code, reason } = await refusal(world.cluster.apply(one(world, 'a'), applied, { fieldManager: 'one' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('an apply of an unknown field is refused, and the message names it', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    const misspelt = deployment('a', {}, { replicass: 3 });
    const { message } = await refusal(world.cluster.apply(path, misspelt, { fieldManager: 'one' }));
    expect(message).toContain('replicass');
  }),

  law('an apply as a dry run tells of a conflict and stores nothing', async (world) => {
    const first = await apply(world, 'one', { a: '1' });
    const dry = { fieldManager: 'two', dryRun: true };
    expect((await refusal(world.cluster.apply(one(world, 'a'), configMap('a', { a: '2' }), dry))).code).toBe(409);
    const answered = await world.cluster.apply(one(world, 'a'), configMap('a', { b: '2' }), dry);
    expect(answered['data']).toEqual({ a: '1', b: '2' });
    expect(await world.cluster.get(one(world, 'a'))).toEqual(first);
  }),

  law('a number applied as it was defaulted is no change', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    const first = await world.cluster.apply(path, deployment('a', {}, { replicas: 0 }), { fieldManager: 'one' });
    const same = deployment('a', {}, { replicas: 0, progressDeadlineSeconds: 600 });
    const second = await world.cluster.apply(path, same, { fieldManager: 'two', force: true });
    expect(at(second, 'metadata', 'generation')).toBe(at(first, 'metadata', 'generation'));
  }),
];
