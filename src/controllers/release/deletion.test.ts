import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { TargetError } from '../../ports/targets.ts';
import { startControllers } from '../../sandbox/controllers/start-controllers.ts';
import { configMap, job, ReleaseWorld } from './release-world.fixture.ts';

let world: ReleaseWorld;
beforeEach(() => {
  world = new ReleaseWorld();
});
afterEach(() => {
  expect(world.faults).toEqual([]);
});

const waves = [configMap('a'), configMap('b', {}, { 'sync-wave': '1' })];
const gone = () => world.stored === undefined;

describe('a Release that is deleted', () => {
  it('runs preDelete hooks, deletes in reverse, runs postDelete hooks, and goes last', async () => {
    world.release([...waves, job('before', { hook: 'preDelete' }), job('after', { hook: 'postDelete' })]);
    await world.run();
    world.transcript = [];
    world.deleteRelease();
    await world.run();
    expect(world.transcript).toEqual(['create jobs before']);
    expect(world.conditions).toEqual(['Ready=Unknown Progressing', 'Reconciling=True Progressing']);
    world.observe();
    await world.run();
    expect(world.transcript.slice(1)).toEqual(['delete configmaps b', 'delete configmaps a', 'create jobs after']);
    world.observe();
    await world.run();
    expect(world.transcript.slice(4)).toEqual(['delete jobs before', 'delete jobs after']);
    expect(gone()).toBe(true);
    expect(world.pages.map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[]]);
  });

  it('whose hook fails waits and runs it again, or goes on without it when told so', async () => {
    world.release([...waves, job('before', { hook: 'preDelete' })]);
    await world.run();
    world.transcript = [];
    world.deleteRelease();
    await world.run();
    world.observe('Degraded', { before: { state: 'Degraded', message: 'exit code 1' } });
    const result = await world.run();
    expect(result).toMatchObject({ kind: 'after', ms: 30_000 });
    expect(world.conditions).toEqual(['Ready=False HookFailed']);
    expect(world.readyMessage).toContain('exit code 1');
    await world.clock.advance(30_000);
    await world.run();
    expect(world.transcript).toEqual(['create jobs before', 'delete jobs before', 'create jobs before']);
    world.annotate({ 'convoy.kumodo.io/skip-hooks': 'true' });
    await world.run();
    expect(gone()).toBe(true);
    expect(world.find('v1', 'ConfigMap', 'a')).toBeUndefined();
  });

  it('waits for objects that others hold, wave by wave', async () => {
    world.release(waves);
    await world.run();
    world.change('v1', 'ConfigMap', 'shop', 'b', (draft) => {
      draft.metadata.finalizers = ['example.com/wait'];
    });
    world.deleteRelease();
    await world.reconcile();
    expect(world.find('v1', 'ConfigMap', 'a')?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.conditions).toEqual(['Ready=Unknown Progressing', 'Reconciling=True Progressing']);
    expect(world.readyMessage).toBe('waiting for ConfigMap shop/b to go, which has the finalizer example.com/wait');
    world.change('v1', 'ConfigMap', 'shop', 'b', (draft) => {
      draft.metadata.finalizers = [];
    });
    await world.run();
    expect(gone()).toBe(true);
    expect(world.find('v1', 'ConfigMap', 'a')).toBeUndefined();
  });

  it('leaves its objects, as nobody’s, where that is asked for', async () => {
    world.release(waves);
    await world.run();
    world.annotate({ 'convoy.kumodo.io/orphan': 'true' });
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
    const { labels = {}, annotations = {} } = world.find('v1', 'ConfigMap', 'a')?.metadata ?? {};
    expect([labels, annotations]).toEqual([{}, {}]);
  });

  it('before its first attempt goes at once', async () => {
    world.releaseOf({ source: { configMap: { name: 'none' } } });
    await world.run();
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
  });

  it('with a suspended spec is deleted all the same', async () => {
    world.release(waves);
    await world.run();
    world.release(waves, { suspend: true });
    await world.run();
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
  });

  it('whose kubeconfig is gone leaves what it cannot reach, and names it', async () => {
    world.release(waves);
    await world.run();
    world.target = async () => {
      throw new TargetError('KubeConfigMissing', 'Secret shop/prod is not there');
    };
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
    expect(world.events.at(-1)).toBe(
      'Warning ObjectsLeft: Secret shop/prod is not there: these stay on the cluster: ConfigMap shop/a, ConfigMap shop/b',
    );
  });

  it('whose ServiceAccount is gone does so, too', async () => {
    world.release(waves);
    await world.run();
    const target = await world.target();
    world.target = async () => ({ ...target, actsAs: 'system:serviceaccount:shop:deployer' });
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
    expect(world.events.at(-1)).toContain('the ServiceAccount shop/deployer is gone');
  });

  it('whose target has a name that none can have, so that nobody ever reached it, goes', async () => {
    world.target = async () => {
      throw new ApiError('name "../x" cannot stand in a path', 400, 'BadRequest');
    };
    world.release(waves);
    await world.run();
    world.deleteRelease();
    await world.run();
    expect(gone()).toBe(true);
  });

  it('whose cluster does not answer is tried again', async () => {
    world.release(waves);
    await world.run();
    const target = await world.target();
    const cluster = Object.assign(Object.create(target.cluster), {
      get: () => Promise.reject(new TransportError('unreachable', 'cluster prod does not answer')),
    });
    world.target = async () => ({ ...target, cluster });
    world.deleteRelease();
    await expect(world.run()).rejects.toThrow('does not answer');
    expect(gone()).toBe(false);
    expect(world.conditions).toContain('Ready=Unknown Progressing');
    expect(world.readyMessage).toBe('cluster prod does not answer');
    world.target = async () => target;
    await world.run();
    expect(gone()).toBe(true);
  });

  it('whose objects it may not delete says so and tries again', async () => {
    world.release(waves);
    await world.run();
    world.cluster.around = ({ verb }) => {
      if (verb === 'delete') throw new ApiError('configmaps "b" is forbidden', 403, 'Forbidden');
    };
    world.deleteRelease();
    expect(await world.run()).toMatchObject({ kind: 'after', ms: 30_000 });
    expect(world.conditions).toEqual(['Ready=False PruneFailed']);
  });
});

