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
const rows = () => world.status.hooks?.map(({ phase, name, state }) => `${phase} ${name} ${state}`);

describe('a preSync hook', () => {
  it('holds the first wave until it succeeded; hooks run by wave, then name', async () => {
    world.release(
      [
        job('b', { hook: 'preSync' }),
        job('a', { hook: 'preSync' }),
        job('first', { hook: 'preSync', 'sync-wave': '-1' }),
        configMap('x'),
      ],
      HEALTH,
    );
    await world.run();
    expect(world.transcript).toEqual(['create jobs first']);
    expect(rows()).toEqual(['preSync Job shop/first Running']);
    expect(world.entry('first')).toMatchObject({
      hook: 'preSync',
      uid: world.find('batch/v1', 'Job', 'first')?.metadata.uid,
    });
    await world.settle();
    expect(world.transcript).toEqual(['create jobs first', 'create jobs a', 'create jobs b', 'apply configmaps x']);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.status.lastAttempted?.total).toBe(1);
  });

  it('that fails, fails the attempt with what it said; its syncFail hook runs', async () => {
    world.release([job('migrate', { hook: 'preSync' }), job('clean', { hook: 'syncFail' }), configMap('x')], HEALTH);
    await world.run();
    world.observe('Healthy', { migrate: { state: 'Degraded', message: 'exit code 1' } });
    await world.run();
    expect(world.transcript).toEqual(['create jobs migrate', 'create jobs clean']);
    expect(world.conditions).toEqual(['Ready=False HookFailed']);
    expect(world.readyMessage).toBe('preSync hook Job shop/migrate failed: exit code 1');
    world.observe('Healthy', { migrate: { state: 'Degraded' } });
    await world.run();
    expect(rows()).toEqual(['preSync Job shop/migrate Failed', 'syncFail Job shop/clean Succeeded']);
    expect(world.status.lastAttempted).toMatchObject({ phase: 'Done', outcome: 'HookFailed' });
  });

  it('is made anew for each attempt, and an old result is no result', async () => {
    world.release([job('migrate', { hook: 'preSync' }), configMap('x')], HEALTH);
    await world.settle();
    const [uid, run] = [world.entry('migrate')?.uid, runOf('migrate')];
    world.release([job('migrate', { hook: 'preSync' }), configMap('x', { y: '1' })], HEALTH);
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual(['delete jobs migrate', 'create jobs migrate']);
    expect(world.entry('migrate')?.uid).not.toBe(uid);
    expect(runOf('migrate')).not.toBe(run);
    // The entry still says Healthy, of the object before.
    expect(world.entry('migrate')?.state).toBe('Healthy');
    await world.run();
    expect(rows()).toEqual(['preSync Job shop/migrate Running']);
  });

  function runOf(name: string): string | undefined {
    return world.find('batch/v1', 'Job', name)?.metadata.annotations?.['convoy.kumodo.io/hook-run'];
  }

  it('waits until what an earlier run left is gone', async () => {
    world.release([job('migrate', { hook: 'preSync' }), configMap('x')], HEALTH);
    await world.settle();
    world.change('batch/v1', 'Job', 'shop', 'migrate', (draft) => {
      draft.metadata.finalizers = ['example.com/wait'];
    });
    world.release([job('migrate', { hook: 'preSync' }), configMap('x', { y: '1' })], HEALTH);
    world.transcript = [];
    const result = await world.reconcile();
    expect(result).toMatchObject({ kind: 'after', ms: 1000 });
    expect(world.transcript).toEqual(['delete jobs migrate']);
    world.change('batch/v1', 'Job', 'shop', 'migrate', (draft) => {
      draft.metadata.finalizers = [];
    });
    await world.run();
    expect(world.transcript).toEqual(['delete jobs migrate', 'create jobs migrate']);
  });

  it('with a generateName has the run in its name, so that a new process knows it', async () => {
    const { metadata: _, ...rest } = job('x', { hook: 'preSync' });
    const hook = {
      ...rest,
      metadata: { generateName: 'migrate-', annotations: { 'convoy.kumodo.io/hook': 'preSync' } },
    };
    world.release([hook, configMap('x')], HEALTH);
    await world.run();
    const name = world.entries.find((entry) => entry.hook === 'preSync')?.name ?? '';
    expect(name).toMatch(/^migrate-[0-9a-f]{12}-1$/);
    await world.settle();
    expect(world.transcript).toEqual([`create jobs ${name}`, 'apply configmaps x']);
  });

  it('with a generateName leaves nothing of attempts that failed but the last', async () => {
    const hook = {
      ...job('x'),
      metadata: { generateName: 'migrate-', annotations: { 'convoy.kumodo.io/hook': 'preSync' } },
    };
    world.release([hook, job('migrate-other', { hook: 'preSync' }), configMap('x')], HEALTH);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await world.run();
      const { name = '' } = world.entries.find((entry) => entry.name.endsWith(`-${attempt}`)) ?? {};
      world.observe('Healthy', { [name]: { state: 'Degraded' } });
      await world.run();
      expect(world.status.lastAttempted).toMatchObject({ attempt, outcome: 'HookFailed' });
      await world.clock.advance(600_000);
    }
    const jobs = [...world.api.store.all('batch/jobs', 'shop')].map(({ metadata }) => metadata.name);
    expect(jobs).toEqual([expect.stringMatching(/^migrate-[0-9a-f]{12}-4$/)]);
    expect(world.entries.map(({ name }) => name).sort()).toEqual([jobs[0], 'migrate-other', 'x'].sort());
  });

  it('that is gone already when a new process looks for it does not run a second time', async () => {
    world.release([job('migrate', { hook: 'preSync' }), configMap('x')], HEALTH);
    const killed = new Error('killed');
    world.cluster.around = ((record) => (effect, moment) => {
      // Its uid stands in the inventory, its row is not written yet.
      const isRow = moment === 'before' && effect.resource === 'releases' && effect.subresource === 'status';
      if (isRow && world.entry('migrate')?.uid !== undefined) throw killed;
      record(effect, moment);
    })(world.cluster.around);
    await expect(world.run()).rejects.toBe(killed);
    expect(rows()).toBeUndefined();
    world.cluster.around = () => {};
    world.remove('batch/v1', 'Job', 'migrate');
    world.restart();
    await world.run();
    expect(world.find('batch/v1', 'Job', 'migrate')).toBeUndefined();
    expect(rows()).toEqual(['preSync Job shop/migrate Running']);
    // How it ended is the observer's to say.
    await world.settle();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('of the same name as somebody else’s object touches nothing', async () => {
    world.create({ ...job('migrate'), metadata: { name: 'migrate', namespace: 'shop' } });
    world.release([job('migrate', { hook: 'preSync' }), configMap('x')], HEALTH);
    await world.run();
    expect(world.transcript).toEqual([]);
    expect(world.conditions).toEqual(['Ready=False HookFailed']);
    expect(world.readyMessage).toContain('was not made by convoy');
  });

  it('that does not end in the time of the attempt fails it', async () => {
    world.release([job('migrate', { hook: 'preSync' }), configMap('x')], HEALTH);
    await world.run();
    await world.clock.advance(600_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False HookFailed']);
    expect(world.readyMessage).toBe('Job shop/migrate did not end within 10m');
  });

  it('goes when its policy says so, also when the render has it no more', async () => {
    const hook = job('migrate', { hook: 'preSync', 'hook-delete-policy': 'Succeeded' });
    world.release([hook, job('kept', { hook: 'preSync' }), configMap('x')], HEALTH);
    await world.settle();
    expect(world.find('batch/v1', 'Job', 'migrate')).toBeUndefined();
    expect(world.find('batch/v1', 'Job', 'kept')).toBeDefined();
    world.release([configMap('x')], HEALTH);
    await world.settle();
    expect(world.find('batch/v1', 'Job', 'kept')).toBeUndefined();
    expect(world.entries.map(({ name }) => name)).toEqual(['x']);
  });

  it('of two phases runs twice', async () => {
    world.release([job('both', { hook: 'preSync,postSync' }), configMap('x')]);
    await world.settle();
    expect(world.transcript).toEqual([
      'create jobs both',
      'apply configmaps x',
      'delete jobs both',
      'create jobs both',
    ]);
    expect(rows()).toEqual(['preSync Job shop/both Succeeded', 'postSync Job shop/both Succeeded']);
  });
});

describe('a postSync hook', () => {
  it('runs behind the last wave, with Healthy only when everything is healthy; prune waits for both', async () => {
    const hooks = [job('soon', { hook: 'postSync' }), job('late', { hook: 'postSync', 'hook-run-after': 'Healthy' })];
    world.release([configMap('x'), configMap('old'), ...hooks], HEALTH);
    await world.settle();
    world.release([configMap('x', { y: '1' }), ...hooks], HEALTH);
    world.transcript = [];
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps x', 'delete jobs soon', 'create jobs soon']);
    world.observe('Progressing', { soon: { state: 'Healthy' } });
    await world.run();
    expect(world.transcript).toHaveLength(3);
    expect(world.conditions[0]).toBe('Ready=Unknown Progressing');
    world.observe();
    await world.run();
    expect(world.transcript.slice(3)).toEqual(['delete jobs late', 'create jobs late']);
    expect(world.find('v1', 'ConfigMap', 'old')).toBeDefined();
    await world.settle();
    expect(world.transcript.slice(5)).toEqual(['delete configmaps old']);
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('runs at once when health is not configured', async () => {
    world.release([configMap('x'), job('late', { hook: 'postSync', 'hook-run-after': 'Healthy' })]);
    await world.run();
    expect(world.transcript).toEqual(['apply configmaps x', 'create jobs late']);
  });

  it('that has begun is let finish when health is lost', async () => {
    world.release([configMap('x'), job('late', { hook: 'postSync', 'hook-run-after': 'Healthy' })], HEALTH);
    await world.run();
    world.observe();
    await world.run();
    world.observe('Progressing', { late: { state: 'Progressing' } });
    await world.run();
    expect(world.states.at(-1)).toBe('GateClosed');
    world.observe();
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('beside an object that the render has no more finishes', async () => {
    const hook = job('late', { hook: 'postSync', 'hook-run-after': 'Healthy' });
    world.release([configMap('x'), configMap('old'), hook], HEALTH);
    await world.settle();
    world.release([configMap('x'), hook], HEALTH);
    await world.run();
    world.observe('Healthy', { old: { state: 'Degraded', reason: 'Failed' } });
    await world.settle();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    expect(world.find('v1', 'ConfigMap', 'old')).toBeUndefined();
  });

  it('whose object is gone by its TTL after the observer saw it complete is complete', async () => {
    world.release([configMap('x'), job('late', { hook: 'postSync' })]);
    await world.run();
    world.observe();
    world.remove('batch/v1', 'Job', 'late');
    await world.run();
    expect(rows()).toEqual(['postSync Job shop/late Succeeded']);
    world.transcript = [];
    world.restart();
    await world.run();
    expect(world.transcript).toEqual([]);
  });
});

describe('hooks of Helm', () => {
  it('install hooks run until an attempt has succeeded, upgrade hooks from then on', async () => {
    const helm = (name: string, hook: string) => job(name, { 'helm.sh/hook': hook });
    const hooks = [helm('install', 'pre-install'), helm('upgrade', 'pre-upgrade')];
    world.release([...hooks, configMap('x')]);
    await world.settle();
    expect(world.transcript).toEqual(['create jobs install', 'apply configmaps x']);
    world.release([...hooks, configMap('x', { y: '1' })]);
    world.transcript = [];
    await world.settle();
    expect(world.transcript).toEqual(['create jobs upgrade', 'apply configmaps x', 'delete jobs install']);
  });
});
