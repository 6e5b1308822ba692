import { harmless, plainLine } from '../../core/errors/index.ts';
import type { LintSeverity, RuleFinding } from '../../core/health/lint-rules.ts';

/** A finding with its place in a file. */
export interface PlacedFinding extends Omit<RuleFinding, 'span'> {
  readonly source: string;
  /** One-based. */
  readonly line: number;
  readonly column: number;
  /** `SET#RULE`; '' for what is wrong with the document. */
  readonly rule: string;
}

export interface LintReport {
  /** How many rules were looked at. */
  readonly rules: number;
  readonly findings: readonly PlacedFinding[];
}

const COLOUR: Readonly<Record<LintSeverity, string>> = {
  error: '\u001b[31m',
  warning: '\u001b[33m',
  note: '\u001b[36m',
};
const PLAIN = '\u001b[0m';

export function summaryOf({ rules, findings }: LintReport): Readonly<Record<'rules' | `${LintSeverity}s`, number>> {
  const count = (severity: LintSeverity): number => findings.filter((one) => one.severity === severity).length;
  return { rules, errors: count('error'), warnings: count('warning'), notes: count('note') };
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `FILE:LINE:COLUMN  error  MESSAGE`, the line of the source, carets under the place, the mend; the sum last. */
export function lintLines(report: LintReport, colour: boolean): readonly string[] {
  const { rules, errors, warnings, notes } = summaryOf(report);
  const parts: [number, string][] = [
    [errors, 'error'],
    [warnings, 'warning'],
    [notes, 'note'],
  ];
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => plural(count, word));
  const sum = `${plural(rules, 'rule')}: ${said.length === 0 ? 'nothing found' : said.join(', ')}`;
  return [...report.findings.flatMap((finding) => findingLines(finding, colour)), sum];
}

function findingLines(finding: PlacedFinding, colour: boolean): readonly string[] {
  const { source, line, column, severity, message, hints, excerpt } = finding;
  const word = colour ? `${COLOUR[severity]}${severity}${PLAIN}` : severity;
  const place = `${source === '-' ? 'stdin' : plainLine(source)}:${line}:${column}`;
  const head = `${place}  ${word}  ${plainLine(message)}`;
  const mend = harmless(hints.join('    '));
  if (excerpt === undefined) return mend === '' ? [head] : [head, `    ${mend}`];
  const [text = '', carets = ''] = excerpt;
  return [head, `    ${harmless(text)}`, `    ${carets}${mend === '' ? '' : `  ${mend}`}`];
}
