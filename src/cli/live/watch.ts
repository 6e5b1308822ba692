import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { EXIT } from '../exit-code.ts';
import type { JudgeOptions } from '../judge.ts';
import { changedItems } from '../printers/live-changes.ts';
import { screenOf } from '../printers/live-screen.ts';
import { type HealthReport, healthReport } from '../report.ts';
import { mayColour } from '../talk.ts';
import { Alarm, Changes } from './changes.ts';
import { FollowedQueries } from './follow-queries.ts';
import { judgeFindings } from './judge-findings.ts';
import type { Finding } from './read-queries.ts';
import { type LiveSession, tellNewlyUnread } from './session.ts';
import { causeQueries } from './surroundings.ts';

/** ms between two pictures: faster than that nobody reads. */
const REST = 100;

/** Shows the health of what is there, and each change, until the person ends it. Returns the exit code. */
export async function watchHealth(session: LiveSession): Promise<number> {
  const stop = new AbortController();
  const interrupted = session.connection.interrupted();
  interrupted.addEventListener('abort', () => stop.abort(), { once: true });
  try {
    await new Watch(session, stop.signal).run();
    return EXIT.healthy;
  } finally {
    stop.abort();
  }
}

class Watch {
  readonly #session: LiveSession;
  readonly #stop: AbortSignal;
  readonly #changes = new Changes();
  readonly #objects: FollowedQueries;
  readonly #context: FollowedQueries;
  readonly #recheck: Alarm;
  readonly #asTable: boolean;
  #before: HealthReport = healthReport([]);
  #unread = 0;
  #told = '';

  constructor(session: LiveSession, stop: AbortSignal) {
    const { connection, queries, related, io, format } = session;
    const mark = (): void => this.#changes.mark();
    const namespaces = queries.filter(({ type }) => type.namespaced).map(({ namespace }) => namespace);
    const types = queries.map(({ type }) => type);
    const causes = causeQueries(types, [...new Set(namespaces)]);
    this.#session = session;
    this.#stop = stop;
    this.#objects = new FollowedQueries(connection, queries, mark, stop, session.timeout);
    this.#context = new FollowedQueries(connection, [...related, ...causes], mark, stop, session.timeout);
    this.#recheck = new Alarm(connection.clock, mark, stop);
    this.#asTable = io.isTerminal && format.kind !== 'json';
  }

  async run(): Promise<void> {
    const { clock } = this.#session.connection;
    while (!this.#stop.aborted) {
      const start = clock.now();
      const findings = this.#objects.findings();
      // The first picture has its causes in it, so that a pipe does not get every line twice.
      if (findings !== undefined && this.#context.settled) await this.#show(findings);
      this.#tellProblem();
      await clock.sleep(Math.max(REST, 2 * (clock.now() - start)), this.#stop).catch(() => undefined);
      await this.#changes.next(this.#stop);
    }
  }

  async #show(findings: readonly Finding[]): Promise<void> {
    this.#unread = await tellNewlyUnread(this.#session, findings, this.#unread);
    const { io, format } = this.#session;
    const options = this.#session.judgeOptions();
    const report = this.#judge(findings, this.#context.objects(), options);
    const changes = changedItems(this.#before, report, options.now, format.kind === 'json');
    this.#before = report;
    if (!this.#asTable) {
      if (changes !== '') await io.out(changes);
      return;
    }
    const style = { wide: format.kind === 'wide', colour: mayColour(io) };
    await io.out(screenOf(report, style, options.now, io.terminalSize?.()));
  }

  #judge(findings: readonly Finding[], context: readonly KubernetesObject[], options: JudgeOptions): HealthReport {
    const { connection, prepared } = this.#session;
    const judged = judgeFindings(findings, context, prepared.judge, options, connection.cluster.description);
    const rechecks = judged.flatMap(({ verdict }) => verdict.recheckAfter ?? []);
    this.#recheck.set(rechecks.length === 0 ? undefined : Math.min(...rechecks));
    return healthReport(judged);
  }

  /** A cluster that cannot be read is told once, and so is that it can be again. */
  #tellProblem(): void {
    const { problem } = this.#objects;
    const text = problem === undefined ? '' : problem.message;
    if (text === this.#told) return;
    this.#told = text;
    const line = text === '' ? 'the cluster can be read again' : `${text} (trying again; what is shown may be old)`;
    void this.#session.io.err(`convoy: ${line}\n`);
  }
}
