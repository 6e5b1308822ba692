import type { InventoryEntry, ReleaseStatus } from '../../api/index.ts';
import { assertNever } from '../../object/assert-never.ts';
import { asTime } from '../../object/fields.ts';
import { planPages } from '../inventory/index.ts';
import { type PlannedHook, pruneOrder } from '../plan.ts';
import { paceOf, timeoutAt } from './back-off.ts';
import { type Gate, gateHealthOf, gateOf } from './gate.ts';
import { hookProgress, hookTitle } from './hook-progress.ts';
import type { AttemptPlan, Observed } from './observed.ts';
import type { Phase, State } from './state.ts';

type Attempt = NonNullable<ReleaseStatus['lastAttempted']>;

/** What the steps of one attempt are decided by. */
interface Run {
  readonly observed: Observed;
  readonly attempt: Attempt;
  readonly plan: AttemptPlan;
  /** When it has had its time, ms since 1970. */
  readonly until: number;
}

/** The next step of an attempt that has begun and not ended. */
export function runningState(observed: Observed, attempt: Attempt): State {
  const { release, plan, now } = observed;
  if (plan?.renderRef !== attempt.renderRef) return { kind: 'RenderLost', renderRef: attempt.renderRef };
  const run: Run = { observed, attempt, plan, until: timeoutAt(attempt, paceOf(release), now) };
  const step = stepOf(run);
  return run.until > now || endsWithoutWaiting(step) ? step : timedOut(run);
}

function stepOf(run: Run): State {
  const { observed, plan } = run;
  const { namespace, name, uid } = observed.release.metadata;
  try {
    const writes = planPages({ namespace, name, uid }, observed.pages, plan.entries);
    if (writes.length > 0) return { kind: 'PlanUnwritten', writes };
  } catch (error) {
    // More objects than an inventory holds.
    if (error instanceof RangeError) return { kind: 'AttemptFailing', outcome: 'ApplyFailed', message: error.message };
    throw error;
  }
  return phaseState(run);
}

/** The time of an attempt runs on while nobody looks (suspended, no operator): what is done by then has not failed. */
function endsWithoutWaiting(step: State): boolean {
  return (
    step.kind === 'AttemptDone' || step.kind === 'HookEnded' || (step.kind === 'PhaseDone' && step.next === 'Prune')
  );
}

function timedOut(run: Run): State {
  const { observed, attempt } = run;
  const { release } = observed;
  const { timeout } = release.spec.syncPolicy;
  const hook = release.status.hooks?.find(({ state }) => state === 'Running');
  if (hook !== undefined) {
    return { kind: 'AttemptFailing', outcome: 'HookFailed', message: `${hook.name} did not end within ${timeout}` };
  }
  const where = attempt.wave === undefined ? 'the attempt' : `wave ${attempt.wave}`;
  if (attempt.phase === 'Waves' && attempt.wave !== undefined && !isApplied(run, attempt.wave)) {
    const told = release.status.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
    return {
      kind: 'AttemptFailing',
      outcome: 'ApplyFailed',
      message: `${where} was not applied within ${timeout}: ${told}`,
    };
  }
  const waiting = waitingText(observed, attempt);
  const message = `${where} did not become healthy within ${timeout}${waiting === '' ? '' : `: ${waiting}`}`;
  return { kind: 'AttemptFailing', outcome: 'WaveTimedOut', message };
}

function waitingText({ entries, now, release }: Observed, attempt: Attempt): string {
  const gate = gateOf(entries, attempt.wave ?? 'all', attempt.renderRef, gateHealthOf(release), now);
  return gate.kind === 'closed' ? named(gate.waitingFor) : '';
}

function phaseState(run: Run): State {
  const { phase } = run.attempt;
  switch (phase) {
    case 'PreSync':
      return hooksState(run, run.plan.plan.hooks.preSync) ?? firstWave(run);
    case 'Waves':
      return waveState(run);
    case 'PostSync':
      return postSyncState(run);
    case 'Prune':
    case 'Done':
      return { kind: 'AttemptDone', leftovers: leftoversOf(run.observed.entries) };
    default:
      return assertNever(phase);
  }
}

/** Undefined: all of them succeeded. */
function hooksState({ observed, until }: Run, hooks: readonly PlannedHook[]): State | undefined {
  const progress = hookProgress(hooks, observed.release.status.hooks ?? [], observed.entries);
  switch (progress.kind) {
    case 'done':
      return undefined;
    case 'due':
      return { kind: 'HookDue', hook: progress.hook, until };
    case 'running':
      return { kind: 'HookRunning', hook: progress.hook, until };
    case 'ended': {
      const { hook, succeeded, message } = progress;
      return { kind: 'HookEnded', hook, succeeded, message };
    }
    case 'failed': {
      const { hook, row } = progress;
      const message = `${hook.phase} hook ${hookTitle(hook)} failed${row.message === undefined ? '' : `: ${row.message}`}`;
      return { kind: 'AttemptFailing', outcome: 'HookFailed', message };
    }
    default:
      return assertNever(progress);
  }
}

