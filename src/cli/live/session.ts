import { refOf } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { CliIo } from '../io.ts';
import type { JudgeOptions, PreparedJudge } from '../judge.ts';
import type { OutputFormat } from '../options/output.ts';
import type { JudgedObject } from '../report.ts';
import type { ClusterConnection, Query } from './connection.ts';
import { asConvoyError, isNotFound, isRefusal } from './failures.ts';
import { judgeFindings } from './judge-findings.ts';
import { typesWithRules } from './kinds-with-rules.ts';
import { type Finding, readQueries } from './read-queries.ts';
import { causeQueries, relatedQueries } from './surroundings.ts';
import { queriesOf, queryOf, type Scope, type Targets } from './targets.ts';
import { within } from './within.ts';

/** A command at work on a cluster: what was asked, of whom, and how to judge it. */
export interface LiveSession {
  readonly io: CliIo;
  readonly connection: ClusterConnection;
  readonly prepared: PreparedJudge;
  readonly format: OutputFormat;
  readonly queries: readonly Query[];
  /** What rules want to see beside the objects of the queries. */
  readonly related: readonly Query[];
  /** ms for one request; undefined: the client's. */
  readonly timeout: number | undefined;
  /** Whether the last lines of failing containers are wanted. */
  readonly logs: boolean;
  judgeOptions(): JudgeOptions;
}

/** The queries that arguments mean on a cluster, and those whose objects rules want to see beside. */
export async function findQueries(
  connection: ClusterConnection,
  targets: Targets,
  scope: Scope,
  { sets }: PreparedJudge,
  timeout: number | undefined,
): Promise<Pick<LiveSession, 'queries' | 'related'>> {
  const { discovery, description } = connection.cluster;
  const work = async (): Promise<Pick<LiveSession, 'queries' | 'related'>> => {
    const types = await discovery.all();
    const queries =
      targets.kind === 'named'
        ? await queriesOf(targets, scope, discovery, description)
        : typesWithRules(types, sets)
            .filter((type) => type.namespaced || scope.namespace === '')
            .map((type) => queryOf(type, scope));
    return { queries, related: relatedQueries(queries, sets, types) };
  };
  return within(connection, timeout, work());
}

/** What could not be read is no verdict: an error where it was named, else a line of talk. Returns whether there was any. */
export async function tellUnread({ io }: LiveSession, findings: readonly Finding[]): Promise<boolean> {
  const unread = findings.flatMap((finding) => ('error' in finding ? [finding] : []));
  const everyKind = findings.length > unread.length;
  for (const { query, error } of unread) {
    // A kind that came or went since discovery is none to judge.
    if (everyKind && isNotFound(error)) continue;
    const told = asConvoyError(error);
    if (!everyKind || !isRefusal(error)) throw told;
    await io.err(`convoy: ${query.type.resource} were not judged: ${told instanceof Error ? told.message : ''}\n`);
  }
  return unread.some(({ error }) => !isNotFound(error));
}

/** As `tellUnread`, for who looks again and again: tells when there are more than `before`. Returns how many there are. */
export async function tellNewlyUnread(
  session: LiveSession,
  findings: readonly Finding[],
  before: number,
): Promise<number> {
  const unread = findings.filter((finding) => 'error' in finding).length;
  if (unread > before) await tellUnread(session, findings);
  return unread;
}

function objectsIn(findings: readonly Finding[]): readonly KubernetesObject[] {
  return findings.flatMap((finding) => ('objects' in finding ? finding.objects : []));
}

/** ms: causes are worth no longer wait. */
const CAUSE_TIMEOUT = 10_000;
/** Namespaces from which on one list of all is cheaper than one of each. */
const MANY_NAMESPACES = 10;

/** Reads what explains the objects that do not work. What may not be read explains nothing, and is no failure. */
async function readCauses(session: LiveSession, judged: readonly JudgedObject[]): Promise<readonly KubernetesObject[]> {
  const wrong = judged.filter(({ verdict }) => verdict.state !== 'Healthy' && verdict.reason !== 'NotFound');
  if (wrong.length === 0) return [];
  const types = session.queries
    .map(({ type }) => type)
    .filter(({ group, kind }) =>
      wrong.some(({ object }) => refOf(object).kind === kind && refOf(object).group === group),
    );
  const namespaces = [...new Set(wrong.map(({ object }) => refOf(object).namespace))];
  const queries = causeQueries(types, namespaces.length > MANY_NAMESPACES ? [''] : namespaces);
  return objectsIn(await readQueries(session.connection, queries, session.timeout ?? CAUSE_TIMEOUT));
}

export interface JudgedWithContext {
  readonly judged: readonly JudgedObject[];
  readonly context: readonly KubernetesObject[];
}

/** Verdicts for findings, with causes read from the cluster. */
export async function judgeWithCauses(session: LiveSession, findings: readonly Finding[]): Promise<JudgedWithContext> {
  const { connection, prepared, related, timeout } = session;
  const source = connection.cluster.description;
  const beside = objectsIn(await readQueries(connection, related, timeout ?? CAUSE_TIMEOUT));
  const options = session.judgeOptions();
  const judged = judgeFindings(findings, beside, prepared.judge, options, source);
  const causes = await readCauses(session, judged);
  if (causes.length === 0) return { judged, context: beside };
  const context = [...beside, ...causes];
  return { judged: judgeFindings(findings, context, prepared.judge, options, source), context };
}
