import { afterEach, describe, expect, it } from 'vitest';
import { API_VERSION, INVENTORIES, RELEASES } from '../../core/api/index.ts';
import { ApiError } from '../../ports/errors.ts';
import { ObserverWorld, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const ALL = { globalRuleSetSelector: {} };
const SECOND = 1_000;

let world: ObserverWorld;

/** A started world with a Release of one Widget in a phase, and nothing written behind its first pass yet. */
async function withWidget(phase: string, spec: object = {}): Promise<ObserverWorld> {
  world = new ObserverWorld();
  world.ruleSet([WIDGET_RULE]);
  world.widget('a', phase);
  world.release(ALL, [widgetEntry('a')], { spec: { ...spec } });
  await world.start();
  world.home.calls.length = 0;
  world.passes = 0;
  return world;
}

function told(): readonly string[] {
  return world.home.writes.map(({ verb, resource, subresource, manager }) =>
    [verb, resource, subresource, manager].filter((part) => part !== '').join(' '),
  );
}

const BOTH = ['patch releaseinventories convoy-observer', 'apply releases status convoy-observer'];

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

describe('nothing changes', () => {
  it('1,000 passes over a healthy Release write nothing and list nothing', async () => {
    await withWidget('Done', { syncPolicy: { interval: '1s' } });
    await world.pass(1_000 * SECOND);
    expect(world.passes).toBeGreaterThanOrEqual(1_000);
    expect(world.home.writes).toEqual([]);
    expect([...world.home.calls, ...world.target.calls].filter(({ verb }) => verb === 'list')).toEqual([]);
  });

  it('1,000 passes over a failing Release write nothing', async () => {
    await withWidget('Busy', { syncPolicy: { interval: '1s' } });
    await world.pass(1_000 * SECOND);
    expect(world.passes).toBeGreaterThanOrEqual(1_000);
    expect(world.home.writes).toEqual([]);
  });

  it('a restart writes nothing', async () => {
    await withWidget('Busy');
    await world.stop();
    await world.pass(5 * SECOND);
    await world.start();
    await world.pass(SECOND);
    expect(world.home.writes).toEqual([]);
  });
});

describe('a change', () => {
  it('is one patch of the page and one apply of the condition', async () => {
    await withWidget('Done');
    world.phase('a', 'Busy');
    await world.pass(SECOND);
    expect(told()).toEqual(BOTH);
  });

  it('only touches the fields of the observer, and tests that the entry is where it was read', async () => {
    await withWidget('Done');
    await world.pass(SECOND);
    world.phase('a', 'Busy');
    await world.pass(SECOND);
    const patch = world.home.writes[0]?.body as readonly { op: string; path: string }[];
    expect(patch.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'test /metadata/uid',
      'test /spec/entries/0/group',
      'test /spec/entries/0/kind',
      'test /spec/entries/0/namespace',
      'test /spec/entries/0/name',
      'add /spec/entries/0/state',
      'add /spec/entries/0/reason',
      'add /spec/entries/0/message',
      'add /spec/entries/0/stateSince',
      'add /spec/entries/0/firstUnhealthy',
    ]);
  });

  it('of many within 100 ms is told together', async () => {
    await withWidget('Done');
    await world.pass(SECOND);
    for (let index = 0; index < 50; index += 1) {
      world.phase('a', index % 2 === 0 ? 'Busy' : `Busy ${index}`);
      await world.pass(1);
    }
    await world.pass(SECOND);
    // The first at once, the others together behind 100 ms.
    expect(told()).toEqual([...BOTH, ...BOTH]);
    expect(world.entries()[0]?.message).toBe('is Busy 49');
  });

  it('of an object that flaps costs at most one write each time', async () => {
    await withWidget('Done');
    for (let index = 0; index < 20; index += 1) {
      world.phase('a', index % 2 === 0 ? 'Busy' : 'Done');
      await world.pass(5 * SECOND);
    }
    expect(told()).toHaveLength(20 * BOTH.length);
    expect(world.condition()?.status).toBe('True');
  });

  it('on a page is written to that page alone', async () => {
    world = new ObserverWorld();
    world.ruleSet([WIDGET_RULE]);
    for (const name of ['a', 'b']) world.widget(name, 'Done');
    world.release(ALL, [widgetEntry('a')], { total: 2 });
    const uid = String((world.stored()['metadata'] as { uid: string }).uid).slice(0, 8);
    world.page([widgetEntry('b')], { page: 2, pageName: `shop-${uid}-2` });
    await world.start();
    world.home.calls.length = 0;
    world.phase('b', 'Busy');
    await world.pass(SECOND);
    expect(world.home.writes.map(({ resource, name }) => `${resource} ${name}`)).toEqual([
      `releaseinventories shop-${uid}-2`,
      'releases shop',
    ]);
  });
});

