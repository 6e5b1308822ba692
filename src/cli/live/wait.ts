import { ConvoyError } from '../../core/errors/index.ts';
import { withCause } from '../../core/health/assess-objects.ts';
import { EXIT } from '../exit-code.ts';
import { oneLine, summaryLine } from '../printers/table.ts';
import { type HealthItem, type HealthReport, healthReport, isHealthy, type JudgedObject } from '../report.ts';
import { Alarm, Changes } from './changes.ts';
import { asConvoyError } from './failures.ts';
import { FollowedQueries } from './follow-queries.ts';
import { judgeFindings } from './judge-findings.ts';
import { printLive } from './print-once.ts';
import type { Finding } from './read-queries.ts';
import { judgeWithCauses, type LiveSession, tellNewlyUnread } from './session.ts';

export interface WaitLimit {
  /** ms. */
  readonly timeout: number;
  /** As it was typed. */
  readonly text: string;
}

/** Up to this many objects each have their own lines of talk; of more, the sum is told. */
const MOST_TOLD = 5;
/** ms between two looks: what changes meanwhile is seen by one. Far below what a person or a pipeline notices. */
const REST = 20;

/** Waits until everything is healthy, by watches. Returns the exit code. @throws ConvoyError (`WaitTimeout`) */
export async function waitForHealth(session: LiveSession, limit: WaitLimit): Promise<number> {
  const stop = new AbortController();
  try {
    return await new Wait(session, limit, stop.signal).run();
  } finally {
    stop.abort();
  }
}

/** How a wait ends. */
type End = 'healthy' | 'failed' | 'late';

class Wait {
  readonly #session: LiveSession;
  readonly #limit: WaitLimit;
  readonly #stop: AbortSignal;
  readonly #changes = new Changes();
  readonly #objects: FollowedQueries;
  readonly #related: FollowedQueries;
  readonly #recheck: Alarm;
  #late = false;
  #told = '';
  #unread = 0;

  constructor(session: LiveSession, limit: WaitLimit, stop: AbortSignal) {
    const { connection, queries, related } = session;
    const mark = (): void => this.#changes.mark();
    this.#session = session;
    this.#limit = limit;
    this.#stop = stop;
    this.#objects = new FollowedQueries(connection, queries, mark, stop, session.timeout);
    this.#related = new FollowedQueries(connection, related, mark, stop, session.timeout);
    this.#recheck = new Alarm(connection.clock, mark, stop);
    new Alarm(
      connection.clock,
      () => {
        this.#late = true;
        mark();
      },
      stop,
    ).set(limit.timeout);
  }

  async run(): Promise<number> {
    const { clock } = this.#session.connection;
    for (;;) {
      const start = clock.now();
      const findings = this.#objects.findings();
      const end = findings === undefined ? this.#withoutFindings() : await this.#look(findings);
      if (end !== undefined) return this.#finish(end, findings ?? []);
      // Many objects take time to judge: most of it stays free for reading what changes.
      await clock.sleep(Math.max(REST, 2 * (clock.now() - start)), this.#stop);
      await this.#changes.next(this.#stop);
    }
  }

  #withoutFindings(): End | undefined {
    const { problem } = this.#objects;
    if (this.#late && problem !== undefined) throw asConvoyError(problem);
    if (problem !== undefined) this.#tell(`${problem.message} (trying again)`);
    return this.#late ? 'late' : undefined;
  }

  async #look(findings: readonly Finding[]): Promise<End | undefined> {
    this.#unread = await tellNewlyUnread(this.#session, findings, this.#unread);
    if (!this.#related.settled && !this.#late) return undefined;
    const judged = this.#judge(findings);
    const rechecks = judged.flatMap(({ verdict }) => verdict.recheckAfter ?? []);
    this.#recheck.set(rechecks.length === 0 ? undefined : Math.min(...rechecks));
    const report = healthReport(judged);
    if (report.summary.total > 0 && isHealthy(report)) return 'healthy';
    if (report.summary.degraded > 0) return 'failed';
    if (this.#late) return 'late';
    this.#tell(progress(report));
    return undefined;
  }

  #judge(findings: readonly Finding[]): readonly JudgedObject[] {
    const { connection, prepared } = this.#session;
    const options = this.#session.judgeOptions();
    return judgeFindings(findings, this.#related.objects(), prepared.judge, options, connection.cluster.description);
  }

  /** Prints the report, with causes if there is something to explain. */
  async #finish(end: End, findings: readonly Finding[]): Promise<number> {
    const found =
      end === 'healthy'
        ? { judged: this.#judge(findings), context: [] }
        : await judgeWithCauses(this.#session, findings);
    const report = await printLive(this.#session, found);
    if (end === 'late') throw this.#timeout(report);
    if (end === 'failed') return EXIT.notHealthy;
    return this.#unread > 0 ? EXIT.unreachable : EXIT.healthy;
  }

  #timeout(report: HealthReport): ConvoyError {
    const { connection, queries } = this.#session;
    const where = connection.cluster.description;
    const wrong = report.items.filter(({ state }) => state !== 'Healthy');
    const [first] = wrong;
    const more = wrong.length > 1 ? ` and ${wrong.length - 1} more` : '';
    let what = 'nothing was read';
    if (first !== undefined) what = `${describe(first)}${more}`;
    else if (this.#objects.findings() !== undefined) what = `there is still nothing to judge${placeOf(queries)}`;
    return new ConvoyError('WaitTimeout', { where, timeout: this.#limit.text, what });
  }

  /** One thing is told once. Talk is not waited for, and nobody reads it who is not there. */
  #tell(text: string): void {
    if (text === this.#told) return;
    this.#told = text;
    void this.#session.io.err(`${text}\n`);
  }
}

function placeOf(queries: LiveSession['queries']): string {
  const namespace = queries.find(({ type }) => type.namespaced)?.namespace ?? '';
  return namespace === '' ? '' : ` in namespace ${namespace}`;
}

function nameOf({ kind, namespace, name }: HealthItem): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function describe(item: HealthItem): string {
  const { state, reason, message, cause } = item;
  if (reason === 'NotFound') return `still ${message}`;
  const text = oneLine(withCause(message, cause));
  return `${nameOf(item)} is ${state}${text === '' ? '' : `: ${text}`}`;
}

/** What is waited for, in a few lines. */
function progress(report: HealthReport): string {
  const wrong = report.items.filter(({ state }) => state !== 'Healthy');
  if (report.summary.total === 0) return 'waiting: there is nothing to judge yet';
  if (wrong.length > MOST_TOLD) return `waiting: ${summaryLine(report)}`;
  return wrong.map((item) => `waiting: ${oneLine(describe(item))}`).join('\n');
}
