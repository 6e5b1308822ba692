import { afterEach, describe, expect, it } from 'vitest';
import type { InventoryEntry } from '../../core/api/index.ts';
import { ObserverWorld, RENDER, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const SECOND = 1_000;
const COMPLETE = { conditions: [{ type: 'Complete', status: 'True' }] };

let world: ObserverWorld;

const hook = (more: Partial<InventoryEntry> = {}): Partial<InventoryEntry> => ({
  group: 'batch',
  kind: 'Job',
  namespace: 'default',
  name: 'migrate',
  version: 'v1',
  resource: 'jobs',
  hook: 'preSync',
  renderRef: RENDER,
  ...more,
});

function createJob(labels: object = {}) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } };
  return world.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', labels },
    spec: { template },
  });
}

/** A started world with a Release without health assessment that runs one hook. */
async function withHook(assessment: object | null = null): Promise<ReturnType<typeof createJob>> {
  world = new ObserverWorld();
  const job = createJob();
  world.release(assessment === null ? null : { ...assessment }, [hook()]);
  await world.start();
  return job;
}

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

describe('a hook', () => {
  it('is polled also when health assessment is not configured', async () => {
    const job = await withHook();
    expect(world.condition()?.reason).toBe('NotConfigured');
    expect(world.entries()[0]).toMatchObject({
      state: 'Progressing',
      reason: 'Running',
      assessedUid: job.metadata.uid,
      assessedRenderRef: RENDER,
    });
    expect(world.syncs).toEqual([]);
    world.status(job, COMPLETE);
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Healthy', reason: 'Complete' });
    expect(world.syncs).toEqual(['default/shop Observed']);
    expect(world.summary()).toMatchObject({ total: 0 });
  });

  it('is polled also when the Release cannot be assessed', async () => {
    const job = await withHook({ globalRuleSetSelector: {}, deadline: 'soon' });
    world.status(job, COMPLETE);
    await world.pass(100);
    expect([world.condition()?.reason, world.entries()[0]?.state]).toEqual(['InvalidDeadline', 'Healthy']);
  });

  it('that failed says why', async () => {
    const job = await withHook();
    world.status(job, { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] });
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Degraded', reason: 'Failed', message: 'BackoffLimitExceeded' });
    expect(world.syncs).toEqual(['default/shop Observed']);
  });

  it('whose Job goes as soon as it is complete was complete', async () => {
    const job = await withHook();
    world.status(job, COMPLETE);
    world.remove('Job', 'batch', 'migrate');
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Healthy', reason: 'Complete' });
  });

  it('that was seen complete stays so when its object goes', async () => {
    const job = await withHook();
    world.status(job, COMPLETE);
    await world.pass(100);
    world.remove('Job', 'batch', 'migrate');
    await world.pass(60 * SECOND);
    expect(world.entries()[0]?.state).toBe('Healthy');
    expect(world.syncs).toHaveLength(1);
  });

  it('that disappears before has failed', async () => {
    await withHook();
    world.remove('Job', 'batch', 'migrate');
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({
      state: 'Degraded',
      reason: 'HookDisappeared',
      message: 'Job migrate is gone and nobody saw how it ended',
    });
  });

  it('of another attempt is another one: an old result does not count for it', async () => {
    const job = await withHook();
    world.status(job, COMPLETE);
    await world.pass(100);
    world.remove('Job', 'batch', 'migrate');
    const { uid = '' } = createJob().metadata;
    world.entry('migrate', { uid });
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Progressing', assessedUid: uid });
  });

  it('is seen without the label of the Release too, at the next look', async () => {
    world = new ObserverWorld();
    const job = createJob();
    const type = world.targetApi.registry.byKind('batch/v1', 'Job');
    if (type === undefined) throw new Error('Jobs are served');
    const bare = (): void =>
      void world.targetApi.change(
        type,
        'default',
        'migrate',
        (draft) => {
          draft.metadata.labels = {};
        },
        { manager: 'player' },
      );
    bare();
    world.release(null, [hook()]);
    await world.start();
    world.status(job, COMPLETE);
    await world.pass(2 * SECOND);
    expect(world.entries()[0]?.state).toBe('Healthy');
  });

  it('of another kind is not taken for done while its rules cannot be known', async () => {
    world = new ObserverWorld();
    world.ruleSet([WIDGET_RULE]);
    world.ruleSet([{ ...WIDGET_RULE, healthy: 'status.(' }], { name: 'broken', labels: { broken: 'yes' } });
    world.widget('w', 'Busy');
    world.release({ globalRuleSetSelector: {} }, [widgetEntry('w', { hook: 'preSync' })]);
    await world.start();
    await world.pass(10 * SECOND);
    expect([world.condition()?.reason, world.entries()[0]?.state]).toEqual(['InvalidRule', undefined]);
    expect(world.syncs).toEqual([]);
  });

  it('of another kind is judged by the rules of the Release', async () => {
    world = new ObserverWorld();
    world.ruleSet([WIDGET_RULE]);
    world.widget('w', 'Busy');
    world.release({ globalRuleSetSelector: {} }, [widgetEntry('w', { hook: 'postSync' })]);
    await world.start();
    expect(world.entries()[0]?.state).toBe('Progressing');
    world.phase('w', 'Done');
    await world.pass(100);
    expect(world.entries()[0]?.state).toBe('Healthy');
    expect(world.healthy()).toBe('True Healthy: 0 resources healthy');
  });
});
