import { afterEach, describe, expect, it } from 'vitest';
import { ObserverWorld, OLDER, RENDER, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const MINUTE = 60_000;

let world: ObserverWorld;
/** A world with one rule about Widgets, which every test starts itself. */
function begin(): ObserverWorld {
  world = new ObserverWorld();
  world.ruleSet([WIDGET_RULE]);
  return world;
}
afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

describe('the Healthy condition', () => {
  it('without health assessment says so, with all counts 0', async () => {
    begin().release(undefined as never, [widgetEntry('a')], { spec: {} });
    await world.start();
    expect(world.healthy()).toMatch(/./);
  });

  it('all healthy', async () => {
    begin();
    world.widget('a', 'Done');
    world.widget('b', 'Done');
    world.release({ globalRuleSetSelector: {} }, [widgetEntry('a'), widgetEntry('b')]);
    await world.start();
    expect(world.healthy()).toBe('True Healthy: 2 resources healthy');
    expect(world.summary()).toEqual({ total: 2, healthy: 2, progressing: 0, degraded: 0, unknown: 0 });
    expect(world.entries()[0]).toMatchObject({ state: 'Healthy', reason: 'AllRulesPass', assessedRenderRef: RENDER });
    expect(world.syncs).toEqual(['default/shop Observed']);
  });

  it('a deadline passes with no event: Degraded at the deadline', async () => {
    begin();
    world.widget('a', 'Busy');
    world.release({ globalRuleSetSelector: {}, deadline: '1m' }, [widgetEntry('a')]);
    await world.start();
    expect(world.healthy()).toBe('False Progressing: 1 of 1 resources Progressing: Widget default/a: is Busy');
    await world.pass(MINUTE - 1);
    expect(world.condition()?.reason).toBe('Progressing');
    await world.pass(1);
    expect(world.healthy()).toBe('False Degraded: 1 of 1 resources Degraded: Widget default/a: is Busy');
  });

  it('waits for a render', async () => {
    begin();
    world.widget('a', 'Done');
    world.release({ globalRuleSetSelector: {} }, [widgetEntry('a', { renderRef: OLDER })]);
    await world.start();
    expect(world.healthy()).toBe('Unknown Pending: waiting for render sha256:0123456789ab: 0 of 1 resources applied');
  });
});
