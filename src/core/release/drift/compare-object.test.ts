import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deployment, emptyApi } from '../../../sandbox/api/object-api.fixture.ts';
import { StatusError } from '../../../sandbox/objects/status-error.ts';
import { asMap, refOf } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { withOwner } from '../ownership.ts';
import { type Comparison, compareObject, type FieldConflict } from './compare-object.ts';

const OWNER = { id: 'home/default/web', label: '00112233aabbccdd' };
const NOTHING_IGNORED: readonly string[] = [];

/** A cluster with the objects of a render applied, on which others write. */
class World {
  readonly #api = emptyApi();
  /** What admission makes of our applies. */
  mutate: (object: KubernetesObject) => KubernetesObject = (object) => object;
  scaled = false;
  dryRuns = 0;

  apply(object: KubernetesObject, manager = 'convoy-controller', dryRun = false, force = true): KubernetesObject {
    const { namespace, name } = this.#placeOf(object);
    return this.#api.api.apply(this.#resourceOf(object), namespace, name, this.mutate(object), {
      manager,
      force,
      dryRun,
    }).object;
  }

  applyOurs(object: KubernetesObject): void {
    this.apply(withOwner(object, OWNER));
  }

  /** A change with an update, as `kubectl edit` writes it. */
  edit(object: KubernetesObject, change: (live: Record<string, unknown>) => void, manager = 'kubectl-edit'): void {
    const { namespace, name } = this.#placeOf(object);
    const live = structuredClone(this.#api.api.get(this.#resourceOf(object), namespace, name));
    change(live);
    this.#api.api.update(this.#resourceOf(object), namespace, name, live, { manager });
  }

  delete(object: KubernetesObject): void {
    const { namespace, name } = this.#placeOf(object);
    this.#api.api.remove(this.#resourceOf(object), namespace, name, {});
  }

  dataOf(object: KubernetesObject): Record<string, unknown> {
    const { namespace, name } = this.#placeOf(object);
    return { ...asMap(this.#api.api.get(this.#resourceOf(object), namespace, name)['data']) };
  }

  compare(
    object: KubernetesObject,
    ignored = NOTHING_IGNORED,
    owner: typeof OWNER | undefined = OWNER,
  ): Promise<Comparison> {
    const { namespace, name } = this.#placeOf(object);
    return compareObject(
      {
        read: async () => this.#api.api.find(this.#resourceOf(object), namespace, name),
        dryRun: async (wanted, force) => {
          this.dryRuns += 1;
          try {
            return { object: this.apply(wanted, 'convoy-controller', true, force) };
          } catch (error) {
            if (!(error instanceof StatusError) || error.code !== 409) throw error;
            return { conflicts: conflictsOf(error) };
          }
        },
        isScaled: async () => this.scaled,
      },
      object,
      { owner, ignored },
    );
  }

  #resourceOf(object: KubernetesObject) {
    return this.#api.resource(String(object['apiVersion']), String(object['kind']));
  }

  #placeOf(object: KubernetesObject) {
    return { namespace: 'default', name: refOf(object).name };
  }
}

function conflictsOf(error: StatusError): readonly FieldConflict[] {
  const causes = (error.details['causes'] ?? []) as readonly { readonly message: string; readonly field: string }[];
  return causes.map(({ message, field }) => ({ manager: /"([^"]*)"/.exec(message)?.[1] ?? '', field }));
}

/** The spec of a live object, to be changed. */
function specOf(live: Record<string, unknown>): Record<string, unknown> {
  return live['spec'] as Record<string, unknown>;
}

const web = deployment('web', { replicas: 3 });
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, data: { password: 'aHVudGVyMg==' } };

