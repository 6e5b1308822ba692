import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployment, RunningReleases } from './release-world.ts';

const SECOND = 1_000;

let world: RunningReleases;
beforeEach(async () => {
  world = new RunningReleases();
  await world.start();
});
afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const assessment = (more: object) => ({
  healthAssessment: { globalRuleSetSelector: { matchLabels: { 'convoy.kumodo.io/default': 'true' } }, ...more },
});
function source(objects: readonly object[]): void {
  world.change('Release', 'shop', (draft) => {
    (draft['spec'] as { source: unknown }).source = { inline: { objects } };
  });
}
const ready = (): string => world.conditions()['Ready'] ?? '-';
const healthy = (): string => world.conditions()['Healthy'] ?? '-';

describe('controller and observer together', () => {
  it('a Release becomes ready when what it applied works, and lastHealthy says so', async () => {
    world.release('shop', [
      deployment('web', 'web:1'),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
    ]);
    await world.until('ready', () => ready().startsWith('True'));
    expect(healthy()).toBe('True Healthy: 2 resources healthy');
    const { lastHealthy, lastAttempted, healthSummary } = world.status() as Record<string, Record<string, unknown>>;
    expect(lastHealthy?.['renderRef']).toBe(lastAttempted?.['renderRef']);
    expect(healthSummary).toEqual({ total: 2, healthy: 2, progressing: 0, degraded: 0, unknown: 0 });
  });

  it('a bad image ends Degraded at its deadline, with the reason of the pod in the message', async () => {
    world.release('shop', [deployment('web', 'web:missing')], assessment({ deadline: '30s' }));
    await world.until('failing', () => healthy().startsWith('False Progressing'));
    const began = world.clock.now();
    await world.until('the reason', () => healthy().includes('ImagePullBackOff'));
    await world.until('Degraded', () => healthy().startsWith('False Degraded'));
    expect(world.clock.now() - began).toBeLessThanOrEqual(30 * SECOND);
    expect(healthy()).toMatch(
      /^False Degraded: 1 of 1 resources Degraded: Deployment default\/web: 0\/1 replicas ready.*: pod web-\S+ ImagePullBackOff: /,
    );
    expect(world.events.some((event) => event.startsWith('Warning Degraded: 1 of 1 resources Degraded'))).toBe(true);
  });

  it('the next wave waits for the first, and Healthy stays Pending meanwhile', async () => {
    const wave = (number: string) => ({ 'convoy.kumodo.io/sync-wave': number });
    world.release('shop', [
      deployment('first', 'web:never-ready', wave('0')),
      deployment('second', 'web:1', wave('1')),
    ]);
    await world.until('the hold', () => healthy().includes('held at wave 0'));
    expect(world.get('Deployment', 'second')).toBeUndefined();
    source([deployment('first', 'web:1', wave('0')), deployment('second', 'web:1', wave('1'))]);
    await world.until('ready', () => ready().startsWith('True'));
    expect(healthy()).toBe('True Healthy: 2 resources healthy');
  });

  it('a preSync Job ends before anything is applied, a postSync hook runs after all is healthy', async () => {
    const job = (name: string, annotations: object) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: 'default', annotations },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x:1' }] } } },
    });
    const seen: string[] = [];
    world.api.store.subscribe(({ type, object }) => {
      if (type === 'ADDED' && ['Job', 'Deployment'].includes(object.kind)) seen.push(object.metadata.name);
    });
    world.release('shop', [
      job('before', { 'convoy.kumodo.io/hook': 'preSync' }),
      deployment('web', 'web:slow'),
      job('behind', { 'convoy.kumodo.io/hook': 'postSync', 'convoy.kumodo.io/hook-run-after': 'Healthy' }),
    ]);
    await world.until('applied', () => world.get('Deployment', 'web') !== undefined);
    expect(seen).toEqual(['before', 'web']);
    await world.until('ready', () => ready().startsWith('True'));
    expect(seen).toEqual(['before', 'web', 'behind']);
    const { hooks } = world.status() as { hooks: { name: string; state: string }[] };
    expect(hooks.map(({ state }) => state)).toEqual(['Succeeded', 'Succeeded']);
  });

  it('a later loss of health moves Healthy, not Ready', async () => {
    world.release('shop', [deployment('web', 'web:1', { 'sandbox.convoy.kumodo.io/scenario': 'flap' })]);
    await world.until('ready', () => ready().startsWith('True'));
    await world.until('a loss', () => healthy().startsWith('False Progressing'));
    expect(ready()).toMatch(/^True/);
    await world.until('a return', () => healthy().startsWith('True'));
  });

  it('the fix of a Degraded object gets its time at the gate, and passes it', async () => {
    const wave = (number: string) => ({ 'convoy.kumodo.io/sync-wave': number });
    const objects = (image: string) => [
      deployment('first', image, wave('0')),
      deployment('second', 'web:1', wave('1')),
    ];
    world.release('shop', objects('web:missing'), assessment({ deadline: '20s' }));
    await world.until('the failed gate', () => ready().startsWith('False WaveDegraded'));
    expect(ready()).toContain('Deployment default/first');
    expect(world.get('Deployment', 'second')).toBeUndefined();
    source(objects('web:slow'));
    await world.until('ready', () => ready().startsWith('True'));
    expect(healthy()).toBe('True Healthy: 2 resources healthy');
  });

  it('failFast: what will not recover is Degraded at once, without it at the deadline', async () => {
    const impatient = (name: string) => {
      const { spec, ...rest } = deployment(name, 'web:missing');
      return { ...rest, spec: { ...spec, progressDeadlineSeconds: 5 } };
    };
    world.release('shop', [impatient('web')], assessment({ deadline: '1h', failFast: true }));
    world.release('slow', [impatient('other')], assessment({ deadline: '1h' }));
    await world.until('Degraded', () => healthy().startsWith('False Degraded'));
    await world.pass(20 * SECOND);
    expect(world.conditions('slow')['Healthy']).toMatch(/^False Progressing/);
  });

  it('an object that the next render has no more does not hold up what waits for health', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old', namespace: 'default' } };
    world.release('shop', [deployment('web', 'web:1'), config]);
    await world.until('ready', () => ready().startsWith('True'));
    const annotations = { 'convoy.kumodo.io/hook': 'postSync', 'convoy.kumodo.io/hook-run-after': 'Healthy' };
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x:1' }] } } };
    const hook = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'behind', namespace: 'default', annotations },
      spec,
    };
    source([deployment('web', 'web:1'), hook]);
    await world.until('the hook', () => world.get('Job', 'behind') !== undefined);
    await world.until('the end', () => world.get('ConfigMap', 'old') === undefined && ready().startsWith('True'));
    expect(healthy()).toBe('True Healthy: 1 resources healthy');
  });

  it('drift is told beside health, and neither takes the other away', async () => {
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
      data: { a: '1' },
    };
    world.release('shop', [deployment('web', 'web:1'), config], {
      ...assessment({}),
      syncPolicy: { drift: { mode: 'Warn' } },
    });
    await world.until('ready', () => ready().startsWith('True'));
    await world.until('a comparison', () => world.conditions()['Drifted']?.startsWith('False') === true);
    world.change('ConfigMap', 'c', (draft) => {
      draft['data'] = { a: '2' };
    });
    await world.until('drift', () => world.conditions()['Drifted']?.startsWith('True') === true);
    expect(healthy()).toBe('True Healthy: 2 resources healthy');
    world.change('Deployment', 'web', (draft) => {
      draft.metadata.annotations = { 'sandbox.convoy.kumodo.io/scenario': 'never-ready' };
      (draft['spec'] as { replicas: number }).replicas = 2;
    });
    await world.until('a loss', () => healthy().startsWith('False'));
    expect(world.conditions()['Drifted']).toMatch(/^True/);
  });
});
