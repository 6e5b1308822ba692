import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InventoryEntry, Release } from '../../api/index.ts';
import { compileRuleSets } from '../../health/index.ts';
import { ruleSet, widget, widgetRule, widgetRules } from '../../health/widget-rules.fixture.ts';
import { assessEntry, type EntryPolicy } from './assess-entry.ts';
import { healthEvent } from './health-event.ts';
import { healthyStatus } from './healthy-status.ts';
import type { Look } from './look.ts';
import { observedFields, withFields } from './observed-fields.ts';
import { concludePass, deadlineOf, entryDeadline, isRead, type PassInput } from './pass.ts';
import { assessed, entry, NOW, OLDER, RENDER, release } from './release.fixture.ts';
import { releaseRules } from './release-rules.ts';

const MINUTE = 60_000;
const rules = releaseRules(
  widgetRules({
    healthy: 'status.phase == "Done"',
    failed: 'status.phase == "Broken"',
    suspended: 'status.phase == "Paused"',
    message: '"is " + status.phase',
  }),
);
const policy = (more: Partial<EntryPolicy> = {}): EntryPolicy => ({ rules, now: NOW, failFast: false, ...more });
const phase = (name: string): Look => ({ object: widget({ status: { phase: name } }) });
/** A rule that reads what is not there. */
const unreadable: Look = { object: widget() };
const missing: Look = { fault: 'NotFound', message: 'there is none' };

/** One look at an entry: the entry as the inventory then has it. */
function looked(before: InventoryEntry, look: Look | undefined, more: Partial<EntryPolicy> = {}): InventoryEntry {
  const given = policy(more);
  return withFields(before, observedFields(before, assessEntry({ entry: before, look }, given), given.now));
}

function pass(given: Partial<PassInput> = {}) {
  return concludePass({ release: release(), entries: [], results: new Map(), now: NOW, memory: undefined, ...given });
}

describe('the state of an entry', () => {
  it('no rule applies: healthy, and not read', () => {
    const other = entry('a', { kind: 'Other', resource: 'others' });
    expect(isRead(other, policy())).toBe(false);
    expect(looked(other, undefined)).toMatchObject({ state: 'Healthy', reason: 'NoRule', assessedRenderRef: RENDER });
  });

  it('that was not applied yet, or is to be pruned, is not read', () => {
    const { renderRef: _none, ...planned } = entry('a');
    expect([planned, entry('b', { prune: true })].map((one) => isRead(one, policy()))).toEqual([false, false]);
  });

  it('fails: Progressing, the time is recorded, and the message is that of the rule', () => {
    expect(looked(entry('a'), phase('Busy'))).toMatchObject({
      state: 'Progressing',
      reason: 'RuleFailed',
      message: 'is Busy',
      stateSince: '2026-01-01T12:00:00Z',
      firstUnhealthy: '2026-01-01T12:00:00.000Z',
      assessedRenderRef: RENDER,
    });
  });

  it('fails past the deadline: Degraded; without a deadline it stays Progressing', () => {
    const failing = looked(entry('a'), phase('Busy'));
    const later = { now: NOW + MINUTE };
    expect(looked(failing, phase('Busy'), { ...later, deadline: MINUTE }).state).toBe('Degraded');
    expect(looked(failing, phase('Busy'), { now: NOW + MINUTE - 1, deadline: MINUTE }).state).toBe('Progressing');
    expect(looked(failing, phase('Busy'), later).state).toBe('Progressing');
  });

  it('an object has a deadline of its own', () => {
    const failing = looked(entry('a', { deadline: '10s' }), phase('Busy'));
    const judged = assessEntry(
      { entry: failing, look: phase('Busy'), deadline: 10_000 },
      policy({ now: NOW + 10_000, deadline: MINUTE }),
    );
    expect([judged.verdict.state, entryDeadline(failing)]).toEqual(['Degraded', 10_000]);
    expect(entryDeadline(entry('b'))).toBeUndefined();
  });

  it('will not recover: Degraded at once with failFast, at the deadline without', () => {
    expect(looked(entry('a'), phase('Broken'), { failFast: true })).toMatchObject({
      state: 'Degraded',
      reason: 'Failed',
    });
    expect(looked(entry('a'), phase('Broken'))).toMatchObject({ state: 'Progressing', reason: 'Failed' });
  });

  it('suspended: its clock does not run', () => {
    const failing = looked(entry('a'), phase('Busy'));
    expect(looked(failing, phase('Paused'))).toMatchObject({ reason: 'Suspended', firstUnhealthy: undefined });
  });

  it.each([
    ['a rule that cannot be evaluated', unreadable, 'RuleError'],
    ['an object that is not there', missing, 'NotFound'],
    ['an object that may not be read', { fault: 'Forbidden', message: 'no' } as Look, 'Forbidden'],
  ])('%s is Unknown and keeps the clock', (_situation, look, reason) => {
    const failing = looked(entry('a'), phase('Busy'));
    const unknown = looked(failing, look, { now: NOW + 2 * MINUTE, deadline: MINUTE });
    expect(unknown).toMatchObject({ state: 'Unknown', reason, firstUnhealthy: failing.firstUnhealthy });
    expect(looked(unknown, phase('Busy'), { now: NOW + 2 * MINUTE, deadline: MINUTE }).state).toBe('Degraded');
  });

  it('a new render does not clear the clock: what failed before is Degraded at once', () => {
    const old = looked(entry('a', { renderRef: OLDER }), phase('Busy'));
    const renewed = looked({ ...old, renderRef: RENDER }, phase('Busy'), { now: NOW + MINUTE, deadline: MINUTE });
    expect(renewed).toMatchObject({ state: 'Degraded', assessedRenderRef: RENDER });
  });

  it('passing clears the clock and keeps no message', () => {
    expect(looked(looked(entry('a'), phase('Busy')), phase('Done'))).toMatchObject({
      state: 'Healthy',
      message: undefined,
      firstUnhealthy: undefined,
    });
  });

  it('two sets speak about one kind: all must hold', () => {
    const both = releaseRules(
      compileRuleSets([
        ruleSet([widgetRule({ healthy: 'true' })], { name: 'a' }),
        ruleSet([widgetRule({ healthy: 'false' })], { name: 'b', namespace: 'apps' }),
      ]),
    );
    expect(looked(entry('a'), unreadable, { rules: both })).toMatchObject({ state: 'Progressing' });
  });

  it('an empty status of a kind that has none says nothing', () => {
    const reading = releaseRules(widgetRules({ healthy: 'size(status) > 0', reason: '"NoStatus"' }, { generic: true }));
    const given = { entry: entry('a'), look: unreadable };
    expect(assessEntry(given, policy({ rules: reading })).verdict.reason).toBe('NoStatus');
    expect(assessEntry({ ...given, servesStatus: false }, policy({ rules: reading }))).toMatchObject({
      verdict: { state: 'Healthy', reason: 'NoSignal' },
      firstUnhealthy: undefined,
    });
  });
});

