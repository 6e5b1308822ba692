import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { field } from '../../core/object/fields.ts';
import { ApiError } from '../../ports/errors.ts';
import { ObjectApiCluster } from '../../sandbox/object-api-cluster.fixture.ts';
import { configMap, deployment, job, ReleaseWorld } from './release-world.fixture.ts';

let world: ReleaseWorld;
beforeEach(() => {
  world = new ReleaseWorld();
});
afterEach(() => {
  expect(world.faults).toEqual([]);
});

const ID = 'convoy.kumodo.io/release-id';

function live(name: string, more: Record<string, unknown> = {}, data: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop', ...more }, data };
}

describe('an object that is there already', () => {
  it('of nobody is taken over, with the fields that kubectl apply held: what the render drops goes', async () => {
    const resource = world.resource('v1', 'ConfigMap');
    world.api.create(resource, 'shop', live('a', {}, { old: '1', shared: '1' }), {
      manager: 'kubectl-client-side-apply',
    });
    world.api.change(
      resource,
      'shop',
      'a',
      (draft) => ({ ...draft, data: { ...(draft['data'] as object), theirs: '1' } }),
      {
        manager: 'somebody-else',
      },
    );
    world.release([configMap('a', { shared: '2' })]);
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ shared: '2', theirs: '1' });
    expect(world.find('v1', 'ConfigMap', 'a')?.metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'convoy' },
      annotations: { [ID]: 'home-1/shop/web' },
    });
    expect(world.events).toContain('Normal Adopted: took over v1 ConfigMap shop/a');
  });

  it('and that others write all the while is taken over as soon as they pause', async () => {
    world.create(live('a'));
    world.api.change(world.resource('v1', 'ConfigMap'), 'shop', 'a', (draft) => ({ ...draft, data: { old: '1' } }), {
      manager: 'kubectl-client-side-apply',
    });
    let busy = 3;
    const patch = world.cluster.patch.bind(world.cluster);
    world.cluster.patch = (path, ...more) => {
      if (path.type.resource === 'configmaps' && busy > 0) {
        busy -= 1;
        world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
          draft['data'] = { ...(draft['data'] as object), busy: String(busy) };
        });
      }
      return patch(path, ...more);
    };
    world.release([configMap('a', { new: '1' })]);
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ new: '1', busy: '0' });
  });

  it('and that the server cannot write at once for all the others is applied a little later', async () => {
    let refused = 2;
    const apply = world.cluster.apply.bind(world.cluster);
    world.cluster.apply = (path, ...more) => {
      if (path.type.resource !== 'configmaps' || refused === 0) return apply(path, ...more);
      refused -= 1;
      return Promise.reject(new ApiError('Operation cannot be fulfilled on configmaps "a"', 409, 'Conflict'));
    };
    world.release([configMap('a')]);
    await world.run();
    expect(world.status.lastAttempted).toMatchObject({ attempt: 1, outcome: 'Succeeded' });
  });

  it('of another Release is a conflict that names it; nothing of the wave is applied', async () => {
    world.create(live('a', { annotations: { [ID]: 'home-1/shop/other' } }));
    world.release([configMap('a'), configMap('b')]);
    await world.run();
    expect(world.transcript).toEqual([]);
    expect(world.conditions).toEqual(['Ready=False Conflict']);
    expect(world.readyMessage).toContain('v1 ConfigMap shop/a belongs to the Release home-1/shop/other');
  });

  it('of another Release is taken over where the render says so', async () => {
    world.create(live('a', { annotations: { [ID]: 'home-1/shop/other' } }));
    world.release([configMap('a', {}, { adopt: 'true' })]);
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')?.metadata.annotations?.[ID]).toBe('home-1/shop/web');
  });

  it('whose field another manager applies is a conflict where conflicts abort', async () => {
    world.api.apply(world.resource('v1', 'ConfigMap'), 'shop', 'a', live('a', {}, { x: 'theirs' }), {
      manager: 'other',
      force: true,
    });
    world.release([configMap('a', { x: 'ours' })], { syncPolicy: { conflicts: 'Abort' } });
    await world.run();
    expect(world.conditions).toEqual(['Ready=False Conflict']);
    expect(world.readyMessage).toContain('conflict with "other": .data.x');
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ x: 'theirs' });
  });

  it('and is on its way out is waited for', async () => {
    world.create(live('a', { finalizers: ['example.com/wait'] }));
    world.remove('v1', 'ConfigMap', 'a');
    world.release([configMap('a')]);
    expect(await world.reconcile()).toMatchObject({ kind: 'after', ms: 500 });
    expect(world.transcript).toEqual([]);
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft.metadata.finalizers = [];
    });
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a']);
  });
});

