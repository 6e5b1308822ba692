import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf, objectsOf, renderRefOf } from './canonical.ts';
import type { KindLookup } from './normalise.ts';
import { config, documents, kinds, OPTIONS, object, rendered, sha256 } from './render.fixture.ts';
import { problemText, renderOf, storedRender } from './render.ts';

function problems(...objects: readonly unknown[]): readonly string[] {
  const render = renderOf(documents(...objects), OPTIONS);
  return 'problems' in render ? render.problems.map(problemText) : [];
}

describe('a render', () => {
  it('is sorted by group, kind, namespace and name, and named by the digest of its lines', () => {
    const render = rendered(
      object('apps/v1', 'Deployment', 'web'),
      config('b'),
      { ...config('a'), metadata: { name: 'a', namespace: 'zoo' } },
      config('a'),
    );
    expect(render.objects.map(({ ref }) => `${ref.group} ${ref.kind} ${ref.namespace} ${ref.name}`)).toEqual([
      ' ConfigMap shop a',
      ' ConfigMap shop b',
      ' ConfigMap zoo a',
      'apps Deployment shop web',
    ]);
    const lines = linesOf(render.objects.map((one) => one.object));
    expect(lines.split('\n')[0]).toBe(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"shop"}}',
    );
    expect(render.renderRef).toBe(`sha256:${sha256(lines)}`);
  });

  it('has the same name in whatever order objects and keys were written', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('any'), { maxLength: 3 }),
      map: fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
    })).map;
    const names = fc.string({ minLength: 1 }).filter((name) => !/[/%]|^\.{1,2}$/.test(name));
    const objects = fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name });
    fc.assert(
      fc.property(objects, fc.infiniteStream(fc.nat()), (list, chance) => {
        const all = list.map(([name, data]) => ({ ...config(name), data }));
        const other = shuffled(
          all.map((one) => reordered(one, chance)),
          chance,
        );
        // Keys and objects moved, content did not.
        expect(rendered(...(other as typeof all)).renderRef).toBe(rendered(...all).renderRef);
      }),
    );
  });

  it('has another name when a list is in another order', () => {
    const withArgs = (...args: string[]) => rendered({ ...config('a'), args }).renderRef;
    expect(withArgs('a', 'b')).not.toBe(withArgs('b', 'a'));
  });

  it('keeps integers beyond 2^53 through its lines and back', () => {
    const { objects, renderRef } = rendered({ ...config('a'), spec: { id: 9007199254740993n, half: 0.5, far: 1e20 } });
    const back = objectsOf(linesOf(objects.map((one) => one.object)));
    expect(back[0]?.['spec']).toEqual({ id: 9007199254740993n, half: 0.5, far: 1e20 });
    expect(renderRefOf(back, sha256)).toBe(renderRef);
  });

  it('is the same when it was stored and is read again', () => {
    const render = rendered(config('a', { 'convoy.kumodo.io/sync-wave': '3' }), object('v1', 'Namespace', 'shop'));
    expect(storedRender(objectsOf(linesOf(render.objects.map((one) => one.object))), OPTIONS)).toEqual(render);
  });

  it('opens lists up and drops documents that say nothing', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [config('a'), { apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'b' } }] }],
    };
    expect(rendered(...([null, {}, list] as never[])).objects.map(({ ref }) => `${ref.kind} ${ref.name}`)).toEqual([
      'ConfigMap a',
      'ConfigMap b',
    ]);
  });

  it('puts namespaced objects into the namespace of the target and takes it off the others', () => {
    const inNamespace = (one: object) => ({ ...one, metadata: { name: 'x', namespace: 'zoo' } });
    const { objects } = rendered(
      config('x'),
      inNamespace(object('v1', 'Secret', 'x')),
      inNamespace(object('v1', 'Namespace', 'x')),
    );
    expect(objects.map(({ ref, object: one }) => [ref.kind, ref.namespace, one['metadata']])).toEqual([
      ['ConfigMap', 'shop', { name: 'x', annotations: {}, namespace: 'shop' }],
      ['Namespace', '', { name: 'x' }],
      ['Secret', 'zoo', { name: 'x', namespace: 'zoo' }],
    ]);
  });

  it('folds stringData into data, where it wins', () => {
    const { objects } = rendered({
      ...object('v1', 'Secret', 's'),
      data: { a: 'b2xk', b: 'Yg==' },
      stringData: { a: 'neu ü' },
    });
    expect(objects[0]?.object).toMatchObject({ data: { a: Buffer.from('neu ü').toString('base64'), b: 'Yg==' } });
    expect(objects[0]?.object).not.toHaveProperty('stringData');
  });

  it('leaves out what the server sets, so that exported objects can be applied', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: null,
      managedFields: [],
      labels: { a: 'b' },
    };
    expect(rendered({ ...config('a'), metadata }).objects[0]?.object['metadata']).toEqual({
      name: 'a',
      labels: { a: 'b' },
      namespace: 'shop',
    });
  });

  it('knows the kinds that its own definitions bring', () => {
    const definition = object(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'widgets.example.org',
      {},
      {
        spec: {
          group: 'example.org',
          scope: 'Cluster',
          names: { kind: 'Widget', plural: 'widgets' },
          versions: [
            { name: 'v1', served: true },
            { name: 'v0', served: false },
          ],
        },
      },
    );
    const { objects } = rendered(object('example.org/v1', 'Widget', 'w'), definition);
    expect(objects.find(({ ref }) => ref.kind === 'Widget')).toMatchObject({ resource: 'widgets', namespaced: false });
    expect(problems(object('example.org/v0', 'Widget', 'w'), definition)).toHaveLength(1);
  });

  it('leaves out the tests of a chart, even of a kind that is not served', () => {
    expect(
      rendered(config('a'), object('tests.example.org/v1', 'Check', 'smoke', { 'helm.sh/hook': 'test' })).objects,
    ).toHaveLength(1);
  });

  it('may generate the name of a hook', () => {
    const hook = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: 'migrate-', annotations: { 'convoy.kumodo.io/hook': 'preSync' } },
    };
    expect(rendered(hook).objects[0]?.ref).toMatchObject({ kind: 'Job', namespace: 'shop', name: '' });
  });
});

