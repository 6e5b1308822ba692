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

it('a defect of a controller is told, and the others go on', () => {
  const clock = new FakeClock(1);
  const { api, resource } = emptyApi(undefined, () => clock.now());
  const defects: string[] = [];
  const onDefect = (error: unknown, what: string): void => void defects.push(`${what}: ${String(error)}`);
  const controllers = startControllers(api, { clock, nodes: 1, onDefect });
  const pods = resource('v1', 'Pod');
  const spec = { containers: [{ name: 'app', image: 'app:1' }] };
  const pod = api.create(pods, 'default', { metadata: { name: 'whole' }, spec }, { manager: 'test' });
  // What no validation lets through.
  api.store.put('/pods', { ...pod, metadata: { ...pod.metadata, name: 'half', uid: 'half' }, spec: { containers: 1 } });
  controllers.settle();
  expect(defects).toEqual([expect.stringMatching(/^Kubelet default\/half: TypeError: /)]);
  expect(api.get(pods, 'default', 'whole')['spec']).toMatchObject({ nodeName: 'sandbox-1' });
  controllers.stop();
});