describe('a stage', () => {
  it('of which the server refuses one object is not applied at all', async () => {
    const bad = { ...deployment('bad'), spec: { template: {} } };
    world.release([configMap('a'), bad]);
    await world.run();
    expect(world.transcript).toEqual([]);
    expect(world.conditions).toEqual(['Ready=False ApplyFailed']);
    expect(world.readyMessage).toContain('apps/v1 Deployment shop/bad');
  });

  it('with a webhook that cannot dry-run counts as not validated', async () => {
    const apply = world.cluster.apply.bind(world.cluster);
    world.cluster.apply = (path, object, options) => {
      if (!options.dryRun) return apply(path, object, options);
      throw new ApiError('admission webhook "x" does not support dry run', 400, 'BadRequest');
    };
    world.release([configMap('a'), configMap('b')]);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps b']);
  });

  it('brings namespaces and definitions before what needs them', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'new' } };
    world.release([widget, definition, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } }]);
    await world.run();
    expect(world.transcript).toEqual([
      'apply namespaces new',
      'apply customresourcedefinitions widgets.example.com',
      'apply widgets w',
    ]);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('with a Secret that is refused does not show its values', async () => {
    const apply = world.cluster.apply.bind(world.cluster);
    world.cluster.apply = (path, object, options) => {
      if (path.type.resource !== 'secrets') return apply(path, object, options);
      const cause = { reason: 'FieldValueInvalid', message: 'Invalid value: "hunter2"', field: 'data.password' };
      throw new ApiError('Secret "s" is invalid: data.password: Invalid value: "hunter2"', 422, 'Invalid', [cause]);
    };
    world.release([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } }]);
    await world.run();
    expect(world.readyMessage).toContain('v1 Secret shop/s: the server refused it (Invalid: data.password)');
    expect(JSON.stringify([world.status, world.events])).not.toContain('hunter2');
  });

  it('that the server is too busy for is tried again and has not failed', async () => {
    const apply = world.cluster.apply.bind(world.cluster);
    let busy = true;
    world.cluster.apply = (path, object, options) => {
      if (busy && path.type.resource === 'configmaps') throw new ApiError('busy', 503, 'ServiceUnavailable');
      return apply(path, object, options);
    };
    world.release([configMap('a')]);
    await expect(world.run()).rejects.toThrow('busy');
    expect(world.conditions[0]).toBe('Ready=Unknown Progressing');
    busy = false;
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.status.lastAttempted?.attempt).toBe(1);
  });
});

describe('fields of somebody else', () => {
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'app' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' },
      minReplicas: 1,
      maxReplicas: 9,
    },
  };

  function scaleTo(replicas: number): void {
    world.change('apps/v1', 'Deployment', 'shop', 'app', (draft) => {
      draft['spec'] = { ...(draft['spec'] as object), replicas };
    });
  }
  const replicas = () => field(world.find('apps/v1', 'Deployment', 'app')?.['spec'], 'replicas');

  it('the replicas that an autoscaler has set survive an attempt', async () => {
    world.release([deployment('app', { replicas: 2 }), scaler]);
    await world.run();
    scaleTo(7);
    world.release([deployment('app', { replicas: 2 }), scaler, configMap('x')]);
    await world.run();
    expect(replicas()).toBe(7);
  });

  it('so does a path that drift ignores, and others do not', async () => {
    const drift = { ignore: [{ kind: 'Deployment', paths: ['/spec/replicas'] }] };
    world.release([deployment('app', { replicas: 2 })], { syncPolicy: { drift } });
    await world.run();
    scaleTo(7);
    world.request('Manual');
    await world.run();
    expect(replicas()).toBe(7);
    world.release([deployment('app', { replicas: 2 })]);
    world.request('Manual');
    await world.run();
    expect(replicas()).toBe(2);
  });
});

