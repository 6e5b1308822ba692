import { describe, expect, it } from 'vitest';
import { type Cadence, nextCadence } from './cadence.ts';

const INTERVAL = 300_000;

/** The waits of looks that each come when they are due. */
function waits(count: number, interval = INTERVAL): number[] {
  let now = 0;
  let cadence: Cadence | undefined;
  return Array.from({ length: count }, () => {
    cadence = nextCadence(cadence, { now, interval, healthy: false, changed: false });
    const wait = cadence.due - now;
    now = cadence.due;
    return wait / 1000;
  });
}

describe('the next look', () => {
  it('at what is not healthy comes after 2, 4, 8, 16, 32 s, then every 32', () => {
    expect(waits(7)).toEqual([2, 4, 8, 16, 32, 32, 32]);
  });

  it('never waits longer than the interval', () => {
    expect(waits(4, 5_000)).toEqual([2, 4, 5, 5]);
  });

  it('at what is healthy comes at the interval, counted from the last that was due', () => {
    const first = nextCadence(undefined, { now: 0, interval: INTERVAL, healthy: true, changed: true });
    expect(first).toEqual({ step: 0, due: INTERVAL });
    expect(nextCadence(first, { now: 7, interval: INTERVAL, healthy: true, changed: false })).toEqual(first);
    expect(nextCadence(first, { now: 7, interval: 1_000, healthy: true, changed: false }).due).toBe(1_007);
  });

  it('is not moved by a look that an event asked for', () => {
    const before = { step: 3, due: 16_000 };
    expect(nextCadence(before, { now: 9_000, interval: INTERVAL, healthy: false, changed: false })).toEqual(before);
  });

  it('comes after 2 s again when the render or a state has changed', () => {
    const before = { step: 3, due: 16_000 };
    expect(nextCadence(before, { now: 9_000, interval: INTERVAL, healthy: false, changed: true })).toEqual({
      step: 0,
      due: 11_000,
    });
  });

  it('does not wait for the interval once it is not healthy any more', () => {
    const before = { step: 0, due: INTERVAL };
    expect(nextCadence(before, { now: 9_000, interval: INTERVAL, healthy: false, changed: false })).toEqual({
      step: 0,
      due: 11_000,
    });
  });
});