describe('a source with faults', () => {
  it.each<[string, readonly unknown[], string]>([
    ['no kind', [{ apiVersion: 'v1', metadata: { name: 'a' } }], 'this is no Kubernetes object: `kind` is missing'],
    ['no apiVersion', [{ kind: 'ConfigMap', metadata: { name: 'a' } }], 'this ConfigMap has no `apiVersion`'],
    ['no metadata', [{ apiVersion: 'v1', kind: 'ConfigMap' }], 'this ConfigMap has no `metadata`'],
    ['no name', [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }], 'this ConfigMap has no `metadata.name`'],
    [
      'a generated name for an object that is kept',
      [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } }],
      'ConfigMap a-… has a `generateName`, which only hooks may have: an object that is kept needs a name',
    ],
    [
      'a kind that nobody serves',
      [object('example.org/v1', 'Widget', 'w')],
      'Widget w: the cluster serves no Widget of example.org/v1, and no CustomResourceDefinition of this render brings it',
    ],
    [
      'a directive that cannot be read',
      [config('a', { 'convoy.kumodo.io/sync-wave': 'x' })],
      'v1 ConfigMap a: annotation convoy.kumodo.io/sync-wave is "x": write a whole number, e.g. "-1" or "10"',
    ],
    [
      'a name that YAML reads as a number',
      [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 123 } }],
      'the `metadata.name` of this ConfigMap is no text: write it in quotes',
    ],
    [
      'a namespace that YAML reads as true',
      [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: true } }],
      'v1 ConfigMap a: its `metadata.namespace` is no text: write it in quotes',
    ],
    [
      'a name that leads elsewhere',
      [config('../../pods')],
      'v1 ConfigMap ../../pods: "../../pods" is no name: it may neither be . or .. nor hold / or %',
    ],
    [
      'a name that no server takes',
      [config('n'.repeat(254))],
      `ConfigMap ${'n'.repeat(40)}…: its name has 254 characters; 253 may be`,
    ],
    [
      'a secret text without quotes',
      [{ ...object('v1', 'Secret', 's'), stringData: { pin: 1234 } }],
      'v1 Secret s: stringData.pin is no text: write its value in quotes',
    ],
  ])('%s', (_, objects, message) => {
    expect(problems(...objects)).toEqual([`web.yaml: document 1, line 1: ${message}`]);
  });

  it('is told a duplicate at both places, in whatever namespace it was left', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data: { b: 'c' } };
    expect(problems(config('a'), config('b'), other)).toEqual([
      'web.yaml: document 3, line 21: v1 ConfigMap shop/a is there already: web.yaml, document 1, line 1; remove one of them',
    ]);
  });

  it('may not hold its own Release, nor what convoy keeps of Releases; other Releases it may', () => {
    const own = (kind: string, name: string) => object('convoy.kumodo.io/v1alpha1', kind, name);
    const ownKinds: KindLookup = (group, version, kind) =>
      group === 'convoy.kumodo.io'
        ? { resource: `${kind.toLowerCase()}s`, namespaced: true }
        : kinds(group, version, kind);
    const found = (...objects: readonly unknown[]) => {
      const render = renderOf(documents(...objects), {
        ...OPTIONS,
        kinds: ownKinds,
        holder: { namespace: 'shop', name: 'web' },
      });
      return 'problems' in render ? render.problems.map(problemText) : [];
    };
    expect(found(own('Release', 'other'), own('HealthRuleSet', 'web'))).toEqual([]);
    expect(found(own('Release', 'web'), own('ReleaseInventory', 'other'))).toEqual([
      'web.yaml: document 1, line 1: convoy.kumodo.io/v1alpha1 Release shop/web cannot hold itself; leave it out of its source',
      'web.yaml: document 2, line 11: convoy.kumodo.io/v1alpha1 ReleaseInventory shop/other: convoy alone writes these; leave it out of the source',
    ]);
  });

  it('is told every fault at once', () => {
    expect(problems(config(''), config('b'), { kind: 'X' })).toHaveLength(2);
  });
});

/** The same value with its keys in another order. */
function reordered(value: unknown, chance: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, chance));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    shuffled(Object.entries(value), chance).map(([name, item]) => [name, reordered(item, chance)]),
  );
}

function shuffled<Item>(items: readonly Item[], chance: Iterator<number>): Item[] {
  return items
    .map((item) => ({ item, at: Number(chance.next().value) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
