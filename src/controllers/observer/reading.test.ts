import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { ObserverWorld, OLDER, RENDER, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const ALL = { globalRuleSetSelector: {} };
const SECOND = 1_000;

let world: ObserverWorld;

function begin(): ObserverWorld {
  world = new ObserverWorld();
  world.ruleSet([WIDGET_RULE]);
  return world;
}

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

/** An entry of a kind that counts no generations and that no rule of the fixture knows. */
const service = (name: string, more: object = {}) =>
  widgetEntry(name, { group: '', kind: 'Service', resource: 'services', ...more });
const SERVICE_RULE = {
  name: 'named',
  apiVersion: 'v1',
  resources: ['services'],
  healthy: 'has(metadata.labels.good)',
  message: '"not good"',
};
function createService(name: string, labels: object = {}): { uid: string } {
  return world.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: { ports: [{ port: 80 }] },
  }).metadata;
}

describe('an object is read', () => {
  it('not at all, where no rule applies to it', async () => {
    begin().widget('a', 'Done');
    createService('s');
    world.release(ALL, [widgetEntry('a'), service('s')]);
    await world.start();
    expect(world.healthy()).toBe('True Healthy: 2 resources healthy');
    expect(world.target.calls.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['watch widgets']);
  });

  it('from the cache, when that is of our apply or newer', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    world.phase('a', 'Busy');
    await world.pass(100);
    expect(world.condition()?.reason).toBe('Progressing');
    expect(world.gets()).toEqual([]);
  });

  it('from the server, while the cache still has what was there before the apply', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a', { renderRef: OLDER })]);
    await world.start();
    world.attempt({ total: 1 });
    // The apply made generation 2, which no cache has seen yet.
    world.entry('a', { renderRef: RENDER, generation: 2 });
    await world.pass(100);
    expect(world.gets()).toEqual(['a']);
  });

  it('of a kind without generations once from the server for each render, then from the cache', async () => {
    begin().ruleSet([SERVICE_RULE], { name: 'services' });
    createService('s', { good: 'yes' });
    world.release(ALL, [service('s')]);
    await world.start();
    expect([world.condition()?.status, world.gets('services')]).toEqual(['True', ['s']]);
    await world.pass(400 * SECOND);
    expect(world.gets('services')).toEqual(['s']);
    world.entry('s', { renderRef: OLDER });
    world.attempt({ total: 1, renderRef: OLDER });
    await world.pass(100);
    expect(world.gets('services')).toEqual(['s', 's']);
  });

  it('that lost the label of its Release from the server: it is not gone', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    const type = world.targetApi.registry.byKind('example.test/v1', 'Widget');
    if (type === undefined) throw new Error('Widgets are served');
    world.targetApi.change(
      type,
      'default',
      'a',
      (draft) => {
        draft.metadata.labels = {};
      },
      { manager: 'player' },
    );
    await world.pass(100);
    expect([world.condition()?.status, world.gets()]).toEqual(['True', ['a']]);
  });

  it('again only when a field that a rule reads has changed', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    const reads = world.homeApi.store.revision;
    world.status(
      { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { namespace: 'default', name: 'a' } },
      { phase: 'Done', log: 'more' },
    );
    await world.pass(100);
    expect(world.homeApi.store.revision).toBe(reads);
  });
});

describe('an object that may not be read', () => {
  const forbid = (resource: string): void => {
    world.target.fault = (call) => {
      if (call.resource === resource) throw new ApiError(`${resource} is forbidden to the operator`, 403, 'Forbidden');
    };
  };

  it('is Unknown with the words of the server; the others are judged', async () => {
    begin().ruleSet([SERVICE_RULE], { name: 'services' });
    world.widget('a', 'Done');
    createService('s');
    forbid('services');
    world.release(ALL, [widgetEntry('a'), service('s')]);
    await world.start();
    await world.pass(10 * SECOND);
    expect(world.healthy()).toBe(
      'Unknown Unknown: 1 of 2 resources Unknown: Service default/s: services is forbidden to the operator',
    );
    expect(world.entries().map(({ reason }) => reason)).toEqual(['AllRulesPass', 'Forbidden']);
  });

  it('only by a list is read by itself', async () => {
    begin().widget('a', 'Done');
    world.target.fault = ({ verb }) => {
      if (verb === 'list' || verb === 'watch') throw new ApiError('lists are forbidden', 403, 'Forbidden');
    };
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    expect(world.condition()?.status).toBe('True');
    world.phase('a', 'Busy');
    await world.pass(300 * SECOND);
    expect(world.condition()?.reason).toBe('Progressing');
  });
});

