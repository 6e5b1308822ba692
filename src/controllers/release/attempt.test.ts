import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../ports/errors.ts';
import { configMap, deployment, job, ReleaseWorld } from './release-world.fixture.ts';

let world: ReleaseWorld;
beforeEach(() => {
  world = new ReleaseWorld();
});
afterEach(() => {
  expect(world.faults).toEqual([]);
});

const HEALTH = { healthAssessment: { globalRuleSetSelector: {} } };

describe('a Release without health', () => {
  it('applies wave after wave at once, and is ready', async () => {
    world.release([
      configMap('b', {}, { 'sync-wave': '2' }),
      configMap('a'),
      deployment('c', {}, { 'sync-wave': '1' }),
    ]);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply deployments c', 'apply configmaps b']);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.status).toMatchObject({
      observedGeneration: 1,
      lastAttempted: { attempt: 1, total: 3, phase: 'Done', outcome: 'Succeeded', revision: 'inline@1' },
      history: [{ outcome: 'Succeeded' }],
    });
    expect(world.status.lastHealthy).toBeUndefined();
    expect(world.status.lastApplied?.renderRef).toBe(world.status.lastAttempted?.renderRef);
  });

  it('writes nothing when nothing has changed, also in a new process', async () => {
    world.release([configMap('a')]);
    await world.run();
    const before = world.api.store.revision;
    await world.run();
    world.restart();
    await world.run();
    await world.clock.advance(300_000);
    await world.run();
    expect(world.api.store.revision).toBe(before);
  });

  it('a new generation with the same render is no attempt, but observed', async () => {
    world.release([configMap('a')]);
    await world.run();
    world.release([configMap('a')], { syncPolicy: { interval: '1m' } });
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual([]);
    expect(world.status).toMatchObject({ observedGeneration: 2, lastAttempted: { attempt: 1 } });
  });
});

describe('the inventory', () => {
  it('holds all waves before the first apply, and renderRef only of what was applied', async () => {
    world.release([configMap('a'), configMap('b', {}, { 'sync-wave': '1' })], HEALTH);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a']);
    const renderRef = world.status.lastAttempted?.renderRef;
    expect(world.entries).toMatchObject([
      { name: 'a', wave: 0, renderRef },
      { name: 'b', wave: 1 },
    ]);
    expect(world.entry('b')?.renderRef).toBeUndefined();
    expect(world.entry('a')?.uid).toBe(world.find('v1', 'ConfigMap', 'a')?.metadata.uid);
    const pages = world.writes.findIndex(
      ({ verb, resource }) => verb === 'create' && resource === 'releaseinventories',
    );
    const applied = world.writes.findIndex(({ resource }) => resource === 'configmaps');
    expect(pages).toBeLessThan(applied);
  });

  it('that somebody deletes is written anew with what it held', async () => {
    world.release([configMap('a')], HEALTH);
    await world.settle();
    const before = world.entries;
    world.remove('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'web');
    await world.run();
    expect(world.entries).toEqual(before);
    expect(world.conditions).toContain('Ready=True Succeeded');
  });

  it('that is lost is made anew of what carries the label, and prunes nothing before an attempt has succeeded', async () => {
    let pruned = '';
    world.release([configMap('a'), configMap('b')]);
    await world.run();
    world.change('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'shop', 'web', (draft) => {
      draft.metadata.finalizers = [];
    });
    world.remove('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'web');
    await world.run();
    expect(world.entries.map(({ name }) => name)).toEqual(['a', 'b']);
    world.cluster.around = ({ verb, name }) => {
      if (verb === 'delete' && name === 'b') pruned = world.status.lastAttempted?.outcome ?? 'while it ran';
    };
    world.release([configMap('a')]);
    await world.run();
    expect([pruned, world.find('v1', 'ConfigMap', 'b')]).toEqual(['Succeeded', undefined]);
  });
});

describe('an inventory that has lost entries', () => {
  const lose = (name: string): void => {
    world.change('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'shop', name, (draft) => {
      draft.metadata.finalizers = [];
    });
    world.remove('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', name);
  };

  it('whole: after the objects are found again their health is known again, without an attempt', async () => {
    world.release([configMap('a'), configMap('b'), job('pre', { hook: 'preSync' })], HEALTH);
    await world.settle();
    const { attempt, renderRef } = world.status.lastAttempted ?? {};
    lose('web');
    await world.settle();
    expect(world.entries.filter(({ hook }) => hook === undefined)).toMatchObject([
      { name: 'a', renderRef, assessedRenderRef: renderRef },
      { name: 'b', renderRef, assessedRenderRef: renderRef },
    ]);
    expect(world.status.lastAttempted?.attempt).toBe(attempt);
  });

  it('a page of it: what the render has is written again', async () => {
    const many = Array.from({ length: 101 }, (_, index) => configMap(`c${index}`));
    world.release(many, HEALTH);
    await world.settle();
    const [, second] = world.pages.map(({ metadata }) => metadata.name);
    lose(second ?? '');
    await world.settle();
    const { renderRef } = world.status.lastAttempted ?? {};
    expect(world.entries.filter((entry) => entry.assessedRenderRef === renderRef)).toHaveLength(101);
  });
});