describe('other writers', () => {
  const change = (type: typeof RELEASES | typeof INVENTORIES, draft: (object: Record<string, unknown>) => void) => {
    const resource = world.homeApi.registry.find(type.group, type.version, type.resource);
    if (resource === undefined) throw new Error('own kinds are served');
    world.homeApi.change(resource, 'default', 'shop', (object) => draft(object as never), { manager: 'player' });
  };

  it('keep what they wrote: labels, conditions, their part of the entries', async () => {
    await withWidget('Done');
    change(RELEASES, (object) => {
      (object['metadata'] as Record<string, unknown>)['labels'] = { team: 'shop' };
    });
    const resource = world.homeApi.registry.find(RELEASES.group, RELEASES.version, RELEASES.resource);
    if (resource === undefined) throw new Error('Releases are served');
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'all applied', lastTransitionTime };
    world.homeApi.apply(
      resource,
      'default',
      'shop',
      { apiVersion: API_VERSION, kind: 'Release', metadata: { name: 'shop' }, status: { conditions: [ready] } },
      { manager: 'somebody', subresource: 'status', force: true },
    );
    world.phase('a', 'Busy');
    await world.pass(SECOND);
    expect(world.stored()).toMatchObject({
      metadata: { labels: { team: 'shop' } },
      status: { conditions: expect.arrayContaining([ready]), lastAttempted: { revision: 'one' } },
    });
    expect(world.entries()[0]).toMatchObject({ version: 'v1', resource: 'widgets', state: 'Progressing' });
  });

  it('moved the entries: the patch is refused, and decided again on what is there now', async () => {
    await withWidget('Done');
    const moved = (): void =>
      change(INVENTORIES, (object) => {
        const spec = object['spec'] as { entries: unknown[] };
        spec.entries.unshift({ ...widgetEntry('first', { wave: 0 }), renderRef: 'older' });
      });
    let done = false;
    world.home.fault = ({ verb }) => {
      if (verb !== 'patch' || done) return;
      done = true;
      moved();
    };
    world.phase('a', 'Busy');
    await world.pass(SECOND);
    expect(done).toBe(true);
    expect(world.entries().map(({ name, state }) => `${name} ${state}`)).toEqual(['first Unknown', 'a Progressing']);
  });

  it('took the condition away: it is written again', async () => {
    await withWidget('Done');
    const resource = world.homeApi.registry.find(RELEASES.group, RELEASES.version, RELEASES.resource);
    if (resource === undefined) throw new Error('Releases are served');
    world.homeApi.change(
      resource,
      'default',
      'shop',
      (draft) => {
        (draft['status'] as Record<string, unknown>)['conditions'] = [];
      },
      { manager: 'player', subresource: 'status' },
    );
    await world.pass(SECOND);
    expect(world.condition()?.status).toBe('True');
  });
});

describe('a write that fails', () => {
  it('is tried again; no sync is asked for before it succeeded', async () => {
    await withWidget('Busy');
    world.syncs.length = 0;
    let failing = true;
    world.home.fault = ({ verb }) => {
      if (failing && verb === 'patch') throw new ApiError('the server is busy', 503, 'ServiceUnavailable');
    };
    world.phase('a', 'Done');
    await world.pass(SECOND);
    expect([world.entries()[0]?.state, world.syncs]).toEqual(['Progressing', []]);
    failing = false;
    await world.pass(60 * SECOND);
    expect([world.entries()[0]?.state, world.syncs]).toEqual(['Healthy', ['default/shop Observed']]);
  });

  it('of the condition alone does not keep the sync back: its occasion is in the entries, and comes once', async () => {
    await withWidget('Busy');
    world.syncs.length = 0;
    let failing = true;
    world.home.fault = ({ verb }) => {
      if (failing && verb === 'apply') throw new ApiError('the server is busy', 503, 'ServiceUnavailable');
    };
    world.phase('a', 'Done');
    await world.pass(SECOND);
    expect([world.condition()?.reason, world.syncs]).toEqual(['Progressing', ['default/shop Observed']]);
    failing = false;
    await world.pass(60 * SECOND);
    expect([world.condition()?.reason, world.syncs]).toEqual(['Healthy', ['default/shop Observed']]);
  });
});