describe('a field that cannot change', () => {
  const running = (image: string) => ({
    ...job('j'),
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image }] } } },
  });

  beforeEach(() => {
    const apply = world.cluster.apply.bind(world.cluster);
    world.cluster.apply = (path, object, options) => {
      const taken = path.type.resource === 'jobs' && world.find('batch/v1', 'Job', path.name) !== undefined;
      const changed = JSON.stringify(object).includes('run:2');
      if (!taken || !changed) return apply(path, object, options);
      throw new ApiError('Job.batch "j" is invalid: spec.template: field is immutable', 422, 'Invalid', [
        { reason: 'FieldValueInvalid', message: 'field is immutable', field: 'spec.template' },
      ]);
    };
  });

  it('fails the attempt', async () => {
    world.release([running('run:1')]);
    await world.run();
    world.release([running('run:2')]);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False ApplyFailed']);
    expect(world.transcript).toEqual(['apply jobs j']);
  });

  it('recreates the object where that is asked for', async () => {
    world.release([running('run:1')], { syncPolicy: { force: true } });
    await world.run();
    world.release([running('run:2'), configMap('a')], { syncPolicy: { force: true } });
    await world.run();
    expect(world.transcript).toEqual(['apply jobs j', 'apply configmaps a', 'delete jobs j', 'apply jobs j']);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });
});

describe('pruning', () => {
  it('deletes what the render has no more, in reverse, with uid and propagation', async () => {
    world.release([configMap('a'), configMap('b', {}, { 'sync-wave': '1' }), deployment('c')]);
    await world.run();
    const uid = world.find('apps/v1', 'Deployment', 'c')?.metadata.uid;
    world.release([configMap('keep')]);
    world.transcript = [];
    world.writes = [];
    await world.run();
    expect(world.transcript).toEqual([
      'apply configmaps keep',
      'delete configmaps b',
      'delete deployments c',
      'delete configmaps a',
    ]);
    expect(world.writes.find(({ name, verb }) => name === 'c' && verb === 'delete')?.body).toEqual({
      uid,
      propagation: 'Background',
    });
    expect(world.entries.map(({ name }) => name)).toEqual(['keep']);
  });

  it.each([
    ['its own annotation', { prune: 'false' }, {}],
    ['Helm’s annotation', { 'helm.sh/resource-policy': 'keep' }, {}],
    ['the policy of the Release', {}, { syncPolicy: { prune: false } }],
  ])('leaves what %s keeps, as nobody’s', async (_, annotations, spec) => {
    world.release([configMap('a', {}, annotations as Record<string, string>), configMap('b')], spec);
    await world.run();
    world.release([configMap('b')], spec);
    await world.run();
    const { labels = {}, annotations: left = {} } = world.find('v1', 'ConfigMap', 'a')?.metadata ?? {};
    expect([labels, left[ID]]).toEqual([{}, undefined]);
    expect(world.entries.map(({ name }) => name)).toEqual(['b']);
    expect(
      world.events.filter((event) => event.startsWith('Normal PruneSkipped: ConfigMap shop/a stays')),
    ).toHaveLength(1);
  });

  it('never deletes a Namespace or a claim unless it says so itself', async () => {
    const namespace = (name: string, prune?: string) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, annotations: prune === undefined ? {} : { 'convoy.kumodo.io/prune': prune } },
    });
    world.release([namespace('plain'), namespace('asked', 'true'), configMap('a')]);
    await world.run();
    world.release([configMap('a')]);
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'patch namespaces plain', 'delete namespaces asked']);
  });

  it('leaves what is not ours any more', async () => {
    world.release([configMap('a'), configMap('b')]);
    await world.run();
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft.metadata.annotations = { [ID]: 'home-1/shop/other' };
    });
    world.release([configMap('b')]);
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')).toBeDefined();
    expect(world.entries.map(({ name }) => name)).toEqual(['b']);
  });

  it('waits for the delete to be accepted alone; the entry goes when the object has', async () => {
    world.release([configMap('a'), configMap('b')]);
    await world.run();
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft.metadata.finalizers = ['example.com/wait'];
    });
    world.release([configMap('b')]);
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.entry('a')?.prune).toBe(true);
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft.metadata.finalizers = [];
    });
    await world.clock.advance(10_000);
    await world.run();
    expect(world.entries.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('reported drift', () => {
  it('is corrected without an attempt, and told', async () => {
    world.release([configMap('a', { x: '1' }), configMap('b')]);
    await world.run();
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft['data'] = { x: 'theirs' };
    });
    world.remove('v1', 'ConfigMap', 'b');
    world.request('Drift');
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ x: '1' });
    expect(world.entry('b')?.uid).toBe(world.find('v1', 'ConfigMap', 'b')?.metadata.uid);
    expect(world.status.lastAttempted?.attempt).toBe(1);
    expect(world.events.filter((event) => event.includes('DriftCorrected'))).toHaveLength(2);
  });

  it('is left alone where it is only to be told', async () => {
    world.release([configMap('a', { x: '1' })], { syncPolicy: { drift: { mode: 'Warn' } } });
    await world.run();
    world.remove('v1', 'ConfigMap', 'a');
    world.request('Drift');
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')).toBeUndefined();
  });
});

