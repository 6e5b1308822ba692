import { withCause } from '../../core/health/assess-objects.ts';
import { type HealthState, STATES_WORST_FIRST } from '../../core/health/verdict.ts';
import type { HealthItem, HealthReport } from '../report.ts';

export interface TableStyle {
  /** Every object and more columns. */
  readonly wide: boolean;
  readonly colour: boolean;
}

/** Up to this many objects that are all healthy are listed; more are one line. */
const MOST_LISTED_HEALTHY = 10;

const COLOUR: Readonly<Record<HealthState, string>> = {
  Degraded: '\u001b[31m',
  Unknown: '\u001b[35m',
  Progressing: '\u001b[33m',
  Healthy: '\u001b[32m',
};
const PLAIN = '\u001b[0m';

/** One line without control characters: a message may hold what a container wrote. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '?').trim();
}

const NARROW = ['STATE', 'KIND', 'NAMESPACE', 'NAME', 'MESSAGE'];
const WIDE = ['STATE', 'REASON', 'KIND', 'NAMESPACE', 'NAME', 'RULE', 'SOURCE', 'MESSAGE'];

function cells(item: HealthItem, wide: boolean): string[] {
  const { state, reason, kind, namespace, name, rule, source } = item;
  const message = withCause(item.message, item.cause);
  return (
    wide ? [state, reason, kind, namespace, name, rule, source, message] : [state, kind, namespace, name, message]
  ).map(oneLine);
}

/** Worst first; within a state as in the input. */
function worstFirst(items: readonly HealthItem[]): HealthItem[] {
  return STATES_WORST_FIRST.flatMap((state) => items.filter((item) => item.state === state));
}

function collapsed(report: HealthReport): { listed: readonly HealthItem[]; healthy: number } {
  const { total, healthy } = report.summary;
  if (healthy === total && total <= MOST_LISTED_HEALTHY) return { listed: report.items, healthy: 0 };
  return { listed: report.items.filter(({ state }) => state !== 'Healthy'), healthy };
}

/** Rows as lines, each column as wide as its widest cell and two blanks apart. */
export function layOut(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The word of a state in its colour. */
export function colourOf(state: HealthState): string {
  return `${COLOUR[state]}${state}${PLAIN}`;
}

function inColour(line: string): string {
  const state = STATES_WORST_FIRST.find((candidate) => line.startsWith(candidate));
  return state === undefined ? line : `${colourOf(state)}${line.slice(state.length)}`;
}

/** `34 objects: 1 degraded, 2 progressing, 31 healthy`; states nobody is in are left out. */
export function summaryLine({ summary }: Pick<HealthReport, 'summary'>): string {
  const { total, degraded, unknown, progressing, healthy } = summary;
  const parts: [number, string][] = [
    [degraded, 'degraded'],
    [unknown, 'unknown'],
    [progressing, 'progressing'],
    [healthy, 'healthy'],
  ];
  const said = parts.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return `${total} ${total === 1 ? 'object' : 'objects'}${said.length > 0 ? `: ${said.join(', ')}` : ''}`;
}

/** The report for a person: what is wrong first, what is healthy as one line, and the sum. */
export function printTable(report: HealthReport, { wide, colour }: TableStyle): string {
  const { listed, healthy } = wide ? { listed: report.items, healthy: 0 } : collapsed(report);
  const header = wide ? WIDE : NARROW;
  const rows = worstFirst(listed).map((item) => cells(item, wide));
  if (healthy > 0) {
    const more = rows.length > 0 ? `${healthy} more` : `${healthy} objects`;
    rows.push(['Healthy', more, '', '', '(-o wide lists them)']);
  }
  const lines = rows.length > 0 ? layOut([header, ...rows]) : [];
  return [...(colour ? lines.map(inColour) : lines), summaryLine(report), ''].join('\n');
}