describe('an object on the cluster', () => {
  it('is as rendered right after it was applied, defaults and all', async () => {
    const world = new World();
    world.applyOurs(web);
    expect(await world.compare(web)).toEqual({ kind: 'same' });
    expect(world.dryRuns).toBe(1);
  });

  it('is missing', async () => {
    const world = new World();
    expect(await world.compare(web)).toEqual({ kind: 'missing' });
    expect(world.dryRuns).toBe(0);
  });

  it('was changed by a person: path, values and who it was', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => Object.assign(specOf(live), { replicas: 5 }));
    expect(await world.compare(web)).toEqual({
      kind: 'drifted',
      paths: [{ path: '.spec.replicas', manager: 'kubectl-edit', live: '5', wanted: '3' }],
      unheld: false,
      lastWriter: 'kubectl-edit',
    });
  });

  it('was changed in one item of a list', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => {
      const template = asMap(asMap(specOf(live)['template'])['spec']);
      Object.assign(asMap((template['containers'] as unknown[])[0]), { image: 'app:hacked' });
    });
    expect(await world.compare(web)).toMatchObject({
      paths: [
        {
          path: '.spec.template.spec.containers[name="app"].image',
          manager: 'kubectl-edit',
          live: '"app:hacked"',
          wanted: '"app:1"',
        },
      ],
    });
  });

  it('was changed beside a conflict, too', async () => {
    const world = new World();
    const labelled = { ...web, metadata: { name: 'web', labels: { team: 'blue' } } };
    world.applyOurs(labelled);
    world.edit(web, (live) => {
      specOf(live)['replicas'] = 9;
      const metadata = live['metadata'] as Record<string, Record<string, unknown>>;
      delete metadata['labels']?.['team'];
    });
    expect(await world.compare(labelled)).toMatchObject({
      unheld: false,
      paths: expect.arrayContaining([
        { path: '.metadata.labels.team', manager: '', live: undefined, wanted: '"blue"' },
        { path: '.spec.replicas', manager: 'kubectl-edit', live: '9', wanted: '3' },
      ]),
    });
  });

  it('lost a field that nobody holds now: the last writer is the best guess', async () => {
    const world = new World();
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { mode: 'fast' } };
    world.applyOurs(config);
    world.edit(config, (live) => Object.assign(live, { data: { swept: 'yes' } }), 'cleaner');
    expect(await world.compare(config)).toMatchObject({
      unheld: false,
      lastWriter: 'cleaner',
      paths: [{ path: '.data.mode', manager: '', live: undefined, wanted: '"fast"' }],
    });
  });

  it('has fields of others that the render does not set', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => {
      Object.assign(specOf(live), { paused: true });
      const metadata = live['metadata'] as Record<string, unknown>;
      metadata['annotations'] = { ...asMap(metadata['annotations']), 'example.org/note': 'mine' };
    });
    expect(await world.compare(web)).toEqual({ kind: 'same' });
  });

  it('has a field that an earlier render set and this one does not', async () => {
    const world = new World();
    world.applyOurs(deployment('web', { replicas: 3, minReadySeconds: 7 }));
    expect(await world.compare(web)).toMatchObject({
      paths: [{ path: '.spec.minReadySeconds', manager: '', live: '7' }],
    });
  });

  it('lost the marks of its owner', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => Object.assign(live['metadata'] as object, { labels: {} }));
    expect(await world.compare(web)).toMatchObject({
      paths: expect.arrayContaining([expect.objectContaining({ path: '.metadata.labels', live: undefined })]),
    });
  });

  it('is compared without its marks by who does not know the installation', async () => {
    const world = new World();
    world.applyOurs(web);
    expect(await world.compare(web, NOTHING_IGNORED, undefined)).toEqual({ kind: 'same' });
  });

  it('has a path that somebody else may write', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => Object.assign(specOf(live), { replicas: 5, minReadySeconds: 1 }));
    expect(await world.compare(web, ['/spec/replicas'])).toEqual({ kind: 'same' });
  });

  it('is scaled by an autoscaler', async () => {
    const world = new World();
    world.applyOurs(web);
    world.edit(web, (live) => Object.assign(specOf(live), { replicas: 8 }), 'kube-controller-manager');
    world.scaled = true;
    expect(await world.compare(web)).toEqual({ kind: 'same' });
    world.scaled = false;
    expect(await world.compare(web)).toMatchObject({ kind: 'drifted' });
  });

  it('is changed by admission whenever it is applied: nobody else holds what differs', async () => {
    const world = new World();
    world.applyOurs(web);
    world.mutate = (object) => ({ ...object, spec: { ...asMap(object['spec']), replicas: 4 } });
    expect(await world.compare(web)).toMatchObject({
      unheld: true,
      paths: [{ path: '.spec.replicas', manager: '', live: '3', wanted: '4' }],
    });
  });

  it('is a Secret: that it differs is told, and where, never with what', async () => {
    const world = new World();
    world.applyOurs(secret);
    world.edit(secret, (live) => Object.assign(live, { data: { password: 'bGVha2Vk' } }));
    const comparison = await world.compare(secret);
    expect(comparison).toMatchObject({
      paths: [{ path: '.data.password', manager: 'kubectl-edit', live: '"***"', wanted: '"***"' }],
    });
    expect(JSON.stringify(comparison)).not.toMatch(/aHVudGVyMg|bGVha2Vk/);
  });

  it('deleted and made anew by somebody else differs', async () => {
    const world = new World();
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { mode: 'fast' } };
    world.applyOurs(config);
    world.delete(config);
    world.apply({ ...config, data: { mode: 'slow' } }, 'somebody');
    expect(await world.compare(config)).toMatchObject({
      paths: expect.arrayContaining([{ path: '.data.mode', manager: 'somebody', live: '"slow"', wanted: '"fast"' }]),
    });
  });
});

describe('whatever several writers do to an object', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd');
  const values = fc.constantFrom('1', '2', '3');
  const texts = fc.dictionary(keys, values, { maxKeys: 4 });
  // An empty map that loses its last field goes, and comes back with the next apply: the server's own drift.
  const ours = fc.dictionary(keys, values, { minKeys: 1, maxKeys: 4 });
  const step = fc.oneof(
    // An earlier or a later render, applied by us.
    fc.record({ by: fc.constant('us'), data: ours }),
    fc.record({ by: fc.constantFrom('kubectl-edit', 'operator'), data: texts }),
  );

  it('it differs exactly in the fields of the last render that are not as they were rendered', async () => {
    await fc.assert(
      fc.asyncProperty(ours, fc.array(step, { maxLength: 6 }), async (first, steps) => {
        const world = new World();
        const object = (data: Record<string, string>): KubernetesObject => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a' },
          data,
        });
        let rendered = first;
        world.applyOurs(object(first));
        for (const { by, data } of steps) {
          if (by === 'us') {
            rendered = data;
            world.applyOurs(object(data));
          } else {
            world.edit(object(first), (live) => Object.assign(live, { data }), by);
          }
        }
        const live = world.dataOf(object(first));
        const differing = Object.keys(rendered).filter((key) => live[key] !== rendered[key]);
        const comparison = await world.compare(object(rendered));
        expect(comparison.kind).toBe(differing.length === 0 ? 'same' : 'drifted');
        if (comparison.kind !== 'drifted') return;
        const told = comparison.paths.map(({ path }) => path);
        const expected = differing.map((key) => `.data.${key}`);
        // Where all of them are gone, the map itself is.
        expect(told.length === 1 && told[0] === '.data' ? expected : [...told].sort()).toEqual([...expected].sort());
        expect(comparison.unheld).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});