describe('a pass', () => {
  const results = (...entries: readonly InventoryEntry[]): PassInput['results'] =>
    new Map(
      entries.map((one) => [
        one,
        { fields: observedFields(one, assessEntry({ entry: one, look: phase('Done') }, policy()), NOW) },
      ]),
    );

  it('writes the fields that differ, and nothing the second time', () => {
    const first = entry('a');
    const { changes, condition, summary, occasions } = pass({ entries: [first], results: results(first) });
    expect(changes).toEqual([
      {
        entry: first,
        set: {
          state: 'Healthy',
          reason: 'AllRulesPass',
          stateSince: '2026-01-01T12:00:00Z',
          assessedRenderRef: RENDER,
        },
      },
    ]);
    expect([condition.reason, summary?.healthy, occasions]).toEqual(['Healthy', 1, ['RenderAssessed', 'WaveHealthy']]);
    const second = withFields(first, changes[0]?.set ?? {});
    expect(pass({ entries: [second], results: results(second) })).toMatchObject({ changes: [], occasions: [] });
  });

  it('without health assessment counts nothing, and comes back for hooks alone', () => {
    const bare = release(null);
    expect(pass({ release: bare, entries: [assessed('a', 'Healthy')] })).toMatchObject({
      condition: { status: 'Unknown', reason: 'NotConfigured', message: 'health assessment is not configured' },
      summary: { total: 0, healthy: 0, progressing: 0, degraded: 0, unknown: 0 },
      next: undefined,
    });
    expect(pass({ release: bare, entries: [entry('h', { hook: 'preSync' })] }).next).toBe(2_000);
  });

  it('that cannot assess keeps the summary and the entries', () => {
    const healthSummary = { total: 1, healthy: 1, progressing: 0, degraded: 0, unknown: 0 };
    const cannot = { reason: 'ClusterUnreachable', message: 'no route' } as const;
    const outcome = pass({ release: release({}, { healthSummary }), entries: [assessed('a', 'Healthy')], cannot });
    expect(outcome).toMatchObject({
      changes: [],
      condition: { status: 'Unknown', reason: 'ClusterUnreachable', message: 'no route' },
      summary: healthSummary,
      next: 2_000,
    });
  });

  it('comes back when a deadline passes, if that is sooner', () => {
    const failing = entry('a');
    const fields = observedFields(failing, assessEntry({ entry: failing, look: phase('Busy') }, policy()), NOW);
    const found = new Map([[failing, { fields, recheckAfter: 700 }]]);
    expect(pass({ entries: [failing], results: found }).next).toBe(700);
  });

  it('comes back at the interval when all is healthy', () => {
    expect(pass({ entries: [assessed('a', 'Healthy')] }).next).toBe(300_000);
  });
});

