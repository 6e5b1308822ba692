import { EXIT } from '../exit-code.ts';
import { printReport } from '../printers/print-report.ts';
import { type HealthReport, healthReport, isHealthy } from '../report.ts';
import { mayColour } from '../talk.ts';
import { readQueries } from './read-queries.ts';
import { judgeWithCauses, type LiveSession, tellUnread } from './session.ts';

/** Why a report is empty, which may be a misspelt namespace. */
export function nothingFound({ connection, queries }: LiveSession): string {
  const namespaces = new Set(queries.filter(({ type }) => type.namespaced).map(({ namespace }) => namespace));
  const [namespace = ''] = namespaces;
  return `no objects to judge${namespace === '' ? '' : ` in namespace ${namespace}`} of ${connection.cluster.description}\n`;
}

/** Prints a report in the format that was asked for. */
export async function printLive({ io, format }: LiveSession, report: HealthReport): Promise<void> {
  await io.out(await printReport(report, format, mayColour(io)));
}

/** Judges what is there now, once. Returns the exit code. */
export async function judgeOnce(session: LiveSession): Promise<number> {
  const findings = await readQueries(session.connection, session.queries, session.timeout);
  const unread = await tellUnread(session, findings);
  const { judged } = await judgeWithCauses(session, findings);
  const report = healthReport(judged);
  if (report.summary.total === 0) await session.io.err(nothingFound(session));
  await printLive(session, report);
  if (!isHealthy(report)) return EXIT.notHealthy;
  return unread ? EXIT.unreachable : EXIT.healthy;
}
