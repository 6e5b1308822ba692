import { describe, expect, it } from 'vitest';
import { rendersToKeep, withAttempt, withResult } from './history.ts';

const row = (renderRef: string, more: object = {}) => ({
  renderRef,
  revision: `rev ${renderRef}`,
  appliedAt: '2026-01-01T00:00:00Z',
  ...more,
});

describe('the history of a Release', () => {
  it('has the newest render first and ends at its limit', () => {
    expect(withAttempt([row('b'), row('a')], row('c'), 2)).toEqual([row('c'), row('b')]);
  });

  it('has one row for the attempts of one render, the old outcome gone', () => {
    expect(withAttempt([row('b', { outcome: 'ApplyFailed' }), row('a')], row('b'), 9)).toEqual([row('b'), row('a')]);
  });

  it('has a row of its own for a render that comes back', () => {
    expect(withAttempt([row('b'), row('a')], row('a'), 9).map(({ renderRef }) => renderRef)).toEqual(['a', 'b', 'a']);
  });

  it('keeps when a render was healthy first, and tells nothing new as the same list', () => {
    const once = withResult([row('b'), row('a')], 'b', { outcome: 'Succeeded', healthyAt: '2026-01-02T00:00:00Z' });
    expect(once[0]).toEqual(row('b', { outcome: 'Succeeded', healthyAt: '2026-01-02T00:00:00Z' }));
    expect(withResult(once, 'b', { healthyAt: '2026-01-03T00:00:00Z' })).toBe(once);
    expect(withResult(once, 'gone', { outcome: 'Succeeded' })).toBe(once);
  });
});

describe('the renders that are kept', () => {
  const at = (renderRef: string) => ({ renderRef, revision: '', time: '2026-01-01T00:00:00Z' });

  it('are none of a Release that never attempted', () => {
    expect(rendersToKeep({})).toEqual(new Set());
  });

  it('are attempted, applied, healthy, the healthy one before it, and the one that is kept out', () => {
    const healthyAt = '2026-01-01T00:00:00Z';
    const kept = rendersToKeep({
      lastAttempted: { ...at('f'), attempt: 1, total: 1, phase: 'Waves' },
      lastApplied: at('e'),
      lastHealthy: at('c'),
      held: { renderRef: 'f', from: 'g' },
      history: [row('e'), row('d'), row('c', { healthyAt }), row('b', { healthyAt }), row('a', { healthyAt })],
    });
    expect([...kept].sort()).toEqual(['b', 'c', 'e', 'f', 'g']);
  });
});
