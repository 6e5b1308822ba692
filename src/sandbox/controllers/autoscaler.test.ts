import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { field } from '../../core/object/fields.ts';
import { LOAD_ANNOTATION } from './autoscale.ts';
import { type SimulatedWorld, simulatedWorld } from './simulation.fixture.ts';

let world: SimulatedWorld;
beforeEach(() => {
  world = simulatedWorld();
});
afterEach(() => world.stop());

function web(load?: string, resources: object = { requests: { cpu: '100m' } }, replicas = 2): void {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1', resources }] } };
  const annotations = load === undefined ? {} : { [LOAD_ANNOTATION]: load };
  world.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', annotations },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

function scaler(spec: Record<string, unknown> = {}): void {
  world.create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5, ...spec },
  });
}

interface Shown {
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: unknown;
  conditions: { type: string; status: string; reason: string; message: string }[];
}

const status = (): Shown => world.get('HorizontalPodAutoscaler', 'web')?.['status'] as unknown as Shown;
const conditions = (): string[] => status().conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
const replicas = (): unknown => field(world.get('Deployment', 'web')?.['spec'], 'replicas');
const setLoad = (load: string): void =>
  world.change('Deployment', 'web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [LOAD_ANNOTATION]: load };
  });

describe('an autoscaler', () => {
  it('leaves pods that are as busy as it wants them', async () => {
    web();
    scaler();
    await world.pass(40_000);
    expect([replicas(), status().currentReplicas, status().desiredReplicas]).toEqual([2, 2, 2]);
    expect(conditions()).toEqual([
      'AbleToScale=True ReadyForNewScale',
      'ScalingActive=True ValidMetricFound',
      'ScalingLimited=False DesiredWithinRange',
    ]);
    expect(status().currentMetrics).toMatchObject([{ resource: { name: 'cpu', current: { averageUtilization: 80 } } }]);
  });

  it('adds pods until the load is shared, and tells why', async () => {
    web('320');
    scaler();
    await world.pass(60_000);
    expect([replicas(), status().currentReplicas]).toEqual([4, 4]);
    const rescaled = world.list('Event').filter(({ reason }) => reason === 'SuccessfulRescale');
    expect(rescaled.map(({ message }) => message)).toEqual([
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    ]);
  });

  it('stays within its bounds, and says so', async () => {
    web('900');
    scaler();
    await world.pass(60_000);
    expect(replicas()).toBe(5);
    expect(conditions()).toContain('ScalingLimited=True TooManyReplicas');
  });

  it('takes pods away only when it has been calm for a while', async () => {
    web('320');
    scaler({ minReplicas: 1 });
    await world.pass(60_000);
    setLoad('40');
    await world.pass(60_000);
    expect(replicas()).toBe(4);
    expect(conditions()).toContain('AbleToScale=True ScaleDownStabilized');
    await world.pass(300_000);
    expect(replicas()).toBe(1);
  });

  it('takes them away at once where its behaviour says so', async () => {
    web('0');
    scaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    await world.pass(40_000);
    expect(replicas()).toBe(1);
    expect(conditions()).toContain('ScalingLimited=True TooFewReplicas');
  });

  it('says which container requests nothing', async () => {
    web('320', {});
    scaler();
    await world.pass(40_000);
    expect(replicas()).toBe(2);
    const [, active] = status().conditions;
    expect(active).toMatchObject({ status: 'False', reason: 'FailedGetResourceMetric' });
    expect(active?.message).toMatch(
      /failed to get cpu utilization: missing request for cpu in container app of Pod web-/,
    );
  });

  it('of nothing, of what has no scale, and of what is switched off says so', async () => {
    scaler();
    await world.pass(500);
    expect(conditions()).toEqual(['AbleToScale=False FailedGetScale']);
    web('1', {}, 0);
    await world.pass(16_000);
    expect(conditions()).toContain('ScalingActive=False ScalingDisabled');
  });
});
