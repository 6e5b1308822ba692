import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../ports/errors.ts';
import { TargetError } from '../../ports/targets.ts';
import { ObserverWorld, OLDER, RENDER, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const MINUTE = 60_000;
const ALL = { globalRuleSetSelector: {} };

let world: ObserverWorld;

/** A world with one rule about Widgets; the test starts its observer. */
function begin(): ObserverWorld {
  world = new ObserverWorld();
  world.ruleSet([WIDGET_RULE]);
  return world;
}

/** A started world with a Release of one Widget in a phase. */
async function withWidget(phase: string, assessment: object = ALL): Promise<ObserverWorld> {
  begin().widget('a', phase);
  world.release({ ...assessment }, [widgetEntry('a')]);
  await world.start();
  return world;
}

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

describe('each row of the condition', () => {
  it('health assessment is not configured', async () => {
    begin().widget('a', 'Busy');
    world.release(null, [widgetEntry('a')]);
    await world.start();
    expect(world.healthy()).toBe('Unknown NotConfigured: health assessment is not configured');
    expect(world.summary()).toEqual({ total: 0, healthy: 0, progressing: 0, degraded: 0, unknown: 0 });
    expect(world.entries()[0]?.state).toBeUndefined();
    expect(world.target.calls).toEqual([]);
  });

  it('a selector is not valid', async () => {
    begin().widget('a', 'Done');
    world.release({ globalRuleSetSelector: { matchExpressions: [{ key: 'x', operator: 'Is' }] } }, [widgetEntry('a')]);
    await world.start();
    expect(world.healthy()).toBe(
      'Unknown InvalidSelector: spec.healthAssessment.globalRuleSetSelector: operator "Is" of label "x" is none of In, NotIn, Exists, DoesNotExist',
    );
  });

  it('a rule does not compile: only Releases that select its set cannot be assessed', async () => {
    begin().ruleSet([{ ...WIDGET_RULE, healthy: 'has(status.phase) &&\n  size(' }], {
      name: 'broken',
      labels: { set: 'broken' },
    });
    world.widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')]);
    const others = { matchExpressions: [{ key: 'set', operator: 'DoesNotExist' }] };
    world.release({ globalRuleSetSelector: others }, [widgetEntry('a')], { name: 'other' });
    await world.start();
    expect(world.healthy()).toMatch(/^Unknown InvalidRule: rule set broken, rule done, healthy, line 2, column \d+: /);
    expect(world.healthy('other')).toBe('True Healthy: 1 resources healthy');
  });

  it('a deadline is no duration', async () => {
    await withWidget('Done', { ...ALL, deadline: 'soon' });
    expect(world.healthy()).toBe(
      'Unknown InvalidDeadline: spec.healthAssessment: deadline "soon" is not a duration: write it like 90s, 5m or 1h30m',
    );
  });

  it('the cluster cannot be reached: the summary and the entries keep their last values', async () => {
    await withWidget('Done');
    const [before, summary] = [world.entries(), world.summary()];
    world.target.fault = () => {
      throw new TransportError('unreachable', 'no route to the cluster');
    };
    world.target.cut(new TransportError('unreachable', 'connection reset'));
    await world.pass(3_000);
    expect(world.healthy()).toBe('Unknown ClusterUnreachable: no route to the cluster');
    expect([world.entries(), world.summary()]).toEqual([before, summary]);
    world.target.fault = () => {};
    world.phase('a', 'Busy');
    await world.pass(MINUTE);
    expect(world.condition()?.reason).toBe('Progressing');
  });

  it('the kubeconfig is missing', async () => {
    begin().widget('a', 'Done');
    world.targets = {
      of: async () => {
        throw new TargetError('KubeConfigMissing', 'Secret default/x is not there; create it');
      },
    };
    world.release(ALL, [widgetEntry('a')]);
    await world.start();
    // Of this one nothing was applied yet.
    world.release(ALL, [], { name: 'other', total: 1 });
    await world.pass(100);
    const missing = 'Unknown KubeConfigMissing: Secret default/x is not there; create it';
    expect([world.healthy(), world.healthy('other')]).toEqual([missing, missing]);
  });

  it('waits for a render: an entry has the one before', async () => {
    begin().widget('a', 'Busy');
    world.release(ALL, [widgetEntry('a', { renderRef: OLDER }), widgetEntry('b', { wave: 1 })]);
    world.widget('b', 'Done');
    await world.start();
    expect(world.healthy()).toBe('Unknown Pending: waiting for render sha256:0123456789ab: 1 of 2 resources applied');
    expect(world.entries()[0]).toMatchObject({ state: 'Progressing', assessedRenderRef: OLDER });
  });

  it('waits while a wave holds, and goes on when the next one is applied', async () => {
    begin().widget('a', 'Busy');
    const { renderRef: _none, ...planned } = widgetEntry('b', { wave: 1 });
    world.release(ALL, [widgetEntry('a'), planned], { attempted: { wave: 0 } });
    await world.start();
    expect(world.healthy()).toBe(
      'Unknown Pending: waiting for render sha256:0123456789ab: 1 of 2 resources applied, held at wave 0',
    );
    expect(world.summary()).toEqual({ total: 2, healthy: 0, progressing: 1, degraded: 0, unknown: 1 });
    world.phase('a', 'Done');
    await world.pass(100);
    expect(world.syncs).toEqual(['default/shop Observed', 'default/shop Observed']);
    const { uid = '', generation = 0 } = world.widget('b', 'Done').metadata;
    world.entry('b', { renderRef: RENDER, uid, generation });
    await world.pass(100);
    expect(world.healthy()).toBe('True Healthy: 2 resources healthy');
  });

  it('waits for pages that are not there yet', async () => {
    begin().widget('a', 'Done');
    world.release(ALL, [widgetEntry('a')], { total: 2 });
    await world.start();
    expect(world.condition()?.reason).toBe('Pending');
    world.widget('b', 'Done');
    const uid = String((world.stored()['metadata'] as { uid: string }).uid)
      .replaceAll('-', '')
      .slice(0, 8);
    world.page([widgetEntry('b')], { page: 2, pageName: `shop-${uid}-2` });
    await world.pass(100);
    expect(world.healthy()).toBe('True Healthy: 2 resources healthy');
  });

  it('all are healthy', async () => {
    await withWidget('Done');
    expect(world.healthy()).toBe('True Healthy: 1 resources healthy');
    expect(world.summary()).toEqual({ total: 1, healthy: 1, progressing: 0, degraded: 0, unknown: 0 });
    expect(world.entries()[0]).toMatchObject({ state: 'Healthy', reason: 'AllRulesPass', assessedRenderRef: RENDER });
  });

  it('without rules all are healthy, and nothing is read', async () => {
    begin().widget('a', 'Busy');
    world.release({}, [widgetEntry('a')]);
    await world.start();
    expect(world.healthy()).toBe('True Healthy: 1 resources healthy');
    expect(world.entries()[0]).toMatchObject({ state: 'Healthy', reason: 'NoRule' });
    expect(world.target.calls).toEqual([]);
  });

  it('carries the generation that was attempted', async () => {
    await withWidget('Done');
    expect(world.condition()).toMatchObject({ observedGeneration: 1 });
  });
});

describe('the deadline', () => {
  it('passes with no event: Degraded at the deadline, told once', async () => {
    await withWidget('Busy', { ...ALL, deadline: '1m' });
    expect(world.healthy()).toBe('False Progressing: 1 of 1 resources Progressing: Widget default/a: is Busy');
    await world.pass(MINUTE - 1);
    expect(world.condition()?.reason).toBe('Progressing');
    await world.pass(1);
    expect(world.healthy()).toBe('False Degraded: 1 of 1 resources Degraded: Widget default/a: is Busy');
    expect(world.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Normal Progressing',
      'Warning Degraded',
    ]);
  });

  it('is kept over a restart of the observer', async () => {
    await withWidget('Busy', { ...ALL, deadline: '1m' });
    await world.stop();
    await world.pass(MINUTE / 2);
    await world.start();
    expect(world.condition()?.reason).toBe('Progressing');
    await world.pass(MINUTE / 2);
    expect(world.condition()?.reason).toBe('Degraded');
  });

  it('goes on over a new render: what failed before is Degraded at once', async () => {
    await withWidget('Busy', { ...ALL, deadline: '1m' });
    await world.pass(MINUTE);
    world.attempt({ total: 1, renderRef: OLDER });
    world.entry('a', { renderRef: OLDER });
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Degraded', assessedRenderRef: OLDER });
    expect(world.condition()?.reason).toBe('Degraded');
  });

  it('does not count for what will not recover under failFast', async () => {
    await withWidget('Broken', { ...ALL, deadline: '1h', failFast: true });
    expect(world.condition()?.reason).toBe('Degraded');
  });

  it('counts for what will not recover without failFast', async () => {
    await withWidget('Broken', { ...ALL, deadline: '1m' });
    expect(world.entries()[0]).toMatchObject({ state: 'Progressing', reason: 'Failed' });
    await world.pass(MINUTE);
    expect(world.condition()?.reason).toBe('Degraded');
  });

  it('of an object comes before that of the Release', async () => {
    begin().widget('a', 'Busy');
    world.release({ ...ALL, deadline: '1h' }, [widgetEntry('a', { deadline: '10s' })]);
    await world.start();
    await world.pass(10_000);
    expect(world.condition()?.reason).toBe('Degraded');
  });
});