describe('a deadline', () => {
  it.each(['0s', '-5s', 'soon', '5'])('of %s is told as what is wrong', (deadline) => {
    expect(deadlineOf(release({ deadline }))).toMatchObject({
      reason: 'InvalidDeadline',
      message: expect.stringContaining(`spec.healthAssessment: deadline "${deadline}" `),
    });
    expect(entryDeadline(entry('a', { deadline }))).toMatchObject({
      reason: 'InvalidDeadline',
      message: expect.stringContaining(`annotation of Widget apps/a: deadline "${deadline}" `),
    });
  });
});

describe('the status that is applied', () => {
  const healthy = { status: 'True', reason: 'Healthy', message: '1 resources healthy' } as const;
  const summary = { total: 1, healthy: 1, progressing: 0, degraded: 0, unknown: 0 };
  /** The Release as it stands after the write. */
  const stored = (
    before: Release,
    now: number,
    condition = healthy as Parameters<typeof healthyStatus>[1],
  ): Release => {
    const written = healthyStatus(before, condition, summary, now);
    return written === undefined
      ? before
      : { ...before, status: { ...before.status, ...(written['status'] as object) } };
  };

  it('carries the generation that was attempted, and is written once', () => {
    const written = stored(release(), NOW);
    expect(written.status).toMatchObject({
      conditions: [{ type: 'Healthy', ...healthy, observedGeneration: 3, lastTransitionTime: '2026-01-01T12:00:00Z' }],
      healthSummary: summary,
    });
    expect(healthyStatus(written, healthy, summary, NOW + MINUTE)).toBeUndefined();
  });

  it('keeps its transition time until the status changes', () => {
    const first = stored(release(), NOW);
    const reworded = stored(first, NOW + MINUTE, { ...healthy, message: '2 resources healthy' });
    expect(reworded.status.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T12:00:00Z');
    const worse = stored(reworded, NOW + MINUTE, { status: 'False', reason: 'Degraded', message: 'x' });
    expect(worse.status.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T12:01:00Z');
  });

  it('does not go back in time behind another clock', () => {
    const ahead = stored(release(), NOW + MINUTE);
    const worse = stored(ahead, NOW, { status: 'False', reason: 'Degraded', message: 'x' });
    expect(worse.status.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T12:01:00Z');
  });

  it('of another generation is another one', () => {
    const first = stored(release(), NOW);
    const moved = { ...first, status: { ...first.status, observedGeneration: 4 } };
    expect(healthyStatus(moved, healthy, summary, NOW)).toBeDefined();
  });

  it('is told as an Event when its reason changes, waiting apart', () => {
    expect(healthEvent(release(), healthy)).toEqual({ type: 'Normal', reason: 'Healthy', note: healthy.message });
    expect(healthEvent(stored(release(), NOW), healthy)).toBeUndefined();
    const degraded = { status: 'False', reason: 'Degraded', message: 'x' } as const;
    expect(healthEvent(stored(release(), NOW), degraded)).toMatchObject({ type: 'Warning', reason: 'Degraded' });
    expect(healthEvent(release(), { status: 'Unknown', reason: 'Pending', message: 'x' })).toBeUndefined();
    const { note = '' } = healthEvent(release(), { ...degraded, message: '🚚'.repeat(1024) }) ?? {};
    expect(new TextEncoder().encode(note).length).toBeLessThanOrEqual(1024);
  });
});

describe('any history of an object', () => {
  const DEADLINE = MINUTE;
  const step = fc.record({
    look: fc.constantFrom('Done', 'Busy', 'Paused', 'error', 'missing'),
    render: fc.constantFrom(OLDER, RENDER),
    wait: fc.integer({ min: 0, max: 2 * MINUTE }),
  });

  it('the clock starts at the first failure, stops at a pass, survives errors and renders; Degraded is the deadline', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let now = NOW;
        let one = entry('a');
        /** What the clock has to be. */
        let since: number | undefined;
        for (const { look, render, wait } of steps) {
          now += wait;
          const seen = look === 'error' ? unreadable : look === 'missing' ? missing : phase(look);
          one = looked({ ...one, renderRef: render }, seen, { now, deadline: DEADLINE });
          if (look === 'Busy') since ??= now;
          if (look === 'Done' || look === 'Paused') since = undefined;
          const expired = since !== undefined && now - since >= DEADLINE;
          const failing = look === 'Busy' ? (expired ? 'Degraded' : 'Progressing') : undefined;
          const settled = look === 'Done' ? 'Healthy' : look === 'Paused' ? 'Progressing' : 'Unknown';
          expect(one.state).toBe(failing ?? settled);
          expect(one.firstUnhealthy === undefined ? undefined : Date.parse(one.firstUnhealthy)).toBe(since);
          expect(one.assessedRenderRef).toBe(render);
          expect(looked(one, seen, { now, deadline: DEADLINE })).toEqual(one);
        }
      }),
    );
  });
});