describe('a wave', () => {
  const waves = [configMap('a'), configMap('b', {}, { 'sync-wave': '1' }), configMap('c', {}, { 'sync-wave': '2' })];

  it('waits until the one before it is healthy for this render', async () => {
    world.release(waves, HEALTH);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a']);
    expect(world.conditions).toEqual(['Ready=Unknown Progressing', 'Reconciling=True Progressing']);
    expect(world.readyMessage).toBe('waiting for wave 0 to become healthy');
    world.observe('Progressing');
    await world.run();
    expect(world.transcript).toHaveLength(1);
    world.observe();
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps b']);
    await world.settle();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps b', 'apply configmaps c']);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.status.lastHealthy?.renderRef).toBe(world.status.lastAttempted?.renderRef);
    expect(world.status.history?.[0]?.healthyAt).toBeDefined();
  });

  it('is not open by the health of the render before', async () => {
    world.release(waves, HEALTH);
    await world.settle();
    world.release([configMap('a', { x: '1' }), ...waves.slice(1)], HEALTH);
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a']);
    expect(world.entry('b')?.state).toBe('Healthy');
  });

  it('is not open by the health of an earlier time with the same render', async () => {
    const second = [configMap('a', { x: '1' }), ...waves.slice(1)];
    world.release(waves, HEALTH);
    await world.settle();
    world.release(second, HEALTH);
    await world.run();
    // The observer has not seen the second render yet when the first is asked for again.
    world.release(waves, HEALTH);
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a']);
    expect(world.entry('a')).toMatchObject({ renderRef: world.status.lastAttempted?.renderRef, state: 'Healthy' });
    expect(world.entry('a')?.assessedRenderRef).toBeUndefined();
    await world.settle();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('is not open by the health of an object that was changed since and is put right', async () => {
    world.release([configMap('a', { x: '1' }), ...waves.slice(1)], HEALTH);
    await world.settle();
    world.change('v1', 'ConfigMap', 'shop', 'a', (draft) => {
      draft['data'] = { x: 'by hand' };
    });
    world.remove('v1', 'ConfigMap', 'b');
    world.request('Manual');
    world.transcript = [];
    await world.run();
    // Nothing of c changes: what is known of it is known of what is there.
    expect(world.transcript).toEqual(['apply configmaps a']);
    world.observe();
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps b']);
    world.observe();
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('with an object that says ignore-health is open without it', async () => {
    world.release([configMap('a', {}, { 'ignore-health': 'true' }), ...waves.slice(1)], HEALTH);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps b']);
  });

  it('fails at once when a rule says that it failed', async () => {
    world.release(waves, HEALTH);
    await world.run();
    world.observe('Progressing', { a: { reason: 'Failed', message: 'bad image' } });
    await world.run();
    expect(world.conditions).toEqual(['Ready=False WaveDegraded']);
    expect(world.readyMessage).toBe('wave 0: ConfigMap shop/a: bad image');
    expect(world.status.lastAttempted).toMatchObject({ outcome: 'WaveDegraded', failures: 1 });
    expect(world.events.at(-1)).toBe('Warning WaveDegraded: wave 0: ConfigMap shop/a: bad image');
  });

  it('that is Degraded since before still gets its deadline from its apply on', async () => {
    world.release(waves, { healthAssessment: { deadline: '1m' } });
    await world.run();
    world.observe('Degraded', { a: { state: 'Degraded', reason: 'DeadlineExceeded' } });
    const result = await world.run();
    expect(world.conditions[0]).toBe('Ready=Unknown Progressing');
    expect(result).toMatchObject({ kind: 'after', ms: 60_000 });
    await world.clock.advance(60_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False WaveDegraded']);
  });

  it('that does not become healthy in the time of the attempt fails it', async () => {
    world.release(waves, { ...HEALTH, syncPolicy: { timeout: '2m' } });
    await world.run();
    world.observe('Progressing', { a: { message: 'still starting' } });
    await world.clock.advance(120_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False WaveTimedOut']);
    expect(world.readyMessage).toBe('wave 0 did not become healthy within 2m: ConfigMap shop/a: still starting');
  });
});

describe('a new render', () => {
  it('supersedes an attempt that waits', async () => {
    world.release([configMap('a'), configMap('b', {}, { 'sync-wave': '1' })], HEALTH);
    await world.run();
    world.release([configMap('a', { fixed: 'yes' }), configMap('b', {}, { 'sync-wave': '1' })], HEALTH);
    await world.settle();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps a', 'apply configmaps b']);
    expect(world.status.history?.map(({ outcome }) => outcome)).toEqual(['Succeeded', 'Superseded']);
  });

  it('breaks off a wave that is being applied', async () => {
    const objects = (data: Record<string, string>) => [configMap('a', data), configMap('b', data)];
    world.release(objects({ version: '1' }), HEALTH);
    const { around } = world.cluster;
    world.cluster.around = (effect, moment) => {
      around?.(effect, moment);
      if (moment !== 'after' || world.transcript.length !== 1) return;
      world.cluster.around = around;
      world.release(objects({ version: '2' }), HEALTH);
    };
    await world.settle();
    expect(world.transcript).toEqual(['apply configmaps a', 'apply configmaps a', 'apply configmaps b']);
    expect(world.find('v1', 'ConfigMap', 'b')?.['data']).toEqual({ version: '2' });
    expect(world.status.history?.map(({ outcome }) => outcome)).toEqual(['Succeeded', 'Superseded']);
  });

  it('waits for a hook that runs', async () => {
    world.release([job('migrate', { hook: 'preSync' }), configMap('a')], HEALTH);
    await world.run();
    world.release([job('migrate', { hook: 'preSync' }), configMap('a', { x: '1' })], HEALTH);
    await world.run();
    expect(world.states.at(-1)).toBe('HookOutlasts');
    expect(world.transcript).toEqual(['create jobs migrate']);
    world.observe();
    await world.run();
    expect(world.transcript).toEqual(['create jobs migrate', 'delete jobs migrate', 'create jobs migrate']);
  });
});

describe('an attempt that failed', () => {
  const broken = [configMap('a', {}, { 'sync-wave': '0' })];

  it('is repeated after retryInterval, doubled each time, up to ten minutes', async () => {
    world.release(broken, { ...HEALTH, syncPolicy: { retryInterval: '4m', interval: '1h' } });
    const waits: number[] = [];
    for (let failures = 0; failures < 3; failures += 1) {
      await world.run();
      world.observe('Progressing', { a: { reason: 'Failed' } });
      const result = await world.run();
      waits.push(result.kind === 'after' ? result.ms : 0);
      await world.clock.advance(result.kind === 'after' ? result.ms : 0);
      world.observe('Progressing');
    }
    expect(waits).toEqual([240_000, 480_000, 600_000]);
    await world.run();
    expect(world.status.lastAttempted).toMatchObject({ attempt: 4, failures: 3 });
  });

  it('is repeated at once when asked; with remediation only then', async () => {
    world.release(broken, { ...HEALTH, remediation: {} });
    await world.run();
    world.observe('Progressing', { a: { reason: 'Failed' } });
    await world.run();
    await world.clock.advance(600_000);
    await world.run();
    expect(world.status.lastAttempted?.attempt).toBe(1);
    world.observe('Progressing');
    world.request('Retry');
    await world.run();
    expect(world.status.lastAttempted?.attempt).toBe(2);
  });

  it('begins its back-off anew with a new render', async () => {
    world.release(broken, HEALTH);
    await world.run();
    world.observe('Progressing', { a: { reason: 'Failed' } });
    await world.run();
    world.release([configMap('a', { x: '1' })], HEALTH);
    await world.run();
    expect(world.status.lastAttempted).toMatchObject({ attempt: 1 });
    expect(world.status.lastAttempted?.failures).toBeUndefined();
  });

  it('is due at once when the clock was set back', async () => {
    world.release(broken, HEALTH);
    await world.run();
    world.observe('Progressing', { a: { reason: 'Failed' } });
    await world.run();
    const status = { ...world.status.lastAttempted, endedAt: '2030-01-01T00:00:00Z' };
    world.api.change(
      world.resource('convoy.kumodo.io/v1alpha1', 'Release'),
      'shop',
      'web',
      (draft) => ({ ...draft, status: { ...(draft['status'] as object), lastAttempted: status } }),
      { manager: 'test', subresource: 'status' },
    );
    world.observe('Progressing');
    await world.run();
    expect(world.status.lastAttempted?.attempt).toBe(2);
  });
});

describe('a request', () => {
  it('by annotation begins an attempt once', async () => {
    world.release([configMap('a')]);
    await world.run();
    world.annotate({ 'convoy.kumodo.io/sync-requested': '2026-01-01T00:00:00Z Manual' });
    await world.run();
    await world.run();
    expect(world.status).toMatchObject({
      lastAttempted: { attempt: 2, outcome: 'Succeeded' },
      lastSyncRequest: '2026-01-01T00:00:00Z Manual',
    });
  });

  it('for a retry of what succeeded is served by a look', async () => {
    world.release([configMap('a')]);
    await world.run();
    world.annotate({ 'convoy.kumodo.io/sync-requested': '2026-01-01T00:00:00Z Retry' });
    await world.run();
    expect(world.status.lastAttempted?.attempt).toBe(1);
    expect(world.status.lastSyncRequest).toBe('2026-01-01T00:00:00Z Retry');
  });
});

describe('a suspended Release', () => {
  it('neither fetches nor applies, and still notes that it became healthy', async () => {
    world.release([configMap('a')], HEALTH);
    await world.run();
    world.release([configMap('a', { x: '1' })], { ...HEALTH, suspend: true });
    world.observe();
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual([]);
    expect(world.status.lastHealthy?.renderRef).toBe(world.status.lastAttempted?.renderRef);
    world.release([configMap('a', { x: '1' })], HEALTH);
    await world.settle();
    expect(world.transcript).toEqual(['apply configmaps a']);
  });
});

describe('dependsOn', () => {
  it('holds the first attempt until the other is ready, and tells a circle', async () => {
    world.release([configMap('a')], { dependsOn: [{ name: 'db' }] });
    await world.run();
    expect(world.conditions).toEqual(['Ready=False DependencyNotReady']);
    expect(world.readyMessage).toBe('waiting: Release shop/db is not there');
    world.release([configMap('d')], { dependsOn: [{ name: 'web' }] }, { name: 'db' });
    await world.run();
    expect(world.conditions).toEqual(['Ready=False DependencyNotReady', 'Stalled=True DependencyNotReady']);
    expect(world.readyMessage).toContain('shop/web → shop/db → shop/web');
    world.release([configMap('d')], {}, { name: 'db' });
    await world.run('shop/db');
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });
});

describe('two replicas', () => {
  it('the one that lost its right to act writes nothing more', async () => {
    world.release([configMap('a'), configMap('b')]);
    world.cluster.around = ((before) => (effect, moment) => {
      before(effect, moment);
      if (effect.resource === 'configmaps') world.mayAct = false;
    })(world.cluster.around);
    await world.reconcile();
    expect(world.transcript).toEqual(['apply configmaps a']);
  });

  it('the one that had a Release does nothing for another of the same name that is not its own', async () => {
    world.release([configMap('a')]);
    world.foreign = world.stored?.metadata.uid ?? '';
    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.writes).toEqual([]);
  });
});

describe('a cluster that refuses for a while', () => {
  function busy(code: number, reason: string, retryAfter?: number): void {
    const apply = world.cluster.apply.bind(world.cluster);
    world.cluster.apply = (path, object, options) => {
      if (path.type.resource !== 'configmaps') return apply(path, object, options);
      throw new ApiError('failed calling webhook "check.example.com"', code, reason, [], retryAfter);
    };
  }

  it('is asked again when it says so', async () => {
    busy(429, 'TooManyRequests', 7);
    world.release([configMap('a')]);
    expect(await world.run()).toEqual({ kind: 'after', ms: 7000 });
  });

  it('until the time of the attempt is over: then its last word is told', async () => {
    busy(500, 'InternalError');
    world.release([configMap('a')]);
    await expect(world.run()).rejects.toThrow('failed calling webhook');
    await world.clock.advance(600_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False ApplyFailed']);
    expect(world.readyMessage).toBe('wave 0 was not applied within 10m: failed calling webhook "check.example.com"');
  });

  it('refuses something beside the objects: it is told, once, and tried again at the pace of retries', async () => {
    const get = world.cluster.get.bind(world.cluster);
    world.cluster.get = (path) => {
      if (path.type.resource !== 'configmaps') return get(path);
      throw new ApiError('name "../x" cannot stand in a path', 400, 'BadRequest');
    };
    world.releaseOf({ source: { configMap: { name: '../x' } } });
    expect(await world.run()).toEqual({ kind: 'after', ms: 30_000 });
    expect(world.conditions).toEqual(['Ready=False ApplyFailed']);
    expect(world.readyMessage).toBe('name "../x" cannot stand in a path');
    const before = world.api.store.revision;
    await world.clock.advance(30_000);
    await world.run();
    expect(world.api.store.revision).toBe(before);
  });
});
