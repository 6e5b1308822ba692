import type { Release, ReleaseStatus } from '../../api/index.ts';
import { shortRef } from '../canonical.ts';

/** What Ready, Reconciling and Stalled are to say. */
export interface Report {
  readonly ready: { readonly status: 'True' | 'False' | 'Unknown'; readonly reason: string; readonly message: string };
  /** Work is under way. */
  readonly reconciling: boolean;
  /** Only a change of the spec, or of what it names, helps. */
  readonly stalled: boolean;
}

type Attempt = NonNullable<ReleaseStatus['lastAttempted']>;
export type Condition = NonNullable<ReleaseStatus['conditions']>[number];

/** As the API server bounds what we would have to show. */
const LONGEST_MESSAGE = 4096;

export function progressing(message: string): Report {
  return { ready: { status: 'Unknown', reason: 'Progressing', message }, reconciling: true, stalled: false };
}

/** It did not work, and is tried again by itself unless it is stalled. */
export function failed(reason: string, message: string, stalled = false): Report {
  return { ready: { status: 'False', reason, message }, reconciling: false, stalled };
}

/** What is told already, for a change that is none of the conditions'. */
export function reportAsTold(release: Pick<Release, 'status'>): Report {
  const { conditions = [] } = release.status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return settledReport(release);
  const { status, reason, message } = ready;
  const has = (type: string): boolean => conditions.some((one) => one.type === type);
  return { ready: { status, reason, message }, reconciling: has('Reconciling'), stalled: has('Stalled') };
}

/** What the last attempt came to, when nothing else is to be told. */
export function settledReport({ status }: Pick<Release, 'status'>): Report {
  const attempt = status.lastAttempted;
  if (attempt === undefined) return progressing('waiting for its first attempt');
  if (attempt.outcome === undefined) return progressing(`applying ${attempt.revision}`);
  if (attempt.outcome !== 'Succeeded') return failureReport(status, attempt);
  if (status.held !== undefined) {
    const message = `${attempt.revision} (render ${shortRef(attempt.renderRef)}) runs instead of render ${shortRef(status.held.from)}, until the source gives another one or the annotation rollback-to is removed`;
    return failed('RolledBack', message);
  }
  return {
    ready: { status: 'True', reason: 'Succeeded', message: `applied ${attempt.revision}` },
    reconciling: false,
    stalled: false,
  };
}

/** The message of the failure stands in the condition alone; when another one took its place, only the reason is left. */
function failureReport(status: ReleaseStatus, attempt: Attempt): Report {
  const known = status.conditions?.find(({ type }) => type === 'Ready');
  const reason = attempt.outcome ?? 'ApplyFailed';
  const message = known?.reason === reason ? known.message : `attempt ${attempt.attempt} of ${attempt.revision} failed`;
  return failed(reason, message);
}

/**
 * The controller's conditions as the report has them: a time moves only with its status, and Reconciling and Stalled are there only
 * while True.
 */
export function conditionsOf(
  report: Report,
  known: readonly Condition[],
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  const condition = (type: string, status: Condition['status'], reason: string, text: string): Condition => {
    const before = known.find((one) => one.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
    return { type, status, observedGeneration, lastTransitionTime, reason, message: cut(text) };
  };
  const { status, reason, message } = report.ready;
  return [
    condition('Ready', status, reason, message),
    ...(report.reconciling ? [condition('Reconciling', 'True', reason, message)] : []),
    ...(report.stalled ? [condition('Stalled', 'True', reason, message)] : []),
  ];
}

function cut(message: string): string {
  const characters = [...message];
  return characters.length <= LONGEST_MESSAGE ? message : `${characters.slice(0, LONGEST_MESSAGE - 1).join('')}…`;
}
