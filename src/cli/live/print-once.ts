import { EXIT } from '../exit-code.ts';
import { printReport } from '../printers/print-report.ts';
import { type HealthReport, healthReport, isHealthy } from '../report.ts';
import { mayColour } from '../talk.ts';
import { readQueries } from './read-queries.ts';
import { type JudgedWithContext, judgeWithCauses, type LiveSession, tellUnread } from './session.ts';

/** Why a report is empty, which may be a misspelt namespace. */
export function nothingFound({ connection, queries }: LiveSession): string {
  const namespaces = new Set(queries.filter(({ type }) => type.namespaced).map(({ namespace }) => namespace));
  const [namespace = ''] = namespaces;
  return `no objects to judge${namespace === '' ? '' : ` in namespace ${namespace}`} of ${connection.cluster.description}\n`;
}

/** Prints verdicts in the format that was asked for, and logs if they were. Returns the report. */
export async function printLive(session: LiveSession, found: JudgedWithContext): Promise<HealthReport> {
  const { io, format } = session;
  const report = healthReport(found.judged);
  await io.out(await printReport(report, format, mayColour(io)));
  if (session.logs) await (await import('./logs.ts')).printLogs(session, found);
  return report;
}

/** Judges what is there now, once. Returns the exit code. */
export async function judgeOnce(session: LiveSession): Promise<number> {
  const findings = await readQueries(session.connection, session.queries, session.timeout);
  const unread = await tellUnread(session, findings);
  const found = await judgeWithCauses(session, findings);
  if (found.judged.length === 0) await session.io.err(nothingFound(session));
  const report = await printLive(session, found);
  if (!isHealthy(report)) return EXIT.notHealthy;
  return unread ? EXIT.unreachable : EXIT.healthy;
}
