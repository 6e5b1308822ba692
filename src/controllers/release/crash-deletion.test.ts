import { expect, it } from 'vitest';
import { survivesEveryKill } from './crash.fixture.ts';
import { configMap, job } from './release-world.fixture.ts';

it('a process that is killed during a deletion with hooks goes on where it was', async () => {
  const objects = [configMap('a', { v: '1' }), configMap('b', { v: '1' }, { 'sync-wave': '1' })];
  const hooks = [job('x', { hook: 'preDelete' }), job('y', { hook: 'postDelete' })];
  const writes = await survivesEveryKill([
    (world) => world.release([...objects, ...hooks]),
    (world) => world.deleteRelease(),
  ]);
  expect(writes).toBeGreaterThan(20);
});
