import { describe, expect, it } from 'vitest';
import { lintStatus, lintStatusChange, STATUS_LAWS } from './status-lint.ts';

const TIME = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:00:05Z';

function condition(type: string, status: string, more: Readonly<Record<string, unknown>> = {}) {
  return { type, status, reason: 'Succeeded', message: '', lastTransitionTime: TIME, observedGeneration: 2, ...more };
}

function release(status: Readonly<Record<string, unknown>>) {
  return { metadata: { generation: 2 }, spec: { historyLimit: 2 }, status };
}

const row = (renderRef: string, appliedAt = TIME) => ({ renderRef, appliedAt, revision: 'r', outcome: 'Succeeded' });

describe('a status that is in order', () => {
  it('breaks no law', () => {
    const status = {
      observedGeneration: 2,
      conditions: [condition('Ready', 'True'), condition('Healthy', 'Unknown')],
      healthSummary: { total: 3, healthy: 1, progressing: 1, degraded: 0, unknown: 1 },
      lastAttempted: { renderRef: 'a', phase: 'Done', outcome: 'Succeeded' },
      history: [row('a', LATER), row('b')],
    };
    expect(lintStatus(release(status), ['hunter2-secret', 'a'])).toEqual([]);
    expect(lintStatus(release({}))).toEqual([]);
  });
});

describe('a status that breaks a law', () => {
  it.each<[number, Readonly<Record<string, unknown>>]>([
    [1, { conditions: [condition('Ready', 'True'), condition('Ready', 'True')] }],
    [2, { conditions: [condition('Ready', 'true')] }],
    [3, { conditions: [condition('Ready', 'True', { reason: 'not one word' })] }],
    [4, { conditions: [condition('Ready', 'True', { lastTransitionTime: 'yesterday' })] }],
    [5, { conditions: [condition('Reconciling', 'False')] }],
    [5, { conditions: [condition('Stalled', 'Unknown')] }],
    [6, { conditions: [condition('Ready', 'True'), condition('Stalled', 'True')] }],
    [6, { conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')] }],
    [7, { observedGeneration: 3 }],
    [7, { conditions: [condition('Healthy', 'True', { observedGeneration: 3 })] }],
    [8, { conditions: [condition('Healthy', 'True', { message: 'x'.repeat(1025) })] }],
    [8, { conditions: [condition('Ready', 'True', { message: 'x'.repeat(4097) })] }],
    [9, { healthSummary: { total: 2, healthy: 1, progressing: 0, degraded: 0, unknown: 0 } }],
    [9, { healthSummary: { total: 0, healthy: 0, progressing: 0, degraded: 0, unknown: 0, suspended: 0 } }],
    [10, { history: [row('a'), row('b'), row('c')] }],
    [10, { history: [row('a'), row('b', LATER)] }],
    [11, { lastAttempted: { renderRef: 'a', phase: 'Waves', outcome: 'Succeeded' }, history: [row('a')] }],
    [11, { lastAttempted: { renderRef: 'a', phase: 'Waves', outcome: 'ApplyFailed' } }],
    [12, { hooks: [{ message: 'password hunter2-secret' }] }],
    [13, { conditions: [condition('Ready', 'False', { reason: 'RolledBack' })] }],
  ])('law %i', (law, status) => {
    const found = lintStatus(release(status), ['hunter2-secret']);
    expect(found.map((fault) => fault.law)).toEqual([law]);
    expect(STATUS_LAWS[law]).toBeTruthy();
  });
});

describe('a step from one status to the next', () => {
  const before = release({
    observedGeneration: 2,
    conditions: [condition('Ready', 'True', { lastTransitionTime: LATER })],
  });

  it.each<[string, readonly number[], Readonly<Record<string, unknown>>]>([
    [
      'nothing changes',
      [],
      { observedGeneration: 2, conditions: [condition('Ready', 'True', { lastTransitionTime: LATER })] },
    ],
    [
      'the status moves within a second',
      [],
      { observedGeneration: 2, conditions: [condition('Ready', 'False', { lastTransitionTime: LATER })] },
    ],
    [
      'the time moves alone',
      [20],
      {
        observedGeneration: 2,
        conditions: [condition('Ready', 'True', { lastTransitionTime: '2026-01-01T00:00:09Z' })],
      },
    ],
    ['the time goes back', [22], { observedGeneration: 2, conditions: [condition('Ready', 'False')] }],
    ['the generation goes back', [21], { observedGeneration: 1, conditions: [] }],
  ])('%s', (_, laws, status) => {
    expect(lintStatusChange(before, release(status)).map((fault) => fault.law)).toEqual(laws);
  });
});