describe('objects that count less', () => {
  it('what is to be pruned and hooks are in no count; ignored ones are in the summary alone', async () => {
    begin();
    for (const name of ['a', 'old', 'ignored']) world.widget(name, name === 'a' ? 'Done' : 'Busy');
    world.release(ALL, [
      widgetEntry('a'),
      widgetEntry('old', { prune: true, renderRef: OLDER }),
      widgetEntry('ignored', { ignoreHealth: true }),
    ]);
    await world.start();
    expect(world.healthy()).toBe('True Healthy: 1 resources healthy');
    expect(world.summary()).toMatchObject({ total: 2, healthy: 1, progressing: 1 });
    expect(world.entries()[1]?.state).toBeUndefined();
  });
});

describe('rule sets', () => {
  it('of both kinds together: all rules must hold', async () => {
    begin().ruleSet([{ ...WIDGET_RULE, name: 'small', healthy: 'spec.size < 1', message: '"too large"' }], {
      namespace: 'default',
    });
    world.widget('a', 'Done');
    world.release({ ...ALL, localRuleSetSelector: {} }, [widgetEntry('a')]);
    world.release(ALL, [widgetEntry('a')], { name: 'other' });
    await world.start();
    expect(world.healthy()).toContain('Widget default/a: too large');
    expect(world.condition('other')?.status).toBe('True');
  });

  it('that come, change and go are used at once', async () => {
    await withWidget('Done');
    world.ruleSet([{ ...WIDGET_RULE, name: 'never', healthy: 'false', message: '"no"' }], { name: 'later' });
    await world.pass(100);
    expect(world.healthy()).toContain('Widget default/a: no');
    expect(world.entries()[0]?.message).toBe('no');
  });
});

