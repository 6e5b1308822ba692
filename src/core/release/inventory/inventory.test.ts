import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPatch } from '../../../sandbox/merge/patches.ts';
import { type InventoryEntry, type ReleaseInventory, readInventory } from '../../api/index.ts';
import { asMap } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { withOwner } from '../ownership.ts';
import {
  controllerPatch,
  entriesOf,
  entryKey,
  isRebuilt,
  observerPatch,
  type PlannedEntry,
  pageName,
  pagesOf,
  planPages,
  rebuiltPages,
  trustedPatch,
} from './index.ts';

const OWNER = { namespace: 'shop', name: 'web', uid: '0f3a9b7c-1111-4222-8333-444455556666' };

function planned(name: string, more: Partial<PlannedEntry> = {}): PlannedEntry {
  return {
    group: '',
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    version: 'v1',
    resource: 'configmaps',
    wave: 0,
    ...more,
  };
}

/** The pages of a cluster: what a test applies writes to. */
class Pages {
  readonly #stored = new Map<string, KubernetesObject>();
  #uids = 0;

  read(): readonly ReleaseInventory[] {
    const pages = [...this.#stored.values()].map((object) => {
      const page = readInventory(object);
      if ('problem' in page) throw new Error(page.problem);
      return page.value;
    });
    return pagesOf(OWNER, pages);
  }

  plan(...entries: readonly PlannedEntry[]): void {
    for (const write of planPages(OWNER, this.read(), entries)) {
      if (write.kind === 'create') this.create(write.name, write.object);
      else if (write.kind === 'delete') this.#stored.delete(write.name);
      else this.patch(write.name, write.patch);
    }
  }

  create(name: string, object: KubernetesObject): void {
    if (this.#stored.has(name)) throw new Error(`${name} is there already`);
    this.#uids += 1;
    this.#stored.set(name, { ...object, metadata: { ...asMap(object['metadata']), uid: `page-${this.#uids}` } });
  }

  patch(name: string, patch: unknown): void {
    // A patch of an object gives an object.
    this.#stored.set(name, jsonPatch(this.#stored.get(name), patch) as KubernetesObject);
  }

  /** Page and index of each entry. */
  places(): Map<string, string> {
    return new Map(
      this.read().flatMap((page) => page.spec.entries.map((entry) => [entryKey(entry), page.metadata.name] as const)),
    );
  }
}

function first(pages: Pages): ReleaseInventory {
  const [page] = pages.read();
  if (page === undefined) throw new Error('no page');
  return page;
}

