import { describe, expect, it } from 'vitest';
import { failingSince, objectClock, parseDeadline, remaining } from './deadline.ts';

describe('deadlines as Kubernetes writes them', () => {
  it.each([
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['500ms', 500],
    ['.5s', 500],
    ['1h2m3s', 3_723_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDeadline(text)).toBe(ms);
  });

  it.each(['', 'soon', '5', '-5m', '5 m', '1d', '5mm', 'm'])(
    '"%s" is no duration and the sentence says how to write one',
    (text) => {
      expect(parseDeadline(text)).toEqual({ problem: expect.stringContaining('write it like 90s, 5m or 1h30m') });
    },
  );

  it('zero is refused', () => {
    expect(parseDeadline('0s')).toEqual({ problem: expect.stringContaining('greater than zero') });
  });
});

describe('the clock of a failing object', () => {
  it('starts now when it was never seen failing', () => {
    expect(failingSince({ now: 100 })).toBe(100);
    expect(remaining({ now: 100, deadline: 30 })).toBe(30);
  });

  it('counts a start in the future as now: clocks go backwards', () => {
    expect(failingSince({ now: 100, firstUnhealthy: 900 })).toBe(100);
  });

  it('has no end without a deadline', () => {
    expect(remaining({ now: 100, firstUnhealthy: 0 })).toBeUndefined();
  });

  it('of an object in a file starts at its newest transition, else at its creation', () => {
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const conditions = [
      { type: 'A', lastTransitionTime: '2026-01-01T02:00:00Z' },
      { type: 'B', lastTransitionTime: '2026-01-01T03:00:00Z' },
      { type: 'C', lastTransitionTime: null },
    ];
    expect(objectClock({ metadata, status: { conditions } })).toBe(Date.parse('2026-01-01T03:00:00Z'));
    expect(objectClock({ metadata, status: { conditions: 'none' } })).toBe(Date.parse('2026-01-01T00:00:00Z'));
    expect(objectClock({ metadata: null })).toBeUndefined();
  });
});