describe('a namespace that is deleted with its Release', () => {
  it.each(['false', 'true'])('and that the Release holds (prune: %s) waits for no end of itself', async (prune) => {
    const controllers = startControllers(world.api, { clock: world.clock, nodes: 1 });
    const annotations = { 'convoy.kumodo.io/prune': prune };
    world.release([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', annotations } }, ...waves]);
    await world.run();
    world.remove('v1', 'Namespace', 'shop', '');
    for (let rounds = 0; rounds < 5; rounds += 1) {
      controllers.settle();
      await world.clock.advance(1000);
      await world.run();
    }
    controllers.settle();
    controllers.stop();
    expect(world.find('v1', 'Namespace', 'shop', '')).toBeUndefined();
  });

  it('goes with the Release that holds it and is deleted, when it may', async () => {
    const controllers = startControllers(world.api, { clock: world.clock, nodes: 1 });
    const annotations = { 'convoy.kumodo.io/prune': 'true' };
    world.release([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', annotations } }, ...waves]);
    await world.run();
    world.deleteRelease();
    for (let rounds = 0; rounds < 5; rounds += 1) {
      controllers.settle();
      await world.clock.advance(1000);
      await world.run();
    }
    controllers.settle();
    controllers.stop();
    expect(world.find('v1', 'Namespace', 'shop', '')).toBeUndefined();
    expect(gone()).toBe(true);
  });

  it('goes: hooks are left out, and the inventory stays until the objects are gone', async () => {
    const controllers = startControllers(world.api, { clock: world.clock, nodes: 1 });
    world.release([...waves, job('before', { hook: 'preDelete' })]);
    await world.run();
    world.remove('v1', 'Namespace', 'shop', '');
    for (let rounds = 0; rounds < 5; rounds += 1) {
      controllers.settle();
      await world.clock.advance(1000);
      await world.run();
    }
    controllers.settle();
    controllers.stop();
    expect(world.find('v1', 'Namespace', 'shop', '')).toBeUndefined();
    expect(world.transcript).not.toContain('create jobs before');
  });
});
