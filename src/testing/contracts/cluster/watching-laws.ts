import { expect } from 'vitest';
import type { ResourcePath, WatchOptions } from '../../../ports/cluster.ts';
import { all, at, configMap, law, nameOf, one, versionOf, type World } from './law.ts';

const OWN = 'law=watching';
const LABELS = { labels: { law: 'watching' } };
const END = 'k8s.io/initial-events-end';

type Wanted = Omit<WatchOptions, 'signal'>;

/** The events of a watch as `TYPE name`, until there are so many; `initial` is the bookmark that ends the first events. */
async function take(world: World, count: number, wanted: Wanted, path: ResourcePath = all(world)): Promise<string[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
  const seen: string[] = [];
  for await (const event of world.cluster.watch(path, { ...wanted, signal })) {
    if (event.type === 'ERROR') seen.push(`ERROR ${at(event.error, 'code')} ${at(event.error, 'reason')}`);
    else if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${nameOf(event.object)}`);
    else if (at(event.object, 'metadata', 'annotations', END) === 'true') seen.push('initial');
    if (seen.length === count) break;
  }
  stop.abort();
  return seen;
}

async function now(world: World): Promise<string> {
  return (await world.cluster.list(all(world))).resourceVersion;
}

const create = (world: World, name: string): Promise<unknown> =>
  world.cluster.create(all(world), configMap(name, {}, LABELS));

export const WATCHING_LAWS = [
  law('a watch from a version tells all that came after it, in order, and nothing before', async (world) => {
    await create(world, 'before');
    const resourceVersion = await now(world);
    await create(world, 'a');
    await create(world, 'b');
    await world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '1' } });
    await world.cluster.delete(one(world, 'b'));
    await create(world, 'c');
    expect(await take(world, 5, { resourceVersion, labelSelector: OWN })).toEqual([
      'ADDED a',
      'ADDED b',
      'MODIFIED a',
      'DELETED b',
      'ADDED c',
    ]);
  }),

  law('a watch that is open tells what is written while it is', async (world) => {
    const events = take(world, 2, { resourceVersion: await now(world), labelSelector: OWN });
    await create(world, 'a');
    await world.cluster.delete(one(world, 'a'));
    expect(await events).toEqual(['ADDED a', 'DELETED a']);
  }),

  law('a watch without a version begins with what is there', async (world) => {
    await create(world, 'a');
    await create(world, 'b');
    expect((await take(world, 2, { labelSelector: OWN })).sort()).toEqual(['ADDED a', 'ADDED b']);
  }),

  law(
    'a watch by label says DELETED of an object that leaves the selection and ADDED of one that enters it',
    async (world) => {
      const resourceVersion = await now(world);
      await world.cluster.create(all(world), configMap('a', {}, { labels: { on: 'yes' } }));
      await world.cluster.patch(one(world, 'a'), 'merge', { metadata: { labels: { on: 'no' } } });
      await world.cluster.patch(one(world, 'a'), 'merge', { data: { unseen: '1' } });
      await world.cluster.patch(one(world, 'a'), 'merge', { metadata: { labels: { on: 'yes' } } });
      expect(await take(world, 3, { resourceVersion, labelSelector: 'on=yes' })).toEqual([
        'ADDED a',
        'DELETED a',
        'ADDED a',
      ]);
    },
  ),

  law('a watch by field sees the one object', async (world) => {
    const resourceVersion = await now(world);
    await create(world, 'other');
    await create(world, 'a');
    await world.cluster.delete(one(world, 'a'));
    const fieldSelector = 'metadata.name=a';
    expect(await take(world, 2, { resourceVersion, fieldSelector })).toEqual(['ADDED a', 'DELETED a']);
  }),

  law('a watch of all namespaces sees this one', async (world) => {
    const resourceVersion = await now(world);
    await world.cluster.create(all(world), configMap('a', {}, { labels: { of: world.namespace } }));
    const everywhere = { ...all(world), namespace: '' };
    const wanted = { resourceVersion, labelSelector: `of=${world.namespace}` };
    expect(await take(world, 1, wanted, everywhere)).toEqual(['ADDED a']);
  }),

  law('a write that changes nothing is no event', async (world) => {
    const resourceVersion = await now(world);
    await create(world, 'a');
    await world.cluster.patch(one(world, 'a'), 'merge', { metadata: LABELS });
    await create(world, 'b');
    expect(await take(world, 2, { resourceVersion, labelSelector: OWN })).toEqual(['ADDED a', 'ADDED b']);
  }),

  law('the event of a deletion carries the last state with the version of the deletion', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }, LABELS));
    await world.cluster.delete(one(world, 'a'));
    const stop = new AbortController();
    const wanted = { resourceVersion: versionOf(created), labelSelector: OWN, signal: stop.signal };
    for await (const event of world.cluster.watch(all(world), wanted)) {
      if (event.type === 'BOOKMARK') continue;
      expect(event).toMatchObject({ type: 'DELETED', object: { kind: 'ConfigMap', data: { n: '1' } } });
      if (event.type === 'DELETED') expect(Number(versionOf(event.object))).toBeGreaterThan(Number(versionOf(created)));
      stop.abort();
    }
    expect(stop.signal.aborted).toBe(true);
  }),

  law('a streaming list is what is there, a bookmark that says so, and then what comes', async (world) => {
    await create(world, 'a');
    await create(world, 'b');
    const events = take(world, 4, { sendInitialEvents: true, labelSelector: OWN });
    const first = take(world, 3, { sendInitialEvents: true, labelSelector: OWN });
    expect((await first).toSorted()).toEqual(['ADDED a', 'ADDED b', 'initial']);
    await create(world, 'c');
    const seen = await events;
    expect(seen.filter((event) => event !== 'initial').toSorted()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    expect(seen).toContain('initial');
  }),

  law('a streaming list of nothing is the bookmark alone', async (world) => {
    expect(await take(world, 1, { sendInitialEvents: true, labelSelector: 'law=none' })).toEqual(['initial']);
  }),

  law('a streaming list holds every write that was answered before it', async (world) => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await create(world, name);
      const seen = await take(world, 'abcdef'.indexOf(name) + 2, { sendInitialEvents: true, labelSelector: OWN });
      expect(seen).toContain(`ADDED ${name}`);
      expect(seen.at(-1)).toBe('initial');
    }
  }),

  law('a watch ends quietly at its timeout', async (world) => {
    const kinds: string[] = [];
    const wanted = { resourceVersion: await now(world), labelSelector: OWN, timeoutSeconds: 1 };
    const { signal } = new AbortController();
    for await (const event of world.cluster.watch(all(world), { ...wanted, signal })) kinds.push(event.type);
    expect(kinds.filter((kind) => kind !== 'BOOKMARK')).toEqual([]);
  }),

  law('a watch that its caller ends ends quietly', async (world) => {
    const stop = new AbortController();
    const watching = take(world, 9, { resourceVersion: await now(world), labelSelector: OWN });
    const signal = AbortSignal.any([stop.signal]);
    stop.abort();
    const seen: string[] = [];
    for await (const event of world.cluster.watch(all(world), { signal })) seen.push(event.type);
    expect(seen).toEqual([]);
    for (const name of 'abcdefghi') await create(world, name);
    expect(await watching).toHaveLength(9);
  }),

  law(
    'a watch from a version that is gone is the one event 410 Expired, and the watch ends',
    async (world) => {
      const resourceVersion = await now(world);
      await create(world, 'a');
      await world.forget();
      await create(world, 'b');
      expect(await take(world, 9, { resourceVersion, labelSelector: OWN })).toEqual(['ERROR 410 Expired']);
    },
    'forget',
  ),
];