describe('more objects than fit a page', () => {
  it('stand on pages of their own, also beside a Release whose name looks like a page', async () => {
    const many = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => configMap(`${prefix}${index}`, { v: '1' }));
    world.release(many('x', 150));
    await world.run();
    world.release(many('y', 150), {}, { name: 'web-2' });
    await world.run('shop/web-2');
    expect(world.pages.map(({ spec }) => (spec as { entries: unknown[] }).entries.length).sort()).toEqual([
      100, 100, 50, 50,
    ]);
    world.restart();
    world.release(many('x', 40));
    await world.run();
    await world.run('shop/web-2');
    const left = [...world.api.store.all('/configmaps', 'shop')].filter(({ metadata }) => metadata.annotations?.[ID]);
    expect(left).toHaveLength(190);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    world.deleteRelease();
    await world.run();
    expect(world.stored).toBeUndefined();
    expect(world.find('v1', 'ConfigMap', 'y149')).toBeDefined();
  });

  it('and than an inventory holds fail the attempt before anything is applied', async () => {
    world.renderer.chart = () => Array.from({ length: 5001 }, (_, index) => configMap(`x${index}`, { v: '1' }));
    world.releaseOf({ source: { git: { url: 'https://git.example/web' } } });
    await world.run();
    expect(world.conditions).toEqual(['Ready=False ApplyFailed']);
    expect(world.readyMessage).toContain('a Release holds at most 5000 objects');
    expect(world.transcript).toEqual([]);
  });
});

describe('a Release that acts as its ServiceAccount', () => {
  it('does so for everything on its target: dry runs, hooks, pruning and deletion too', async () => {
    const acting = new ObjectApiCluster(world.api);
    const done: string[] = [];
    const apply = acting.apply.bind(acting);
    acting.apply = (path, object, options) => {
      if (options.dryRun) done.push(`dry-run ${path.name}`);
      return apply(path, object, options);
    };
    acting.around = ({ verb, name }, moment) => {
      if (moment === 'after') done.push(`${verb} ${name}`);
    };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'deployer', namespace: 'shop' } };
    world.create(account);
    world.target = async () => ({
      key: 'home',
      home: true,
      reader: world.cluster,
      cluster: acting,
      actsAs: 'system:serviceaccount:shop:deployer',
    });
    world.release([configMap('a'), configMap('b'), job('hook', { hook: 'postSync' })]);
    await world.settle();
    world.release([configMap('a')]);
    await world.settle();
    world.deleteRelease();
    await world.run();
    expect(world.stored).toBeUndefined();
    expect(done).toEqual([
      'dry-run a',
      'dry-run b',
      'apply a',
      'apply b',
      'create hook',
      'apply a',
      'delete hook',
      'delete b',
      'delete a',
    ]);
    expect(world.transcript).toEqual([]);
  });
});