describe('the pages of an inventory', () => {
  it('hold the plan before anything is applied', () => {
    const pages = new Pages();
    pages.plan(planned('a'), planned('b', { wave: 2, hook: 'postSync', deadline: '5m', ignoreHealth: true }));
    expect(entriesOf(pages.read())).toEqual([
      planned('a'),
      planned('b', { wave: 2, hook: 'postSync', deadline: '5m', ignoreHealth: true }),
    ]);
    expect(
      planPages(OWNER, pages.read(), [
        planned('a'),
        planned('b', { wave: 2, hook: 'postSync', deadline: '5m', ignoreHealth: true }),
      ]),
    ).toEqual([]);
  });

  it('belong to the Release and stay until it lets them go', () => {
    const [write] = planPages(OWNER, [], []);
    expect(write).toMatchObject({
      kind: 'create',
      name: 'web',
      object: {
        metadata: {
          finalizers: ['convoy.kumodo.io/inventory'],
          ownerReferences: [{ kind: 'Release', name: 'web', uid: OWNER.uid }],
        },
        spec: { release: 'web', page: 1, entries: [] },
      },
    });
  });

  it('keep what controller and observer wrote when the plan changes', () => {
    const pages = new Pages();
    pages.plan(planned('a', { deadline: '1m' }));
    const applied = controllerPatch(first(pages), [{ entry: planned('a'), set: { renderRef: 'sha256:1', uid: 'u' } }]);
    pages.patch('web', applied);
    pages.patch(
      'web',
      observerPatch(first(pages), [
        { entry: planned('a'), set: { state: 'Degraded', firstUnhealthy: '2026-01-01T00:00:00Z' } },
      ]),
    );
    pages.plan(planned('a', { wave: 4 }));
    expect(entriesOf(pages.read())).toEqual([
      {
        ...planned('a', { wave: 4 }),
        renderRef: 'sha256:1',
        uid: 'u',
        state: 'Degraded',
        firstUnhealthy: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it('mark what the render has no more, and take the mark off when it comes back', () => {
    const pages = new Pages();
    pages.plan(planned('a'), planned('b'));
    pages.plan(planned('b'));
    expect(entriesOf(pages.read())).toEqual([planned('a', { prune: true }), planned('b')]);
    pages.plan(planned('a'), planned('b'));
    expect(entriesOf(pages.read())).toEqual([planned('a'), planned('b')]);
  });

  it('take at most a hundred each, and the second page of a never is the first of a-2', () => {
    const pages = new Pages();
    pages.plan(...Array.from({ length: 250 }, (_, index) => planned(`c${index}`)));
    expect(pages.read().map((page) => [page.metadata.name, page.spec.entries.length])).toEqual([
      ['web', 100],
      ['web-0f3a9b7c-2', 100],
      ['web-0f3a9b7c-3', 50],
    ]);
    expect(pageName({ ...OWNER, name: 'web-2' }, 1)).toBe('web-2');
  });

  it('are not those of an earlier Release of the same name', () => {
    const pages = new Pages();
    pages.plan(...Array.from({ length: 101 }, (_, index) => planned(`c${index}`)));
    const later = { ...OWNER, uid: 'ffffffff-1111-4222-8333-444455556666' };
    expect(pagesOf(later, pages.read()).map((page) => page.metadata.name)).toEqual(['web']);
  });

  it('beyond the first go when they hold nothing, and the places are used again', () => {
    const pages = new Pages();
    const many = Array.from({ length: 101 }, (_, index) => planned(`c${index}`));
    pages.plan(...many);
    const [, second] = pages.read();
    pages.patch('web-0f3a9b7c-2', controllerPatch(second!, [{ entry: planned('c100'), remove: true }]));
    pages.plan(...many.slice(0, 100));
    expect(pages.read().map((page) => page.metadata.name)).toEqual(['web']);
    pages.plan(...many);
    expect(pages.places().get('|ConfigMap|shop|c100')).toBe('web-0f3a9b7c-2');
  });

  it('refuse more than 5,000 entries', () => {
    const plan = Array.from({ length: 5001 }, (_, index) => planned(`c${index}`));
    expect(() => planPages(OWNER, [], plan)).toThrow('a Release holds at most 5000 objects');
  });

  it('keep entries in place under any plans, and lose none that was not removed', () => {
    const names = fc.uniqueArray(fc.integer({ min: 0, max: 320 }), { maxLength: 260 });
    fc.assert(
      fc.property(fc.array(fc.record({ plan: names, gone: names }), { minLength: 1, maxLength: 5 }), (steps) => {
        const pages = new Pages();
        let known = new Map<string, string>();
        for (const { plan, gone } of steps) {
          pages.plan(...plan.map((name) => planned(`c${name}`)));
          const places = pages.places();
          for (const [key, place] of known) expect(places.get(key)).toBe(place);
          expect(places.size).toBe(
            new Set([...known.keys(), ...plan.map((name) => entryKey(planned(`c${name}`)))]).size,
          );
          expect(
            entriesOf(pages.read())
              .filter((entry) => entry.prune !== true)
              .map(entryKey)
              .sort(),
          ).toEqual(plan.map((name) => entryKey(planned(`c${name}`))).sort());
          expect(pages.read().every((page) => page.spec.entries.length <= 100)).toBe(true);
          for (const page of pages.read()) {
            const patch = controllerPatch(
              page,
              gone.map((name) => ({ entry: planned(`c${name}`), remove: true })),
            );
            if (patch !== undefined) pages.patch(page.metadata.name, patch);
          }
          known = pages.places();
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('patches of a page', () => {
  const page = (): Pages => {
    const pages = new Pages();
    pages.plan(planned('a'), planned('b'), planned('c'));
    return pages;
  };

  it('are none where nothing differs', () => {
    const pages = page();
    expect(observerPatch(first(pages), [{ entry: planned('b'), set: { state: undefined } }])).toBeUndefined();
    expect(controllerPatch(first(pages), [{ entry: planned('z'), set: { renderRef: 'x' } }])).toBeUndefined();
  });

  it('test the page and the entry that they touch, and write only their own fields', () => {
    const pages = page();
    expect(
      observerPatch(first(pages), [{ entry: planned('b'), set: { state: 'Healthy', message: undefined } }]),
    ).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'page-1' },
      { op: 'test', path: '/spec/entries/1/group', value: '' },
      { op: 'test', path: '/spec/entries/1/kind', value: 'ConfigMap' },
      { op: 'test', path: '/spec/entries/1/namespace', value: 'shop' },
      { op: 'test', path: '/spec/entries/1/name', value: 'b' },
      { op: 'add', path: '/spec/entries/1/state', value: 'Healthy' },
    ]);
  });

  it('fail when the entries have moved meanwhile', () => {
    const pages = page();
    const stale = first(pages);
    pages.patch('web', controllerPatch(stale, [{ entry: planned('a'), remove: true }]));
    const patch = observerPatch(stale, [{ entry: planned('b'), set: { state: 'Healthy' } }]);
    expect(() => pages.patch('web', patch)).toThrow('testing value /spec/entries/1/name failed');
  });

  it('cut a message to 512 bytes on a character', () => {
    const pages = page();
    pages.patch('web', observerPatch(first(pages), [{ entry: planned('a'), set: { message: 'ü'.repeat(400) } }]));
    const message = entriesOf(pages.read())[0]?.message ?? '';
    expect(new TextEncoder().encode(message).length).toBeLessThanOrEqual(512);
    expect(message).toMatch(/^ü+…$/);
  });

  it('give what was wanted, whatever is set, taken away, removed and added', () => {
    const fields = fc.record(
      {
        renderRef: fc.constantFrom('r1', 'r2', undefined),
        uid: fc.constantFrom('u1', 'u2', undefined),
        prune: fc.constantFrom(true, undefined),
      },
      { requiredKeys: [] },
    );
    const change = fc.oneof(
      fields.map((set) => ({ set })),
      fc.constant({ remove: true as const }),
    );
    const steps = fc.array(
      fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y'), change), fc.boolean()),
    );
    fc.assert(
      fc.property(steps, (rounds) => {
        const pages = page();
        let wanted: Record<string, unknown>[] = entriesOf(pages.read()).map((entry) => ({ ...entry }));
        for (const [number, [changes, add]] of rounds.entries()) {
          const list = Object.entries(changes).map(([name, one]) => ({ entry: planned(name), ...one }));
          const added: InventoryEntry[] = add ? [planned(`x${number}`)] : [];
          const patch = controllerPatch(first(pages), list, added);
          wanted = wanted.flatMap((entry) => {
            const one = changes[String(entry['name'])];
            if (one === undefined) return [entry];
            if ('remove' in one) return [];
            const next = { ...entry, ...one.set };
            return [Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))];
          });
          wanted.push(...added.map((entry) => ({ ...entry })));
          if (patch !== undefined) pages.patch('web', patch);
          expect(first(pages).spec.entries).toEqual(wanted);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a lost inventory', () => {
  const owner = { id: 'i/shop/web', label: '0011223344556677' };
  const live = (name: string, annotations: Record<string, string> = {}): KubernetesObject =>
    withOwner(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'shop', uid: `u-${name}`, generation: 3, annotations },
      },
      owner,
    );

  it('is made anew of what carries our id, and is marked', () => {
    const render = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'convoy-render-web-1', namespace: 'shop' } };
    const others = withOwner(live('other'), { id: 'i/shop/else', label: owner.label });
    const written = rebuiltPages(
      OWNER,
      owner,
      [
        live('web', { 'convoy.kumodo.io/sync-wave': '2' }),
        live('broken', { 'convoy.kumodo.io/sync-wave': 'x' }),
        render,
        others,
      ].map((object) => ({ object, resource: 'deployments' })),
    );
    const pages = new Pages();
    for (const { name, object } of written) pages.create(name, object);
    const entry = {
      group: 'apps',
      kind: 'Deployment',
      namespace: 'shop',
      version: 'v1',
      resource: 'deployments',
      generation: 3,
    };
    expect(entriesOf(pages.read())).toEqual([
      { ...entry, name: 'web', wave: 2, uid: 'u-web' },
      { ...entry, name: 'broken', wave: 0, uid: 'u-broken' },
    ]);
    expect(isRebuilt(pages.read())).toBe(true);
    pages.patch('web', trustedPatch(first(pages)));
    expect(isRebuilt(pages.read())).toBe(false);
    expect(trustedPatch(first(pages))).toBeUndefined();
  });

  it('of which nothing is left is one empty page', () => {
    expect(rebuiltPages(OWNER, owner, [])).toMatchObject([
      { name: 'web', object: { spec: { rebuilt: true, entries: [] } } },
    ]);
  });
});
