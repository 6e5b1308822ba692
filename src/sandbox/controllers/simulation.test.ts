import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { emptyApi } from '../api/object-api.fixture.ts';
import { startControllers } from './start-controllers.ts';

it('a clock whose timers go off a little early keeps no pod waiting for ever', async () => {
  const inner = new FakeClock(1);
  const clock = {
    now: () => inner.now(),
    random: () => inner.random(),
    sleep: (ms: number, signal?: AbortSignal) => inner.sleep(ms > 1 ? ms - 1 : ms, signal),
  };
  const { api, resource } = emptyApi(undefined, () => inner.now());
  const controllers = startControllers(api, { clock, nodes: 1 });
  const pods = resource('v1', 'Pod');
  const spec = { containers: [{ name: 'app', image: 'app:1' }] };
  api.create(pods, 'default', { metadata: { name: 'x' }, spec }, { manager: 'test' });
  controllers.settle();
  await inner.advance(2_000);
  controllers.settle();
  expect(api.get(pods, 'default', 'x')['status']).toMatchObject({ phase: 'Running' });
  controllers.stop();
});
