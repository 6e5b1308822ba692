import type { Comparison } from './compare-object.ts';

/** ms after which an object is compared again although nothing is known to have changed. */
export const COMPARE_EVERY = 3_600_000;
/** ms between two comparisons of an object whose content changes all the time: a lease in an annotation, say. */
export const COMPARE_AGAIN = 5_000;
/** ms between two corrections of one object. */
export const CORRECT_EVERY = 30_000;
/** Corrections of one object within FIGHT_WINDOW that end in DriftFight. */
export const CORRECTIONS = 5;
export const FIGHT_WINDOW = 600_000;
/** ms until a difference that nobody holds is looked at a second time. */
const SECOND_LOOK = 2_000;
/** ms until a comparison that failed is tried again; doubles up to the longest. */
const RETRY = 30_000;
const LONGEST_RETRY = 300_000;

/** What a comparison ended with; `failed`: the cluster refused it, in its words. */
export type Finding = Comparison | { readonly kind: 'failed'; readonly message: string };

/** Somebody who undoes every correction. */
export interface Fight {
  /** '' when nobody knows who. */
  readonly manager: string;
  /** ms since 1970: when the other gave way; undefined: it has not. One who comes back within the window has only paused. */
  readonly endedAt: number | undefined;
}

/** What is remembered of one object between comparisons. A restart begins anew: it compares all, and counts corrections from none. */
export interface DriftRecord {
  readonly renderRef: string;
  /** The content outside status, as the cache hashed it; '' when no cache holds the object. */
  readonly content: string;
  /** ms since 1970. */
  readonly comparedAt: number;
  readonly finding: Finding;
  /** Comparisons that failed in a row. */
  readonly failures: number;
  /** When corrections were asked for, ms since 1970, within the window. */
  readonly corrections: readonly number[];
  /** Who undoes every correction: none is asked for until the render changes or the other gives way. Undefined: nobody. */
  readonly fight: Fight | undefined;
  /** Our own apply does not give what is rendered: told, not corrected. */
  readonly webhook: boolean;
}

/** An object as it is to be compared. */
export interface Observed {
  readonly renderRef: string;
  readonly content: string;
}

/** When the object has to be compared next, ms since 1970; in the past: now. */
export function comparisonDueAt(record: DriftRecord | undefined, observed: Observed): number {
  if (record === undefined || record.renderRef !== observed.renderRef) return 0;
  const { comparedAt, finding, failures, corrections, webhook } = record;
  const asked = corrections.at(-1);
  const corrected = asked !== undefined && asked >= comparedAt;
  // The change is most likely the correction: whoever waits for it should see it.
  if (record.content !== observed.content) return corrected ? comparedAt : comparedAt + COMPARE_AGAIN;
  if (finding.kind === 'failed') return comparedAt + Math.min(RETRY * 2 ** Math.min(failures - 1, 30), LONGEST_RETRY);
  if (isUnheld(finding) && !webhook) return comparedAt + SECOND_LOOK;
  // What a correction did is looked at even where no cache tells of it.
  if (corrected) return asked + CORRECT_EVERY;
  return comparedAt + COMPARE_EVERY;
}

/** The record after a comparison. */
export function afterComparison(
  before: DriftRecord | undefined,
  observed: Observed,
  finding: Finding,
  now: number,
): DriftRecord {
  const same = before?.renderRef === observed.renderRef ? before : undefined;
  const corrections = (same?.corrections ?? []).filter((time) => now - time < FIGHT_WINDOW);
  return {
    ...observed,
    comparedAt: now,
    finding,
    failures: finding.kind === 'failed' ? (same?.failures ?? 0) + 1 : 0,
    corrections,
    fight: same?.fight === undefined ? undefined : fightAfter(same.fight, finding, now),
    webhook: isUnheld(finding) && same !== undefined && samePaths(same.finding, finding),
  };
}

/** Any correction of another object applies this one, too, so that it is as rendered for a moment. */
function fightAfter(fight: Fight, { kind }: Finding, now: number): Fight | undefined {
  const paused = fight.endedAt !== undefined && now - fight.endedAt < FIGHT_WINDOW;
  if (kind === 'same') return fight.endedAt === undefined ? { ...fight, endedAt: now } : paused ? fight : undefined;
  return fight.endedAt === undefined || paused ? { ...fight, endedAt: undefined } : undefined;
}

/** What is done about a finding: nothing, a correction now, one at a time (ms since 1970), or the end of all corrections. */
export type Correction =
  | { readonly kind: 'none' }
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly time: number }
  | { readonly kind: 'fight'; readonly manager: string };

/**
 * Whether a correction may be asked for. That it is wanted at all (mode, suspension, a running attempt) is the caller's to know.
 * `forced`: whether fields may be taken from other managers; else what they hold stays theirs.
 */
export function correctionOf({ finding, corrections, fight }: DriftRecord, now: number, forced = true): Correction {
  if ((finding.kind !== 'drifted' && finding.kind !== 'missing') || fight !== undefined) return { kind: 'none' };
  // The first look may have met our own apply halfway; the second says that a correction would change nothing.
  if (isUnheld(finding)) return { kind: 'none' };
  if (!forced && isHeld(finding)) return { kind: 'none' };
  const recent = corrections.filter((time) => now - time < FIGHT_WINDOW);
  const last = recent.at(-1);
  if (last !== undefined && now - last < CORRECT_EVERY) return { kind: 'at', time: last + CORRECT_EVERY };
  return recent.length >= CORRECTIONS ? { kind: 'fight', manager: opponentOf(finding) } : { kind: 'now' };
}

/** The record after a correction was asked for. */
export function afterCorrection(record: DriftRecord, now: number): DriftRecord {
  return { ...record, corrections: [...record.corrections, now] };
}

/** The record once corrections have ended. */
export function afterFight(record: DriftRecord, manager: string): DriftRecord {
  return { ...record, fight: { manager, endedAt: undefined } };
}

function isUnheld(finding: Finding): boolean {
  return finding.kind === 'drifted' && finding.unheld;
}

/** An apply that takes nothing from others is refused whole. */
function isHeld(finding: Finding): boolean {
  return finding.kind === 'drifted' && finding.paths.some(({ manager }) => manager !== '');
}

function samePaths(one: Finding, other: Finding): boolean {
  return pathsOf(one).join('\n') === pathsOf(other).join('\n');
}

/** Values may differ from look to look (a webhook that writes the time); the fields do not. */
function pathsOf(finding: Finding): readonly string[] {
  return finding.kind === 'drifted' ? finding.paths.map(({ path }) => path) : [];
}

function opponentOf(finding: Finding): string {
  if (finding.kind !== 'drifted') return '';
  return finding.paths.find(({ manager }) => manager !== '')?.manager ?? finding.lastWriter;
}