describe('a cluster', () => {
  it('whose answer does not come in 10 s: the object is Unknown, the others are judged', async () => {
    begin().ruleSet([SERVICE_RULE], { name: 'services' });
    world.widget('a', 'Done');
    createService('s');
    world.target.fault = ({ verb, resource }, signal) =>
      verb === 'get' && resource === 'services'
        ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : undefined;
    world.release(ALL, [widgetEntry('a'), service('s')]);
    await world.start();
    expect(world.condition()).toBeUndefined();
    await world.pass(10 * SECOND);
    expect(world.entries().map(({ reason }) => reason)).toEqual(['AllRulesPass', 'Timeout']);
    expect(world.healthy()).toContain('Service default/s: no answer within 10 s');
  });

  it('gets at most 8 reads at once', async () => {
    begin().ruleSet([SERVICE_RULE], { name: 'services' });
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    for (const name of names) createService(name, { good: 'yes' });
    let [running, most] = [0, 0];
    world.target.fault = async ({ verb }) => {
      if (verb !== 'get') return;
      running += 1;
      most = Math.max(most, running);
      await world.clock.sleep(10);
      running -= 1;
    };
    world.release(
      ALL,
      names.map((name) => service(name)),
    );
    await world.start();
    await world.pass(SECOND);
    expect([world.condition()?.status, most]).toEqual(['True', 8]);
  });

  it('that cannot be reached does not delay Releases on others', async () => {
    begin().widget('a', 'Done');
    const reachable = world.targets;
    const lost = new ObserverWorld().target;
    lost.fault = (_call, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    world.targets = {
      of: async (release) =>
        release.metadata.name.startsWith('lost')
          ? { key: 'lost', home: false, reader: lost, cluster: lost, actsAs: '' }
          : reachable.of(release),
    };
    for (let index = 0; index < 100; index += 1) {
      const spec = { target: { kubeConfig: { secretRef: { name: 'lost' } } } };
      world.release(ALL, [widgetEntry('a')], { name: `lost-${index}`, spec });
    }
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    expect(world.condition()?.status).toBe('True');
    await world.pass(25 * SECOND);
    expect(world.condition('lost-0')?.reason).toBe('ClusterUnreachable');
    expect(world.condition('lost-99')?.reason).toBe('ClusterUnreachable');
    world.phase('a', 'Busy');
    await world.pass(100);
    expect(world.condition()?.reason).toBe('Progressing');
  });

  it('whose watch broke while it can be asked goes on being assessed', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    world.target.cut(new TransportError('unreachable', 'connection reset'));
    await world.pass(5 * SECOND);
    world.phase('a', 'Busy');
    await world.pass(100);
    expect(world.condition()?.reason).toBe('Progressing');
  });
});

describe('a related object', () => {
  it('is read once and bound to the rule; what is not there is null', async () => {
    world = new ObserverWorld();
    const related = [{ name: 'gate', apiVersion: 'v1', resource: 'services', object: '"gate"' }];
    world.ruleSet([{ ...WIDGET_RULE, healthy: 'related.gate != null', message: '"no gate"', related }]);
    world.widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    expect(world.healthy()).toContain('no gate');
    createService('gate');
    await world.pass(40 * SECOND);
    expect(world.condition()?.status).toBe('True');
    expect(world.gets('services')).toEqual(['gate', 'gate']);
  });
});
