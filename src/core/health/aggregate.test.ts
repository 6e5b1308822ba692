import { expect, it } from 'vitest';
import { aggregate } from './aggregate.ts';
import type { HealthState } from './verdict.ts';

const of = (...states: HealthState[]) => aggregate(states.map((state) => ({ state })));

it('the worst state is that of the whole: Degraded, Unknown, Progressing, Healthy', () => {
  expect(of('Healthy', 'Progressing').state).toBe('Progressing');
  expect(of('Progressing', 'Unknown', 'Healthy').state).toBe('Unknown');
  expect(of('Unknown', 'Degraded').state).toBe('Degraded');
});

it('nothing to judge is healthy', () => {
  expect(of()).toEqual({
    state: 'Healthy',
    summary: { total: 0, healthy: 0, progressing: 0, degraded: 0, unknown: 0 },
  });
});

it('the total is the sum of the states', () => {
  expect(of('Healthy', 'Healthy', 'Progressing', 'Degraded', 'Unknown').summary).toEqual({
    total: 5,
    healthy: 2,
    progressing: 1,
    degraded: 1,
    unknown: 1,
  });
});