function firstWave(run: Run): State {
  const [first] = run.plan.plan.waves;
  return first === undefined ? behindWaves(run) : { kind: 'PhaseDone', next: 'Waves', wave: first.wave };
}

function waveState(run: Run): State {
  const { observed, attempt, plan, until } = run;
  const waves = plan.plan.waves.map(({ wave }) => wave);
  const current = attempt.wave ?? waves[0];
  if (current === undefined) return behindWaves(run);
  if (!isApplied(run, current)) return { kind: 'WaveUnapplied', wave: current, until };
  const next = waves.find((wave) => wave > current);
  if (next === undefined) return behindWaves(run);
  const gate = gateState(
    run,
    gateOf(observed.entries, current, attempt.renderRef, gateHealthOf(observed.release), observed.now),
    current,
  );
  return gate ?? { kind: 'PhaseDone', next: 'Waves', wave: next };
}

/** Everything of the wave was applied in this attempt: a retry applies again, a reconcile in between does not. */
function isApplied({ observed, attempt }: Run, wave: number): boolean {
  const begun = asTime(attempt.time) ?? 0;
  return observed.entries
    .filter((entry) => entry.wave === wave && entry.hook === undefined && entry.prune !== true)
    .every((entry) => entry.renderRef === attempt.renderRef && (asTime(entry.appliedAt) ?? 0) >= begun);
}

/** Undefined: the gate is open. */
function gateState({ until }: Run, gate: Gate, wave: number | 'all'): State | undefined {
  switch (gate.kind) {
    case 'open':
      return undefined;
    case 'closed':
      return { kind: 'GateClosed', wave, waitingFor: gate.waitingFor, until: Math.min(until, gate.recheckAt ?? until) };
    case 'failed': {
      const where = wave === 'all' ? 'behind the last wave' : `wave ${wave}`;
      return { kind: 'AttemptFailing', outcome: 'WaveDegraded', message: `${where}: ${named(gate.failing)}` };
    }
    default:
      return assertNever(gate);
  }
}

/** The last wave is applied. */
function behindWaves(run: Run): State {
  const { hooks } = run.plan.plan;
  if (hooks.postSync.length > 0) return { kind: 'PhaseDone', next: 'PostSync', wave: run.attempt.wave };
  return lastGate(run) ?? pruneState(run);
}

function postSyncState(run: Run): State {
  const { postSync } = run.plan.plan.hooks;
  const after = (when: 'Applied' | 'Healthy'): readonly PlannedHook[] =>
    postSync.filter(({ directives }) => directives.runAfter === when);
  return hooksState(run, after('Applied')) ?? lastGate(run) ?? healthyHooks(run, after('Healthy')) ?? pruneState(run);
}

/** The gate of the last wave holds whatever comes behind it. */
function lastGate(run: Run): State | undefined {
  const { observed, attempt, plan } = run;
  const last = plan.plan.waves.at(-1)?.wave;
  if (last === undefined) return undefined;
  const gate = gateOf(observed.entries, last, attempt.renderRef, gateHealthOf(observed.release), observed.now);
  return gateState(run, gate, last);
}

/** They start when everything is healthy, not the last wave alone; once one runs, a loss of health is no reason to forget it. */
function healthyHooks(run: Run, hooks: readonly PlannedHook[]): State | undefined {
  const { observed, attempt } = run;
  const state = hooksState(run, hooks);
  if (state?.kind !== 'HookDue') return state;
  const gate = gateOf(observed.entries, 'all', attempt.renderRef, gateHealthOf(observed.release), observed.now);
  return gateState(run, gate, 'all') ?? state;
}

function pruneState({ observed, attempt }: Run): State {
  const leftovers = leftoversOf(observed.entries);
  const next: Phase = 'Prune';
  if (leftovers.length > 0) return { kind: 'PhaseDone', next, wave: attempt.wave };
  return { kind: 'AttemptDone', leftovers };
}

function leftoversOf(entries: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return pruneOrder(entries.filter(({ prune }) => prune === true));
}

/** At most three entries with what is wrong with them, for messages. */
export function named(entries: readonly InventoryEntry[]): string {
  const shown = entries.slice(0, 3).map((entry) => {
    const name = `${entry.kind} ${entry.namespace === '' ? '' : `${entry.namespace}/`}${entry.name}`;
    const state = entry.state ?? 'not assessed';
    return entry.message === undefined || entry.message === '' ? `${name} is ${state}` : `${name}: ${entry.message}`;
  });
  const more = entries.length > shown.length ? `; and ${entries.length - shown.length} more` : '';
  return `${shown.join('; ')}${more}`;
}
