import { oneLine } from './table.ts';

/** `ok`, `warning`: it works, though not all of it; `problem`: something is to be mended. */
export type CheckState = 'ok' | 'warning' | 'problem';

/** What one check found. */
export interface Check {
  readonly state: CheckState;
  readonly subject: string;
  /** What was found; behind `; ` what to do about it, where there is something to do. */
  readonly text: string;
}

/** Width of the longest state, and of the longest subject. */
const STATE = 'problem'.length;
const SUBJECT = 'kubeconfig'.length;

export function checkLine({ state, subject, text }: Check): string {
  return `${state.padEnd(STATE)}  ${subject.padEnd(SUBJECT)}  ${oneLine(text)}\n`;
}
