import { expect } from 'vitest';
import { all, at, configMap, deployment, law, one, refusal, TYPES, versionOf } from './law.ts';

const CONTAINERS = ['spec', 'template', 'spec', 'containers'] as const;

export const PATCH_LAWS = [
  law('a merge patch sets fields and removes what is null', async (world) => {
    await world.cluster.create(all(world), configMap('a', { keep: '1', change: '1', gone: '1' }));
    const patch = { data: { change: '2', gone: null, added: '3' } };
    const patched = await world.cluster.patch(one(world, 'a'), 'merge', patch);
    expect(patched['data']).toEqual({ keep: '1', change: '2', added: '3' });
  }),

  law('a merge patch replaces lists', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a'));
    const containers = [{ name: 'other', image: 'example.test/other:1' }];
    const patched = await world.cluster.patch(path, 'merge', { spec: { template: { spec: { containers } } } });
    expect(at(patched, ...CONTAINERS)).toMatchObject(containers);
  }),

  law('a JSON patch does its operations in order', async (world) => {
    await world.cluster.create(all(world), configMap('a', { one: '1' }, { annotations: { 'example.test/b': '2' } }));
    const patched = await world.cluster.patch(one(world, 'a'), 'json', [
      { op: 'test', path: '/data/one', value: '1' },
      { op: 'replace', path: '/data/one', value: '9' },
      { op: 'copy', from: '/data/one', path: '/data/two' },
      { op: 'move', from: '/metadata/annotations/example.test~1b', path: '/data/three' },
      { op: 'add', path: '/metadata/labels', value: { app: 'x' } },
      { op: 'remove', path: '/data/one' },
    ]);
    expect(patched['data']).toEqual({ two: '9', three: '2' });
    expect(at(patched, 'metadata', 'labels')).toEqual({ app: 'x' });
  }),

  law('a JSON patch whose test fails is Invalid and changes nothing', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    const patch = [
      { op: 'replace', path: '/data/n', value: '2' },
      { op: 'test', path: '/data/n', value: '1' },
    ];
    const { code, reason } = await refusal(world.cluster.patch(one(world, 'a'), 'json', patch));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(await world.cluster.get(one(world, 'a'))).toEqual(created);
  }),

  law('a JSON patch that removes what is not there is Invalid', async (world) => {
    await world.cluster.create(all(world), configMap('a'));
    const patch = [{ op: 'remove', path: '/data/none' }];
    expect((await refusal(world.cluster.patch(one(world, 'a'), 'json', patch))).code).toBe(422);
  }),

  law('a JSON patch that is no list of operations is BadRequest', async (world) => {
    await world.cluster.create(all(world), configMap('a'));
    const { code, reason } = await refusal(world.cluster.patch(one(world, 'a'), 'json', { op: 'remove' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('a strategic patch merges containers by name', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a', { env: [{ name: 'ONE', value: '1' }] }));
    const containers = [
      { name: 'main', env: [{ name: 'TWO', value: '2' }] },
      { name: 'beside', image: 'example.test/beside:1' },
    ];
    const patched = await world.cluster.patch(path, 'strategic', { spec: { template: { spec: { containers } } } });
    const merged = at(patched, ...CONTAINERS);
    expect(at(merged, 'length') ?? (Array.isArray(merged) && merged.length)).toBe(2);
    const byName = Object.fromEntries((Array.isArray(merged) ? merged : []).map((each) => [at(each, 'name'), each]));
    expect(byName['main']).toMatchObject({ image: 'example.test/main:1' });
    expect(at(byName['main'], 'env')).toEqual(
      expect.arrayContaining([
        { name: 'ONE', value: '1' },
        { name: 'TWO', value: '2' },
      ]),
    );
    expect(byName['beside']).toMatchObject({ image: 'example.test/beside:1' });
  }),

  law('a strategic patch deletes an element that it marks so', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a', { env: [{ name: 'ONE' }, { name: 'TWO' }] }));
    const containers = [{ name: 'main', env: [{ name: 'ONE', $patch: 'delete' }] }];
    const patched = await world.cluster.patch(path, 'strategic', { spec: { template: { spec: { containers } } } });
    expect(at(patched, ...CONTAINERS, 0, 'env')).toEqual([{ name: 'TWO' }]);
  }),

  law('a strategic patch replaces a map that it marks so', async (world) => {
    await world.cluster.create(all(world), configMap('a', {}, { labels: { one: '1', two: '2' } }));
    const patch = { metadata: { labels: { $patch: 'replace', three: '3' } } };
    const patched = await world.cluster.patch(one(world, 'a'), 'strategic', patch);
    expect(at(patched, 'metadata', 'labels')).toEqual({ three: '3' });
  }),

  law('a patch with a version of the past is Conflict', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    await world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '2' } });
    const patch = { metadata: { resourceVersion: versionOf(created) }, data: { n: '3' } };
    const { code, reason } = await refusal(world.cluster.patch(one(world, 'a'), 'merge', patch));
    expect([code, reason]).toEqual([409, 'Conflict']);
  }),

  law('a patch of what is not there is NotFound', async (world) => {
    for (const type of ['merge', 'strategic'] as const) {
      const { code, reason } = await refusal(world.cluster.patch(one(world, 'none'), type, { data: { n: '1' } }));
      expect([code, reason]).toEqual([404, 'NotFound']);
    }
  }),

  law('a patch that changes nothing keeps the version', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    const patched = await world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '1' } });
    expect(versionOf(patched)).toBe(versionOf(created));
  }),

  law('many patches at once are all kept', async (world) => {
    await world.cluster.create(all(world), configMap('a', { start: '1' }));
    const keys = Array.from({ length: 8 }, (_, index) => `key${index}`);
    await Promise.all(keys.map((key) => world.cluster.patch(one(world, 'a'), 'merge', { data: { [key]: '1' } })));
    const { data } = await world.cluster.get(one(world, 'a'));
    expect(data).toEqual(Object.fromEntries(['start', ...keys].map((key) => [key, '1'])));
  }),

  law('scale reads and writes the replicas of a Deployment', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a'));
    const scale = await world.cluster.get(path, { subresource: 'scale' });
    expect(scale).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: {},
      status: { replicas: 0, selector: 'app=a' },
    });
    await world.cluster.patch(path, 'merge', { spec: { replicas: 2 } }, { subresource: 'scale' });
    const scaled = await world.cluster.get(path);
    expect(scaled).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 2 } });
    // Without a version: the controller of Deployments may write in between.
    const none = { ...scale, metadata: { name: 'a', namespace: world.namespace }, spec: { replicas: 0 } };
    await world.cluster.update(path, none, { subresource: 'scale' });
    expect(at(await world.cluster.get(path), 'spec', 'replicas')).toBe(0);
  }),
];
