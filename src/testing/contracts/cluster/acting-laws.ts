import { expect } from 'vitest';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { Cluster, Subject } from '../../../ports/cluster.ts';
import { all, at, configMap, law, nameOf, one, refusal, until, versionOf, type World } from './law.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

function pod(name: string): KubernetesObject {
  const containers = [{ name: 'main', image: 'example.test/main:1' }];
  // On no node: nobody runs it, so what happens to it is the server's alone.
  const spec = { containers, schedulerName: 'nobody' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec };
}

/** Who the server takes the caller for. */
async function whoAmI(cluster: Cluster): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await cluster.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
  return at(answer, 'status', 'userInfo');
}

/** Somebody who may do as much as an administrator. */
const SOMEBODY: Subject = { user: 'somebody', groups: ['system:masters'] };

function eviction(world: World, name: string, more: object = {}): Promise<unknown> {
  const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: world.namespace }, ...more };
  return world.cluster.create(all(world, PODS), object, { subresource: 'eviction' });
}

export const ACTING_LAWS = [
  law('who acts as somebody else is that one to the server, with groups and extra', async ({ cluster }) => {
    const subject = { ...SOMEBODY, extra: { 'example.test/reason': ['law'] } };
    const user = await whoAmI(cluster.as(subject));
    expect(at(user, 'username')).toBe('somebody');
    expect(at(user, 'groups')).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']));
    expect(at(user, 'extra', 'example.test/reason')).toEqual(['law']);
  }),

  law('who acts as a ServiceAccount is in the groups of ServiceAccounts', async ({ cluster, namespace }) => {
    const user = await whoAmI(cluster.as({ user: `system:serviceaccount:${namespace}:deployer` }));
    expect(at(user, 'groups')).toEqual(
      expect.arrayContaining([`system:serviceaccounts:${namespace}`, 'system:serviceaccounts']),
    );
  }),

  law('acting as somebody else holds for reads, writes and watches, and not for the first client', async (world) => {
    const other = world.cluster.as(SOMEBODY);
    const { resourceVersion } = await other.list(all(world));
    await other.create(all(world), configMap('of-somebody'));
    const stop = new AbortController();
    for await (const event of other.watch(all(world), { resourceVersion, signal: stop.signal })) {
      if (event.type !== 'ADDED' || nameOf(event.object) !== 'of-somebody') continue;
      break;
    }
    stop.abort();
    await other.close();
    expect(at(await whoAmI(world.cluster), 'username')).not.toBe('somebody');
  }),

  law('groups without a user are refused', async ({ cluster }) => {
    expect(() => cluster.as({ user: '' })).toThrow();
  }),

  law('an eviction ends a pod', async (world) => {
    await world.cluster.create(all(world, PODS), pod('evicted'));
    await eviction(world, 'evicted');
    await until(world, one(world, 'evicted', PODS), (object) => object === undefined);
  }),

  law('an eviction of a pod that is not there is NotFound', async (world) => {
    expect((await refusal(eviction(world, 'nobody'))).code).toBe(404);
  }),

  law('an eviction with another uid is a Conflict, and the pod stays', async (world) => {
    await world.cluster.create(all(world, PODS), pod('kept'));
    const deleteOptions = { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } };
    expect((await refusal(eviction(world, 'kept', { deleteOptions }))).code).toBe(409);
    expect(nameOf(await world.cluster.get(one(world, 'kept', PODS)))).toBe('kept');
  }),

  law('the log of a pod that is on no node is empty or refused, followed or not', async (world) => {
    await world.cluster.create(all(world, PODS), pod('waiting'));
    for (const follow of [false, true]) {
      const lines: string[] = [];
      const read = async (): Promise<void> => {
        const signal = AbortSignal.timeout(2_000);
        for await (const text of world.cluster.logs(world.namespace, 'waiting', { follow, signal })) lines.push(text);
      };
      await read().catch((error: unknown) => expect(at(error, 'code')).toBe(400));
      expect(lines).toEqual([]);
    }
  }),

  law('a watch of metadata tells versions and labels, and no data', async (world) => {
    const { resourceVersion } = await world.cluster.list(all(world), { as: 'metadata' });
    const created = await world.cluster.create(all(world), configMap('m', { text: 'x' }, { labels: { a: 'b' } }));
    const stop = new AbortController();
    const options = { resourceVersion, as: 'metadata', signal: stop.signal } as const;
    for await (const event of world.cluster.watch(all(world), options)) {
      if (event.type !== 'ADDED' || nameOf(event.object) !== 'm') continue;
      expect(versionOf(event.object)).toBe(versionOf(created));
      expect(event.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { a: 'b' } } });
      expect(event.object['data']).toBeUndefined();
      break;
    }
    stop.abort();
  }),
];
