import { expect } from 'vitest';
import { all, at, law, one, refusal } from './law.ts';

export const DISCOVERY_LAWS = [
  law('a kind is found with its resource, scope, verbs and subresources', async ({ cluster }) => {
    const found = await cluster.discovery.kind('apps', 'Deployment');
    expect(found).toMatchObject({ group: 'apps', version: 'v1', resource: 'deployments', namespaced: true });
    expect(found?.subresources).toEqual(expect.arrayContaining(['scale', 'status']));
    expect(found?.verbs).toEqual(expect.arrayContaining(['create', 'delete', 'get', 'list', 'patch', 'watch']));
    expect((await cluster.discovery.kind('', 'Namespace'))?.namespaced).toBe(false);
  }),

  law(
    'plural, singular, short name, kind, and the plural with group and version all name one resource',
    async (world) => {
      const names = ['deployments', 'deployment', 'deploy', 'Deployment', 'deployments.apps', 'deployments.v1.apps'];
      const found = await Promise.all(names.map((name) => world.cluster.discovery.find(name)));
      expect(found.map((type) => type && `${type.resource}.${type.group}`)).toEqual(
        names.map(() => 'deployments.apps'),
      );
    },
  ),

  law('a short name that a group could shadow is that of the core group', async ({ cluster }) => {
    expect(await cluster.discovery.find('events')).toMatchObject({ group: '', kind: 'Event' });
    expect(await cluster.discovery.find('cm')).toMatchObject({ group: '', kind: 'ConfigMap' });
  }),

  law('a kind that is not served is found to be nothing, which is no failure', async ({ cluster }) => {
    expect(await cluster.discovery.kind('none.example.test', 'Nothing')).toBeUndefined();
    expect(await cluster.discovery.kind('apps', 'Deployment', 'v99')).toBeUndefined();
    expect(await cluster.discovery.find('nothings')).toBeUndefined();
  }),

  law('every served type has a kind and verbs, and no group is broken', async ({ cluster }) => {
    const types = await cluster.discovery.all();
    expect(types.length).toBeGreaterThan(15);
    expect(types.filter(({ kind, verbs }) => kind === '' || verbs.length === 0)).toEqual([]);
    expect(await cluster.discovery.broken()).toEqual([]);
  }),

  law('the server tells its version', async ({ cluster }) => {
    expect(at(await cluster.raw('GET', '/version'), 'gitVersion')).toMatch(/^v1\.\d+\./);
  }),

  law('a path that is not served is NotFound', async ({ cluster }) => {
    const { code, reason } = await refusal(cluster.raw('GET', '/apis/none.example.test/v1/nothings'));
    expect([code, reason]).toEqual([404, 'NotFound']);
  }),

  law('a subresource that a kind does not have is NotFound', async (world) => {
    const { code } = await refusal(world.cluster.get(one(world, 'any'), { subresource: 'status' }));
    expect(code).toBe(404);
  }),

  law('a list of a namespace that does not exist is empty', async (world) => {
    const { items } = await world.cluster.list({ ...all(world), namespace: 'none-such' });
    expect(items).toEqual([]);
  }),
];