describe('an object that says nothing', () => {
  const rule = (healthy: string) => [{ ...WIDGET_RULE, name: 'odd', healthy }];

  it.each([
    ['a rule cannot be evaluated', 'status.missing == 1', 'RuleError', /^rule odd#odd: .*missing/],
    ['a rule gives no bool', 'status.phase', 'RuleError', /^rule odd#odd: healthy gives no bool/],
    [
      'a rule costs too much',
      '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, [1,2,3,4,5,6,7,8,9,10].all(g, a+b+c+d+e+f+g > 0)))))))',
      'CostLimitExceeded',
      /^rule odd#odd: over the cost limit/,
    ],
  ])('%s: it is Unknown, the others are not', async (_situation, healthy, reason, message) => {
    world = new ObserverWorld();
    world.ruleSet(rule(healthy), { name: 'odd' });
    world.widget('a', 'Done');
    world.release(ALL, [widgetEntry('a'), widgetEntry('b', { kind: 'ConfigMap', group: '', resource: 'configmaps' })]);
    await world.start();
    expect(world.entries()[0]).toMatchObject({ state: 'Unknown', reason, message: expect.stringMatching(message) });
    expect(world.entries()[1]?.state).toBe('Healthy');
    expect(world.condition()).toMatchObject({ status: 'Unknown', reason: 'Unknown' });
    expect(world.counted).toEqual([`convoy_rule_errors_total odd odd ${reason}`]);
  });

  it('is not on the cluster', async () => {
    begin().widget('b', 'Done');
    world.release(ALL, [widgetEntry('a', { uid: 'gone' }), widgetEntry('b')]);
    await world.start();
    expect(world.healthy()).toBe('Unknown Unknown: 1 of 2 resources Unknown: Widget default/a: not on the cluster');
    expect(world.entries()[0]).toMatchObject({ state: 'Unknown', reason: 'NotFound' });
    expect(world.entries()[1]?.state).toBe('Healthy');
  });

  it('is of a kind that the cluster does not serve', async () => {
    begin().ruleSet([{ ...WIDGET_RULE, resources: ['gadgets'] }], { name: 'gadgets' });
    world.release(ALL, [widgetEntry('a', { kind: 'Gadget', resource: 'gadgets', uid: 'x' })]);
    await world.start();
    expect(world.entries()[0]).toMatchObject({
      reason: 'KindNotServed',
      message: 'the cluster serves no gadgets of example.test/v1',
    });
  });

  it('a short read error neither starts nor ends the deadline', async () => {
    await withWidget('Busy', { ...ALL, deadline: '1m' });
    const since = world.entries()[0]?.firstUnhealthy;
    world.remove('Widget', 'example.test', 'a');
    await world.settle();
    await world.pass(100);
    expect(world.entries()[0]).toMatchObject({ state: 'Unknown', reason: 'NotFound', firstUnhealthy: since });
    world.widget('a', 'Busy');
    await world.pass(MINUTE);
    expect(world.entries()[0]).toMatchObject({ state: 'Degraded', firstUnhealthy: since });
  });
});
