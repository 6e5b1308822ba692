import { expect } from 'vitest';
import type { JsonMap } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { all, at, configMap, law, nameOf, one, refusal, TYPES, until, versionOf, type World } from './law.ts';

const FINALIZED = { finalizers: ['example.test/hold'] };
const RELEASE = { metadata: { finalizers: null } };

function owned(name: string, owner: KubernetesObject, more: JsonMap = {}): KubernetesObject {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: nameOf(owner), uid: at(owner, 'metadata', 'uid') };
  return configMap(name, {}, { ownerReferences: [{ ...reference, ...more }] });
}

async function family(world: World, more: JsonMap = {}): Promise<void> {
  const owner = await world.cluster.create(all(world), configMap('owner'));
  await world.cluster.create(all(world), owned('child', owner, more));
}

const gone = (object: unknown): boolean => object === undefined;

export const DELETING_LAWS = [
  law('what is deleted is gone, and deleting it again is NotFound', async (world) => {
    await world.cluster.create(all(world), configMap('a'));
    await world.cluster.delete(one(world, 'a'));
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
    const { code, reason } = await refusal(world.cluster.delete(one(world, 'a')));
    expect([code, reason]).toEqual([404, 'NotFound']);
  }),

  law('a delete for another uid is Conflict, and for the own it is done', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a'));
    const other = { uid: '00000000-0000-4000-8000-000000000000' };
    const { code, reason } = await refusal(world.cluster.delete(one(world, 'a'), other));
    expect([code, reason]).toEqual([409, 'Conflict']);
    await world.cluster.delete(one(world, 'a'), { uid: String(at(created, 'metadata', 'uid')) });
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
  }),

  law('a delete for a version of the past is Conflict', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    const current = await world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '2' } });
    const { code } = await refusal(world.cluster.delete(one(world, 'a'), { resourceVersion: versionOf(created) }));
    expect(code).toBe(409);
    await world.cluster.delete(one(world, 'a'), { resourceVersion: versionOf(current) });
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
  }),

  law('a delete as a dry run deletes nothing', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a'));
    await world.cluster.delete(one(world, 'a'), { dryRun: true });
    expect(await world.cluster.get(one(world, 'a'))).toEqual(created);
  }),

  law('a finalizer holds an object that is being deleted until it is taken away', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', {}, FINALIZED));
    await world.cluster.delete(one(world, 'a'));
    const held = await world.cluster.get(one(world, 'a'));
    expect(at(held, 'metadata', 'deletionTimestamp')).toMatch(/Z$/);
    expect(at(held, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
    expect(versionOf(held)).not.toBe(versionOf(created));
    await world.cluster.patch(one(world, 'a'), 'merge', RELEASE);
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
  }),

  law('an object that is being deleted takes no new finalizer', async (world) => {
    await world.cluster.create(all(world), configMap('a', {}, FINALIZED));
    await world.cluster.delete(one(world, 'a'));
    const patch = { metadata: { finalizers: [...FINALIZED.finalizers, 'example.test/more'] } };
    const { code, causes } = await refusal(world.cluster.patch(one(world, 'a'), 'merge', patch));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toContain('metadata.finalizers');
    await world.cluster.patch(one(world, 'a'), 'merge', RELEASE);
  }),

  law('a new object of the same name has another uid', async (world) => {
    const first = await world.cluster.create(all(world), configMap('a'));
    await world.cluster.delete(one(world, 'a'));
    const second = await world.cluster.create(all(world), configMap('a'));
    expect(at(second, 'metadata', 'uid')).not.toBe(at(first, 'metadata', 'uid'));
  }),

  law('in the background the owner goes at once and what it owns follows', async (world) => {
    await family(world);
    await world.cluster.delete(one(world, 'owner'), { propagation: 'Background' });
    expect((await refusal(world.cluster.get(one(world, 'owner')))).code).toBe(404);
    await until(world, one(world, 'child'), gone);
  }),

  law('in the foreground the owner waits for what blocks it', async (world) => {
    const owner = await world.cluster.create(all(world), configMap('owner'));
    const child = owned('child', owner, { blockOwnerDeletion: true });
    await world.cluster.create(all(world), { ...child, metadata: { ...Object(child['metadata']), ...FINALIZED } });
    await world.cluster.delete(one(world, 'owner'), { propagation: 'Foreground' });
    await until(world, one(world, 'child'), (object) => at(object, 'metadata', 'deletionTimestamp') !== undefined);
    const held = await world.cluster.get(one(world, 'owner'));
    expect(at(held, 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
    await world.cluster.patch(one(world, 'child'), 'merge', RELEASE);
    await until(world, one(world, 'owner'), gone);
  }),

  law('as orphans what is owned stays and names the owner no more', async (world) => {
    await family(world);
    await world.cluster.delete(one(world, 'owner'), { propagation: 'Orphan' });
    await until(world, one(world, 'owner'), gone);
    const child = await world.cluster.get(one(world, 'child'));
    expect(at(child, 'metadata')).not.toHaveProperty('ownerReferences');
  }),

  law('what names an owner that is not there is taken away', async (world) => {
    const owner = await world.cluster.create(all(world), configMap('owner'));
    await world.cluster.delete(one(world, 'owner'));
    await world.cluster.create(all(world), owned('child', owner));
    await until(world, one(world, 'child'), gone);
  }),

  law('a collection is deleted by label', async (world) => {
    for (const [name, team] of Object.entries({ a: 'x', b: 'x', c: 'y' })) {
      await world.cluster.create(all(world), configMap(name, {}, { labels: { team } }));
    }
    await world.cluster.deleteCollection(all(world), { labelSelector: 'team=x' });
    const { items } = await world.cluster.list(all(world), { labelSelector: 'team' });
    expect(items.map(nameOf)).toEqual(['c']);
  }),

  law('a namespace that is being deleted is Terminating and takes nothing new', async (world) => {
    const name = `${world.namespace}-end`;
    const path = { type: TYPES.namespaces, namespace: '', name };
    await world.cluster.create(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const inside = { type: TYPES.configMaps, namespace: name };
    await world.cluster.create(inside, configMap('hold', {}, FINALIZED));
    await world.cluster.delete(path);
    const ending = await world.cluster.get(path);
    expect(ending).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
    const { code, reason, causes } = await refusal(world.cluster.create(inside, configMap('late')));
    expect([code, reason]).toEqual([403, 'Forbidden']);
    expect(causes.map((cause) => cause.reason)).toEqual(['NamespaceTerminating']);
    await world.cluster.patch({ ...inside, name: 'hold' }, 'merge', RELEASE);
  }),
];
