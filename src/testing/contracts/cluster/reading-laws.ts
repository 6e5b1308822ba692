import { expect } from 'vitest';
import { asList } from '../../../core/object/fields.ts';
import { all, at, configMap, law, nameOf, one, refusal, TYPES, versionOf, type World } from './law.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e'];
const OWN = 'law=reading';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The server may add objects of its own to a namespace (kube-root-ca.crt); those of the law have a label. */
async function fill(world: World): Promise<void> {
  for (const [index, name] of LETTERS.entries()) {
    const labels = { law: 'reading', size: index < 2 ? 'small' : 'large', ...(name === 'e' ? { last: '' } : {}) };
    await world.cluster.create(all(world), configMap(name, { n: String(index) }, { labels }));
  }
}

async function names(world: World, labelSelector: string): Promise<string> {
  const { items } = await world.cluster.list(all(world), { labelSelector: `${OWN},${labelSelector}` });
  return items.map(nameOf).join('');
}

export const READING_LAWS = [
  law('a list is in the order of names, and its items carry apiVersion and kind', async (world) => {
    await fill(world);
    const { items, continue: next } = await world.cluster.list(all(world), { labelSelector: OWN });
    expect(items.map(nameOf)).toEqual(LETTERS);
    expect(items.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(LETTERS.map(() => 'v1 ConfigMap'));
    expect(next).toBe('');
  }),

  law('pages together are the list, all of one version, and the last has no continue', async (world) => {
    await fill(world);
    const seen: string[] = [];
    const versions = new Set<string>();
    let token = '';
    do {
      const page = await world.cluster.list(all(world), { labelSelector: OWN, limit: 2, continue: token });
      seen.push(page.items.map(nameOf).join(''));
      versions.add(page.resourceVersion);
      token = page.continue;
    } while (token !== '');
    expect(seen).toEqual(['ab', 'cd', 'e']);
    expect(versions.size).toBe(1);
  }),

  law('pages show the moment of the first page, whatever is written between', async (world) => {
    await fill(world);
    const first = await world.cluster.list(all(world), { labelSelector: OWN, limit: 2 });
    await world.cluster.delete(one(world, 'd'));
    const rest = await world.cluster.list(all(world), { labelSelector: OWN, limit: 9, continue: first.continue });
    expect(rest.items.map(nameOf).join('')).toBe('cde');
  }),

  law('a continue that is none is BadRequest', async (world) => {
    const { code, reason } = await refusal(world.cluster.list(all(world), { limit: 2, continue: 'nonsense' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('label selectors choose by equality, sets and presence', async (world) => {
    await fill(world);
    expect(await names(world, 'size=small')).toBe('ab');
    expect(await names(world, 'size==large')).toBe('cde');
    expect(await names(world, 'size!=small')).toBe('cde');
    expect(await names(world, 'size in (small,other)')).toBe('ab');
    expect(await names(world, 'size notin (small)')).toBe('cde');
    expect(await names(world, 'none notin (x)')).toBe('abcde');
    expect(await names(world, 'last')).toBe('e');
    expect(await names(world, '!last')).toBe('abcd');
    expect(await names(world, 'last=')).toBe('e');
  }),

  law('a label selector that is none is BadRequest', async (world) => {
    const { code, reason } = await refusal(world.cluster.list(all(world), { labelSelector: 'a in' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('field selectors choose by name', async (world) => {
    await fill(world);
    const chosen = async (fieldSelector: string): Promise<string> =>
      (await world.cluster.list(all(world), { labelSelector: OWN, fieldSelector })).items.map(nameOf).join('');
    expect(await chosen('metadata.name=b')).toBe('b');
    expect(await chosen('metadata.name!=b')).toBe('acde');
  }),

  law('a field that is no selectable one is BadRequest', async (world) => {
    const { code, reason } = await refusal(world.cluster.list(all(world), { fieldSelector: 'data.n=1' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('a list of all namespaces holds those of this one', async (world) => {
    await fill(world);
    const { items } = await world.cluster.list({ type: TYPES.configMaps, namespace: '' }, { labelSelector: OWN });
    const here = items.filter((item) => at(item, 'metadata', 'namespace') === world.namespace);
    expect(here.map(nameOf)).toEqual(LETTERS);
  }),

  law('a list of an exact version is the list as it was then', async (world) => {
    await fill(world);
    const before = await world.cluster.list(all(world), { labelSelector: OWN });
    await world.cluster.delete(one(world, 'a'));
    await world.cluster.patch(one(world, 'b'), 'merge', { data: { n: 'changed' } });
    const { resourceVersion } = before;
    const query = { labelSelector: OWN, resourceVersion, resourceVersionMatch: 'Exact' } as const;
    const then = await world.cluster.list(all(world), query);
    expect(then.items).toEqual(before.items);
    expect(then.resourceVersion).toBe(resourceVersion);
  }),

  law('a list no older than a write holds that write', async (world) => {
    const resourceVersion = versionOf(await world.cluster.create(all(world), configMap('a')));
    const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan' } as const;
    expect((await world.cluster.list(all(world), query)).items.map(nameOf)).toContain('a');
  }),

  law('an exact version without a version is refused', async (world) => {
    const { code } = await refusal(world.cluster.list(all(world), { resourceVersionMatch: 'Exact' }));
    expect(code).toBe(422);
  }),

  law('a list of metadata has no data', async (world) => {
    await fill(world);
    const { items } = await world.cluster.list(all(world), { labelSelector: OWN, as: 'metadata' });
    expect(items.map(nameOf)).toEqual(LETTERS);
    expect(items[0]).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
    expect(items.filter((item) => 'data' in item)).toEqual([]);
  }),

  law('one object is read as PartialObjectMetadata', async (world) => {
    await fill(world);
    const path = `/api/v1/namespaces/${world.namespace}/configmaps/a`;
    const { code, body } = await world.request(path, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
    expect([code, body['kind'], nameOf(body)]).toEqual([200, 'PartialObjectMetadata', 'a']);
    expect(body).not.toHaveProperty('data');
  }),

  law('a list is read as a Table: columns, and a row with metadata for each object', async (world) => {
    await fill(world);
    const query = `labelSelector=${encodeURIComponent(OWN)}`;
    const { code, body } = await world.request(`/api/v1/namespaces/${world.namespace}/configmaps?${query}`, TABLE);
    expect([code, body['kind'], body['apiVersion']]).toEqual([200, 'Table', 'meta.k8s.io/v1']);
    const columns = asList(body['columnDefinitions']).map((column) => at(column, 'name'));
    expect(columns).toEqual(['Name', 'Data', 'Age']);
    const rows = asList(body['rows']);
    expect(rows.map((row) => asList(at(row, 'cells')).slice(0, 2))).toEqual(LETTERS.map((name) => [name, 1]));
    expect(at(rows, 0, 'object')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  }),

  law(
    'a Table of Deployments tells ready, up to date, available, and the wide columns have a priority',
    async (world) => {
      const path = `/apis/apps/v1/namespaces/${world.namespace}/deployments`;
      const { body } = await world.request(path, TABLE);
      const columns = asList(body['columnDefinitions']).map(
        (column) => `${at(column, 'name')} ${at(column, 'priority')}`,
      );
      expect(columns).toEqual([
        'Name 0',
        'Ready 0',
        'Up-to-date 0',
        'Available 0',
        'Age 0',
        'Containers 1',
        'Images 1',
        'Selector 1',
      ]);
    },
  ),

  law('the log of a pod that is not there is NotFound', async (world) => {
    const read = async (): Promise<void> => {
      for await (const line of world.cluster.logs(world.namespace, 'none')) throw new Error(line);
    };
    const { code, reason, message } = await refusal(read());
    expect([code, reason]).toEqual([404, 'NotFound']);
    expect(message).toContain('pods "none" not found');
  }),
];
