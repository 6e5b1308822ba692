import { describe, expect, it } from 'vitest';
import { cannotAssess, healthyCondition, summaryOf } from './healthy-condition.ts';
import { assessed, entry, OLDER, release } from './release.fixture.ts';

const attempted = (total: number, more: object = {}) => {
  const { lastAttempted } = release({}, {}, total).status;
  if (lastAttempted === undefined) throw new Error('the fixture was attempted');
  return { ...lastAttempted, ...more };
};

function told(total: number, entries: Parameters<typeof healthyCondition>[1], more: object = {}): string {
  const { status, reason, message } = healthyCondition(attempted(total, more), entries);
  return `${status} ${reason}: ${message}`;
}

describe('waiting for a render', () => {
  it('that was never attempted', () => {
    expect(healthyCondition(undefined, [])).toEqual({
      status: 'Unknown',
      reason: 'Pending',
      message: 'waiting for the first render',
    });
  });

  it('whose inventory is not there yet', () => {
    expect(told(3, [])).toBe('Unknown Pending: waiting for render sha256:0123456789ab: 0 of 3 resources applied');
  });

  it('of which an entry still has the render before, even a degraded one', () => {
    const entries = [assessed('a', 'Healthy'), assessed('b', 'Degraded', { renderRef: OLDER })];
    expect(told(2, entries)).toBe('Unknown Pending: waiting for render sha256:0123456789ab: 1 of 2 resources applied');
  });

  it('of which not all pages have been seen', () => {
    expect(told(3, [assessed('a', 'Healthy')])).toContain('Unknown Pending: ');
  });

  it('that holds at a wave', () => {
    const { renderRef: _none, ...planned } = entry('c', { wave: 2 });
    const entries = [assessed('a', 'Healthy'), assessed('b', 'Progressing', { wave: 1 }), planned];
    expect(told(3, entries, { wave: 1 })).toBe(
      'Unknown Pending: waiting for render sha256:0123456789ab: 2 of 3 resources applied, held at wave 1',
    );
    expect(told(3, entries, { wave: 2 })).not.toContain('held');
    expect(told(3, entries, { wave: 1, outcome: 'WaveTimedOut' })).not.toContain('held');
  });

  it('hooks and what is to be pruned do not count', () => {
    const hook = entry('hook', { hook: 'postSync', renderRef: OLDER });
    const old = entry('old', { prune: true, renderRef: OLDER });
    expect(told(1, [assessed('a', 'Healthy'), hook, old])).toBe('True Healthy: 1 resources healthy');
  });
});

describe('the worst state', () => {
  it('none of them is worse than healthy', () => {
    expect(told(2, [assessed('a', 'Healthy'), assessed('b', 'Healthy')])).toBe('True Healthy: 2 resources healthy');
  });

  it('a render without objects is healthy', () => {
    expect(told(0, [])).toBe('True Healthy: 0 resources healthy');
  });

  it.each([
    ['Degraded', 'False'],
    ['Unknown', 'Unknown'],
    ['Progressing', 'False'],
  ] as const)('%s gives the status %s', (state, status) => {
    const bad = assessed('bad', state, { message: '0/1 replicas ready' });
    expect(told(2, [assessed('a', 'Healthy'), bad])).toBe(
      `${status} ${state}: 1 of 2 resources ${state}: Widget apps/bad: 0/1 replicas ready`,
    );
  });

  it('Degraded comes before Unknown, Unknown before Progressing', () => {
    const [degraded, unknown, progressing] = [
      assessed('d', 'Degraded'),
      assessed('u', 'Unknown'),
      assessed('p', 'Progressing'),
    ];
    expect(told(3, [progressing, unknown, degraded])).toMatch(
      /^False Degraded: 1 of 3 resources Degraded: Widget apps\/d/,
    );
    expect(told(2, [progressing, unknown])).toMatch(/^Unknown Unknown: 1 of 2 resources Unknown: Widget apps\/u/);
  });

  it('three are named, the others counted; cluster-scoped ones without a namespace, silent ones with their reason', () => {
    const entries = ['a', 'b', 'c', 'd', 'e'].map((name) => assessed(name, 'Degraded', { namespace: '' }));
    expect(told(5, entries)).toBe(
      'False Degraded: 5 of 5 resources Degraded: Widget a: Tested; Widget b: Tested; Widget c: Tested; and 2 more',
    );
  });

  it('objects whose health is to be ignored are applied like others and count for nothing else', () => {
    const ignored = assessed('i', 'Degraded', { ignoreHealth: true });
    expect(told(2, [assessed('a', 'Healthy'), ignored])).toBe('True Healthy: 1 resources healthy');
    expect(told(2, [assessed('a', 'Healthy'), { ...ignored, renderRef: OLDER }])).toContain('Pending');
  });

  it('long messages share 1,024 characters, cut between characters', () => {
    const entries = ['a', 'b', 'c', 'd'].map((name) => assessed(name, 'Degraded', { message: '🚚'.repeat(500) }));
    const { message } = healthyCondition(attempted(4), entries);
    expect([...message].length).toBeLessThanOrEqual(1024);
    expect(message).toMatch(/^4 of 4 .*🚚…; Widget apps\/b: 🚚+…; Widget apps\/c: 🚚+…; and 1 more$/u);
  });
});

describe('a Release that cannot be assessed', () => {
  it('says why, on one line', () => {
    expect(cannotAssess({ reason: 'InvalidRule', message: 'rule set x, rule y:\n  no such field' })).toEqual({
      status: 'Unknown',
      reason: 'InvalidRule',
      message: 'rule set x, rule y: no such field',
    });
  });
});

describe('the summary', () => {
  it('counts each state, what is not yet assessed as unknown, and hooks not at all', () => {
    const entries = [
      assessed('a', 'Healthy'),
      assessed('b', 'Progressing'),
      assessed('c', 'Degraded', { ignoreHealth: true }),
      assessed('d', 'Unknown'),
      entry('e'),
      assessed('f', 'Healthy', { hook: 'preSync' }),
      assessed('g', 'Healthy', { prune: true }),
    ];
    expect(summaryOf(entries)).toEqual({ total: 5, healthy: 1, progressing: 1, degraded: 1, unknown: 2 });
  });
});
