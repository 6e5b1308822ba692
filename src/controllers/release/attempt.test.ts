import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
});
