import { expect, it } from 'vitest';
import { survivesEveryKill } from './crash.fixture.ts';
import { configMap, job } from './release-world.fixture.ts';

const HEALTH = { healthAssessment: { globalRuleSetSelector: {} } };
const hooks = [
  job('before', { hook: 'preSync', 'hook-delete-policy': 'Succeeded' }),
  job('after', { hook: 'postSync', 'hook-run-after': 'Healthy' }),
];
const wave1 = (name: string, v: string) => configMap(name, { v }, { 'sync-wave': '1' });

it('a process that is killed during an install, or an upgrade that prunes, goes on where it was', async () => {
  const writes = await survivesEveryKill([
    (world) => world.release([...hooks, configMap('a', { v: '1' }), wave1('old', '1'), wave1('b', '1')], HEALTH),
    (world) => world.release([...hooks, configMap('a', { v: '2' }), wave1('b', '2')], HEALTH),
  ]);
  expect(writes).toBeGreaterThan(30);
});
