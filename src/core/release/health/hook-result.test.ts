import { describe, expect, it } from 'vitest';
import type { InventoryEntry } from '../../api/index.ts';
import { compileRuleSets } from '../../health/index.ts';
import { widgetRules } from '../../health/widget-rules.fixture.ts';
import { hookResult, isComplete, isRunningHook, showsEnd } from './hook-result.ts';
import type { Look } from './look.ts';
import { assessed, entry, NOW } from './release.fixture.ts';

const job = entry('migrate', { group: 'batch', kind: 'Job', resource: 'jobs', hook: 'preSync' });
const pod = entry('check', { group: '', kind: 'Pod', resource: 'pods', hook: 'postSync' });
const widget = entry('w', { hook: 'postSync' });

function told(hook: InventoryEntry, look: Look | undefined, rules = compileRuleSets([])): string {
  const { verdict } = hookResult({ entry: hook, look }, { rules, now: NOW, failFast: false });
  return `${verdict.state} ${verdict.reason}${verdict.message === '' ? '' : `: ${verdict.message}`}`;
}

const live = (hook: InventoryEntry, status: object): Look => ({
  object: {
    apiVersion: `${hook.group === '' ? '' : `${hook.group}/`}${hook.version}`,
    kind: hook.kind,
    metadata: { name: hook.name, uid: hook.uid },
    status,
  },
});
const condition = (type: string, more: object = {}) => ({ conditions: [{ type, status: 'True', ...more }] });

describe('a hook that is a Job', () => {
  it.each([
    ['runs', {}, 'Progressing Running'],
    ['only meets the condition of its success so far', condition('SuccessCriteriaMet'), 'Progressing Running'],
    ['is complete', condition('Complete'), 'Healthy Complete'],
    [
      'failed',
      condition('Failed', { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }),
      'Degraded Failed: BackoffLimitExceeded: Job has reached the specified backoff limit',
    ],
  ])('%s', (_situation, status, expected) => {
    expect(told(job, live(job, status))).toBe(expected);
  });

  it('is gone before anybody saw its end, or another one has its name', () => {
    const gone = 'Degraded HookDisappeared: Job migrate is gone and nobody saw how it ended';
    expect(told(job, { fault: 'NotFound', message: 'not there' })).toBe(gone);
    expect(told(job, live({ ...job, uid: 'another' }, condition('Complete')))).toBe(gone);
  });

  it('cannot be read: that is no failure', () => {
    expect(told(job, { fault: 'Forbidden', message: 'may not get jobs' })).toBe('Unknown Forbidden: may not get jobs');
  });
});

describe('a hook that is a Pod', () => {
  it.each([
    [{ phase: 'Pending' }, 'Progressing Running'],
    [{ phase: 'Running' }, 'Progressing Running'],
    [{ phase: 'Succeeded' }, 'Healthy Complete'],
    [{ phase: 'Failed', reason: 'Evicted' }, 'Degraded Failed: Evicted'],
    [{ phase: 'Failed' }, 'Degraded Failed: the Pod failed'],
  ])('%o', (status, expected) => {
    expect(told(pod, live(pod, status))).toBe(expected);
  });
});

describe('a hook of another kind', () => {
  it('is done when it is applied, where no rule speaks about it', () => {
    expect(told(widget, undefined)).toBe('Healthy NoRule');
  });

  it('is judged by its rules, and one that will not recover has failed', () => {
    const rules = widgetRules({ healthy: 'has(status.done)', failed: 'has(status.broken)' });
    expect(told(widget, live(widget, {}), rules)).toMatch(/^Progressing RuleFailed/);
    expect(told(widget, live(widget, { done: true }), rules)).toBe('Healthy AllRulesPass');
    expect(told(widget, live(widget, { broken: true }), rules)).toMatch(/^Degraded Failed/);
  });
});

describe('the end of a hook', () => {
  it('counts only for the object that stands in the entry', () => {
    const done = assessed('migrate', 'Healthy', { hook: 'preSync', assessedUid: 'uid-migrate' });
    expect([isComplete(done), isRunningHook(done)]).toEqual([true, false]);
    expect([isComplete({ ...done, uid: 'next' }), isRunningHook({ ...done, uid: 'next' })]).toEqual([false, true]);
  });

  it('a hook that was not created yet does not run', () => {
    const { uid: _uid, ...planned } = job;
    expect(isRunningHook(planned)).toBe(false);
  });

  it('is seen in the last state of an object that is gone', () => {
    expect(showsEnd({ kind: 'Job', status: condition('Complete') })).toBe(true);
    expect(showsEnd({ kind: 'Pod', status: { phase: 'Running' } })).toBe(false);
    expect(showsEnd({ kind: 'Widget', status: {} })).toBe(false);
  });
});
