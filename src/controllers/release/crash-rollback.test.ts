import { expect, it } from 'vitest';
import { survivesEveryKill } from './crash.fixture.ts';
import { configMap } from './release-world.fixture.ts';

const HEALTH = { healthAssessment: { globalRuleSetSelector: {} } };

it('a process that is killed during a rollback, or at its end, goes on where it was', async () => {
  const writes = await survivesEveryKill([
    (world) => world.release([configMap('a', { v: '1' })], HEALTH),
    (world) => world.release([configMap('a', { v: '2' })], HEALTH),
    (world) => world.annotate({ 'convoy.kumodo.io/rollback-to': world.status.history?.[1]?.renderRef }),
    (world) => world.release([configMap('a', { v: '3' })], HEALTH),
  ]);
  expect(writes).toBeGreaterThan(25);
});
