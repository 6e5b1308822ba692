import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SimulatedWorld, simulatedWorld } from './simulation.fixture.ts';

let world: SimulatedWorld;
beforeEach(() => {
  world = simulatedWorld();
});
afterEach(() => world.stop());

const MINUTE = 60_000;

function cron(spec: Record<string, unknown> = {}, image = 'app:1'): void {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image }] } };
  const jobTemplate = { metadata: { labels: { of: 'cron' } }, spec: { template, backoffLimit: 0 } };
  const kind = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' } };
  world.create({ ...kind, spec: { schedule: '* * * * *', jobTemplate, ...spec } });
}

const jobs = (): string[] =>
  world
    .list('Job')
    .map(({ metadata }) => metadata.name)
    .sort();
const status = (): Record<string, unknown> => (world.get('CronJob', 'c')?.['status'] ?? {}) as Record<string, unknown>;
const reasons = (): unknown[] => world.list('Event').map((event) => event['reason']);
/** The clock of these worlds stands at the start of 2026 at first. */
const named = (minute: number): string => `c-${Math.floor(Date.UTC(2026, 0, 1) / MINUTE) + minute}`;

describe('a CronJob', () => {
  it('makes a Job when it is due, and tells of it', async () => {
    cron();
    await world.pass(59_000);
    expect(jobs()).toEqual([]);
    await world.pass(1_200);
    expect(jobs()).toEqual([named(1)]);
    expect(world.get('Job', named(1))?.metadata).toMatchObject({
      labels: { of: 'cron' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'c', controller: true }],
    });
    expect(status()).toMatchObject({
      lastScheduleTime: '2026-01-01T00:01:00Z',
      active: [{ kind: 'Job', name: named(1), namespace: 'default' }],
    });
    await world.pass(5_000);
    expect(status()).not.toHaveProperty('active');
    expect(status()).toHaveProperty('lastSuccessfulTime');
    expect(reasons()).toEqual(expect.arrayContaining(['SuccessfulCreate', 'SawCompletedJob']));
  });

  it('keeps the newest Jobs that have ended, and no more', async () => {
    cron({ successfulJobsHistoryLimit: 2 });
    await world.pass(4 * MINUTE + 10_000);
    expect(jobs()).toEqual([named(3), named(4)]);
  });

  it('keeps one that failed, by default', async () => {
    cron({}, 'app:broken');
    await world.pass(3 * MINUTE + 20_000);
    expect(jobs()).toEqual([named(3)]);
    expect(status()).not.toHaveProperty('lastSuccessfulTime');
  });

  it('that is suspended makes none, and goes on with what is due last', async () => {
    cron({ suspend: true });
    await world.pass(3 * MINUTE);
    expect(jobs()).toEqual([]);
    world.change('CronJob', 'c', (draft) => Object.assign(draft['spec'] as object, { suspend: false }));
    await world.pass(500);
    expect(jobs()).toEqual([named(3)]);
  });

  it('lets what is late by more than its deadline be', async () => {
    cron({ suspend: true, startingDeadlineSeconds: 20 });
    await world.pass(3 * MINUTE + 30_000);
    world.change('CronJob', 'c', (draft) => Object.assign(draft['spec'] as object, { suspend: false }));
    await world.pass(500);
    expect(jobs()).toEqual([]);
  });

  it.each([
    ['Allow', [1, 2]],
    ['Forbid', [1]],
    ['Replace', [2]],
  ])('with the policy %s for a Job that is still running has these', async (concurrencyPolicy, expected) => {
    cron({ concurrencyPolicy }, 'app:never-ready');
    await world.pass(2 * MINUTE + 5_000);
    expect(jobs()).toEqual(expected.map(named));
  });

  it('with a schedule, a zone or a restart policy that is none is refused', () => {
    expect(() => cron({ schedule: 'often' })).toThrow(
      'spec.schedule: Invalid value: "often": expected exactly 5 fields',
    );
    expect(() => cron({ timeZone: 'Mars/Olympus' })).toThrow('spec.timeZone: Invalid value: "Mars/Olympus"');
    const template = { spec: { containers: [{ name: 'a', image: 'a' }] } };
    expect(() => cron({ jobTemplate: { spec: { template } } })).toThrow(
      'spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: "Always"',
    );
  });

  it('catches up with one Job, the last that is due, however many it missed', async () => {
    cron({ schedule: '*/10 * * * *', suspend: true });
    const resource = world.api.registry.byKind('batch/v1', 'CronJob');
    if (resource === undefined) throw new Error('CronJob is not served');
    const status = { lastScheduleTime: '2025-01-01T00:00:00Z' };
    const by = { manager: 'test', subresource: 'status' };
    world.api.change(resource, 'default', 'c', (draft) => ({ ...draft, status }), by);
    await world.pass(5 * MINUTE);
    world.change('CronJob', 'c', (draft) => Object.assign(draft['spec'] as object, { suspend: false }));
    await world.pass(500);
    expect(jobs()).toEqual([named(0)]);
    expect(reasons()).toContain('TooManyMissedTimes');
  });
});
