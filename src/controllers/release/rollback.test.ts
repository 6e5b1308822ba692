import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configMap, job, ReleaseWorld } from './release-world.fixture.ts';

let world: ReleaseWorld;
beforeEach(() => {
  world = new ReleaseWorld();
});
afterEach(() => {
  expect(world.faults).toEqual([]);
});

const HEALTH = { healthAssessment: { globalRuleSetSelector: {} } };
const ROLLBACK = 'convoy.kumodo.io/rollback-to';
const version = (v: string) =>
  world.release([configMap('a', { v }), ...(v === '1' ? [configMap('only-1')] : [])], HEALTH);
const running = () => world.find('v1', 'ConfigMap', 'a')?.['data'];
const renders = () =>
  [...world.api.store.all('/secrets', 'shop')].map(
    ({ metadata }) => metadata.annotations?.['convoy.kumodo.io/render-ref'],
  );

async function twoVersions(): Promise<{ first: string; second: string }> {
  version('1');
  await world.settle();
  const first = world.status.lastHealthy?.renderRef ?? '';
  version('2');
  await world.run();
  world.observe('Progressing', { a: { reason: 'Failed' } });
  await world.run();
  return { first, second: world.status.lastAttempted?.renderRef ?? '' };
}

describe('a rollback', () => {
  it('applies the stored bytes again and holds them; what is asked for does not run, so it is not ready', async () => {
    const { first, second } = await twoVersions();
    const renderings = world.renderer.renders;
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    expect(running()).toEqual({ v: '1' });
    expect(world.renderer.renders).toBe(renderings);
    expect(world.status).toMatchObject({
      held: { renderRef: first, from: second },
      lastAttempted: { renderRef: first, outcome: 'Succeeded' },
    });
    expect(world.conditions).toEqual(['Ready=False RolledBack']);
    world.restart();
    const before = world.api.store.revision;
    await world.run();
    expect(world.api.store.revision).toBe(before);
  });

  it('ends when the source gives another render than the one that was kept out', async () => {
    const { first } = await twoVersions();
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    version('3');
    await world.settle();
    expect(running()).toEqual({ v: '3' });
    expect(world.stored?.metadata.annotations[ROLLBACK]).toBeUndefined();
    expect(world.status.held).toBeUndefined();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('asks the source again when that could not be read, and ends with what it gives then', async () => {
    const { first } = await twoVersions();
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    world.releaseOf({ source: { configMap: { name: 'manifests' } }, ...HEALTH });
    expect(await world.run()).toMatchObject({ kind: 'after', ms: 30_000 });
    expect(world.conditions).toEqual(['Ready=False RolledBack']);
    world.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'manifests', namespace: 'shop' },
      data: { 'a.json': JSON.stringify(configMap('a', { v: '3' })) },
    });
    await world.clock.advance(30_000);
    await world.settle();
    expect(running()).toEqual({ v: '3' });
  });

  it('ends when a person removes the annotation: what was kept out is attempted again', async () => {
    const { first, second } = await twoVersions();
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    world.annotate({ [ROLLBACK]: undefined });
    await world.settle();
    expect(world.status.held).toBeUndefined();
    expect(world.status.lastAttempted).toMatchObject({ renderRef: second, outcome: 'Succeeded' });
    expect(running()).toEqual({ v: '2' });
  });

  it('to a render that is not stored is stalled and names those that are', async () => {
    const { first } = await twoVersions();
    world.annotate({ [ROLLBACK]: 'sha256:none' });
    await world.run();
    expect(world.conditions).toContain('Stalled=True RenderFailed');
    expect(world.readyMessage).toContain(first);
    expect(running()).toEqual({ v: '2' });
  });

  it('to what the source gives holds nothing: the annotation goes', async () => {
    version('1');
    await world.settle();
    world.annotate({ [ROLLBACK]: world.status.lastHealthy?.renderRef });
    await world.settle();
    expect(world.stored?.metadata.annotations[ROLLBACK]).toBeUndefined();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('runs only the hooks that are annotated for it', async () => {
    const hooks = [job('always', { hook: 'preSync', 'hook-on-rollback': 'true' }), job('forward', { hook: 'preSync' })];
    world.release([...hooks, configMap('a', { v: '1' })], HEALTH);
    await world.settle();
    const first = world.status.lastHealthy?.renderRef;
    world.release([...hooks, configMap('a', { v: '2' })], HEALTH);
    await world.settle();
    world.transcript = [];
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    expect(world.transcript.filter((line) => line.startsWith('create'))).toEqual(['create jobs always']);
    expect(running()).toEqual({ v: '1' });
  });

  it('while the source cannot be read works as well', async () => {
    const { first } = await twoVersions();
    world.releaseOf({ source: { configMap: { name: 'none' } }, ...HEALTH });
    world.annotate({ [ROLLBACK]: first });
    await world.settle();
    expect(running()).toEqual({ v: '1' });
    expect(world.conditions).toEqual(['Ready=False RolledBack']);
  });
});

describe('stored renders', () => {
  it('are those that somebody can come back to', async () => {
    const refs: string[] = [];
    for (const v of ['1', '2', '3', '4']) {
      version(v);
      await world.settle();
      refs.push(world.status.lastHealthy?.renderRef ?? '');
    }
    expect(new Set(renders())).toEqual(new Set(refs.slice(2)));
  });

  it('that are lost are rendered again', async () => {
    version('1');
    await world.run();
    for (const { metadata } of [...world.api.store.all('/secrets', 'shop')])
      world.remove('v1', 'Secret', metadata.name);
    world.restart();
    await world.settle();
    expect(renders()).toHaveLength(1);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });
});
