import type { Release, ReleaseStatus } from '../../api/index.ts';
import { withAttempt, withResult } from '../history.ts';
import type { PlannedHook } from '../plan.ts';
import { type HookRow, hookTitle, rowOf } from './hook-progress.ts';
import { failed, progressing, type Report, reportAsTold, settledReport } from './report.ts';
import type { AttemptCause, Failure, Phase } from './state.ts';

/** The controller's part of a status apart from its conditions. */
export type OwnStatus = Pick<
  ReleaseStatus,
  | 'observedGeneration'
  | 'lastAttempted'
  | 'lastApplied'
  | 'lastHealthy'
  | 'held'
  | 'history'
  | 'hooks'
  | 'lastSyncRequest'
>;

/** What a step makes of the status. */
export interface StatusChange {
  readonly status: OwnStatus;
  readonly report: Report;
}

export interface Beginning {
  readonly renderRef: string;
  readonly revision: string;
  readonly cause: AttemptCause;
  readonly holdFrom: string | undefined;
  /** Objects of the render, hooks apart. */
  readonly total: number;
  readonly phase: Phase;
  readonly wave: number | undefined;
  /** The request by annotation that this serves; '' when there is none. */
  readonly request: string;
  /** RFC 3339. */
  readonly now: string;
}

/** The part of a status that the controller writes. */
export function ownStatus(status: ReleaseStatus): OwnStatus {
  const { conditions: _, healthSummary: __, ...own } = status;
  return own;
}

/** `lastAttempted` and the render that it is for are one write, so that no reader sees the health of one render as that of another. */
export function attemptBegun(release: Release, begin: Beginning): StatusChange {
  const { status, spec, metadata } = release;
  const { renderRef, revision, total, phase, wave, holdFrom, request, now } = begin;
  const before = status.lastAttempted;
  const again = before?.renderRef === renderRef && begin.cause !== 'Rollback' && begin.cause !== 'RollbackEnded';
  const failures = again && begin.cause === 'Retry' ? before.failures : undefined;
  const superseded =
    before !== undefined && before.outcome === undefined && !again
      ? withResult(status.history ?? [], before.renderRef, { outcome: 'Superseded' })
      : (status.history ?? []);
  const { held: _, hooks: __, ...kept } = ownStatus(status);
  return {
    status: {
      ...kept,
      observedGeneration: metadata.generation,
      lastAttempted: {
        renderRef,
        revision,
        time: now,
        attempt: attemptNumber(status, renderRef),
        total,
        phase,
        ...(wave === undefined ? {} : { wave }),
        ...(failures === undefined ? {} : { failures }),
      },
      ...(holdFrom === undefined ? {} : { held: { renderRef, from: holdFrom } }),
      ...(request === '' ? {} : { lastSyncRequest: request }),
      history: withAttempt(superseded, { renderRef, revision, appliedAt: now }, spec.historyLimit),
    },
    report: progressing(`applying ${revision}`),
  };
}

/** Counts from 1 for each render. */
export function attemptNumber({ lastAttempted }: ReleaseStatus, renderRef: string): number {
  return lastAttempted?.renderRef === renderRef ? lastAttempted.attempt + 1 : 1;
}

export function phaseEntered(release: Release, phase: Phase, wave: number | undefined): StatusChange {
  const { lastAttempted, ...rest } = ownStatus(release.status);
  if (lastAttempted === undefined) throw new Error('a phase without an attempt');
  const { wave: _, ...attempt } = lastAttempted;
  const status = { ...rest, lastAttempted: { ...attempt, phase, ...(wave === undefined ? {} : { wave }) } };
  return { status, report: settledReport({ status: { ...release.status, ...status } }) };
}

/** The hook runs: before its result is known its row tells that it was created. */
export function hookStarted(release: Release, hook: PlannedHook, renderRef: string, startedAt: string): StatusChange {
  const row: HookRow = { name: hookTitle(hook), phase: hook.phase, renderRef, state: 'Running', startedAt };
  return withHooks(
    release,
    [...(release.status.hooks ?? []), row],
    `waiting for the ${hook.phase} hook ${hookTitle(hook)}`,
  );
}

export function hookEnded(
  release: Release,
  hook: PlannedHook,
  result: { readonly succeeded: boolean; readonly message: string; readonly now: string },
): StatusChange {
  const { succeeded, message, now } = result;
  const rows = (release.status.hooks ?? []).map((row): HookRow => {
    if (row !== rowOf(release.status.hooks ?? [], hook)) return row;
    const state = succeeded ? 'Succeeded' : 'Failed';
    return { ...row, state, completedAt: now, ...(message === '' ? {} : { message: message.slice(0, 1024) }) };
  });
  return withHooks(release, rows, `the ${hook.phase} hook ${hookTitle(hook)} ${succeeded ? 'succeeded' : 'failed'}`);
}

/** Its row goes, so that it is created anew. */
export function deletionHookRetried(release: Release, hook: PlannedHook): StatusChange {
  const { lastAttempted } = release.status;
  const rows = (release.status.hooks ?? []).filter((row) => row !== rowOf(release.status.hooks ?? [], hook));
  const { status, report } = withHooks(release, rows, `running the ${hook.phase} hook ${hookTitle(hook)} again`);
  if (lastAttempted === undefined) return { status, report };
  return {
    status: { ...status, lastAttempted: { ...lastAttempted, failures: (lastAttempted.failures ?? 0) + 1 } },
    report,
  };
}

function withHooks(release: Release, hooks: readonly HookRow[], message: string): StatusChange {
  const status = { ...ownStatus(release.status), hooks };
  const running = release.status.lastAttempted?.outcome === undefined || release.metadata.deletionTimestamp !== '';
  return { status, report: running ? progressing(message) : settledReport(release) };
}

export function attemptFailed(release: Release, outcome: Failure, message: string, now: string): StatusChange {
  const own = ownStatus(release.status);
  const attempt = own.lastAttempted;
  if (attempt === undefined) throw new Error('a failure without an attempt');
  return {
    status: {
      ...own,
      lastAttempted: { ...attempt, outcome, endedAt: now, failures: (attempt.failures ?? 0) + 1 },
      history: withResult(own.history ?? [], attempt.renderRef, { outcome }),
    },
    report: failed(outcome, message),
  };
}

export function attemptSucceeded(release: Release, now: string): StatusChange {
  const own = ownStatus(release.status);
  if (own.lastAttempted === undefined) throw new Error('a success without an attempt');
  const { failures: _, ...attempt } = own.lastAttempted;
  const { renderRef, revision } = attempt;
  const status: OwnStatus = {
    ...own,
    lastAttempted: { ...attempt, phase: 'Done', outcome: 'Succeeded', endedAt: now },
    lastApplied: { renderRef, revision, time: now },
    history: withResult(own.history ?? [], renderRef, { outcome: 'Succeeded' }),
  };
  return { status, report: settledReport({ status: { ...release.status, ...status } }) };
}

export function healthRecorded(release: Release, now: string): StatusChange {
  const own = ownStatus(release.status);
  if (own.lastAttempted === undefined) throw new Error('health without an attempt');
  const { renderRef, revision } = own.lastAttempted;
  return {
    status: {
      ...own,
      lastHealthy: { renderRef, revision, time: now },
      history: withResult(own.history ?? [], renderRef, { healthyAt: now }),
    },
    report: reportAsTold(release),
  };
}