describe('a stop', () => {
  it('in the middle of a write is no failure, and the next observer finishes it', async () => {
    await withWidget('Done');
    await world.pass(SECOND);
    world.home.fault = ({ verb }, signal) =>
      verb === 'patch'
        ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : undefined;
    world.phase('a', 'Busy');
    await world.pass(SECOND);
    await world.stop();
    expect([world.failures, world.entries()[0]?.state]).toEqual([[], 'Healthy']);
    world.home.fault = () => {};
    await world.start();
    expect(world.entries()[0]?.state).toBe('Progressing');
  });
});

describe('passes', () => {
  it('over a failing Release come after 2, 4, 8, 16, 32 s, then every 32', async () => {
    await withWidget('Busy');
    const times: number[] = [];
    const start = world.clock.now();
    while (times.length < 7) {
      const before = world.passes;
      await world.clock.advanceUntil(() => world.passes > before, 60 * SECOND);
      times.push((world.clock.now() - start) / SECOND);
    }
    expect(times).toEqual([2, 6, 14, 30, 62, 94, 126]);
  });

  it('over a healthy Release come at the interval', async () => {
    await withWidget('Done', { syncPolicy: { interval: '1m' } });
    await world.pass(59 * SECOND);
    expect(world.passes).toBe(0);
    await world.pass(SECOND);
    expect(world.passes).toBe(1);
  });

  it('that an event asks for begin at once, and do not move the next one', async () => {
    await withWidget('Busy');
    await world.pass(SECOND);
    world.phase('a', 'Still busy');
    await world.settle();
    expect(world.entries()[0]?.message).toBe('is Still busy');
    const before = world.passes;
    await world.pass(SECOND);
    expect(world.passes).toBe(before + 1);
  });
});

describe('a Release of another replica', () => {
  it('is left to it, and taken up at once when it becomes ours', async () => {
    await withWidget('Done');
    await world.pass(SECOND);
    world.owned = false;
    world.phase('a', 'Busy');
    await world.pass(60 * SECOND);
    expect([world.passes, world.home.writes]).toEqual([0, []]);
    await world.gain();
    expect(world.condition()?.reason).toBe('Progressing');
    expect(told()).toEqual(BOTH);
  });

  it('that it becomes in the middle of a pass is not written any more', async () => {
    await withWidget('Done');
    await world.pass(SECOND);
    world.target.fault = () => {
      world.owned = false;
    };
    world.remove('Widget', 'example.test', 'a');
    await world.pass(SECOND);
    expect([world.gets(), world.home.writes]).toEqual([['a'], []]);
  });
});

describe('a Release that is gone', () => {
  it('leaves nothing behind: no pass, no watch of its kinds', async () => {
    await withWidget('Busy');
    const resource = world.homeApi.registry.find(RELEASES.group, RELEASES.version, RELEASES.resource);
    if (resource === undefined) throw new Error('Releases are served');
    world.homeApi.remove(resource, 'default', 'shop', {});
    await world.settle();
    world.passes = 0;
    await world.pass(600 * SECOND);
    expect(world.passes).toBe(0);
  });

  it('and came again under its name is another one: its deadline starts anew with its inventory', async () => {
    await withWidget('Busy');
    for (const type of [INVENTORIES, RELEASES]) {
      const resource = world.homeApi.registry.find(type.group, type.version, type.resource);
      if (resource !== undefined) world.homeApi.remove(resource, 'default', 'shop', {});
    }
    await world.pass(10 * SECOND);
    world.release(ALL, [widgetEntry('a')]);
    await world.pass(SECOND);
    expect(Date.parse(world.entries()[0]?.firstUnhealthy ?? '')).toBe(world.clock.now() - SECOND);
  });
});
