import { ConvoyError } from '../../core/errors/index.ts';
import { parseDeadline } from '../../core/health/deadline.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { JudgeOptions } from '../judge.ts';
import type { ClusterChoice } from '../live/connection.ts';
import { withClusterErrors } from '../live/failures.ts';
import { findQueries, type LiveSession } from '../live/session.ts';
import { parseTargets, type Scope, type Targets } from '../live/targets.ts';
import type { WaitLimit } from '../live/wait.ts';
import { parseLabelSelector } from '../options/label-selector.ts';
import { type OutputFormat, parseOutput } from '../options/output.ts';
import { parseDeadlineFlag, parseTime } from '../options/time.ts';
import { readRuleDocuments } from '../read-inputs.ts';
import { refuse, refuseLines } from '../talk.ts';
import type { HealthFlags } from './run-health.ts';

/** kubectl's flags for the cluster, as they are typed. */
export interface ClusterFlags {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly requestTimeout?: string;
}

/** The flags of `convoy health` for objects of a cluster. */
export interface LiveHealthFlags extends HealthFlags, ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly allKinds?: boolean;
  readonly wait?: boolean;
  readonly timeout?: string;
  readonly watch?: boolean;
  readonly logs?: boolean;
}

interface LiveOptions {
  readonly targets: Targets;
  readonly choice: ClusterChoice;
  readonly requestTimeout: number | undefined;
  readonly format: OutputFormat;
  readonly judge: () => JudgeOptions;
  /** Undefined: not to wait. */
  readonly wait: WaitLimit | undefined;
  readonly watch: boolean;
  readonly logs: boolean;
}

/** Which cluster the flags mean. */
export function clusterChoice(flags: ClusterFlags): ClusterChoice {
  const { namespace, context, kubeconfig, as, asGroup } = flags;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(context === undefined ? {} : { context }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(as === undefined ? {} : { as }),
    ...(asGroup === undefined ? {} : { asGroups: asGroup }),
  };
}

/** ms of the value of a flag. Throws DurationInvalid. */
export function parseDuration(flag: string, value: string, command: string): number {
  const duration = parseDeadline(value);
  if (typeof duration === 'number') return duration;
  throw new ConvoyError('DurationInvalid', { reason: duration.problem.replace(/^deadline/, flag), command });
}

/** As kubectl reads it: a number alone is seconds, and 0 is no limit of its own. */
export function parseRequestTimeout(value: string | undefined, command: string): number | undefined {
  if (value === undefined || /^0+$/.test(value)) return undefined;
  return parseDuration('--request-timeout', /^\d+$/.test(value) ? `${value}s` : value, command);
}

/** What kubectl rollout status has no limit for: a pipeline that hangs is worse than one that fails. */
const DEFAULT_WAIT = '5m';

function waitLimit({ wait = false, timeout }: LiveHealthFlags): WaitLimit | undefined {
  if (!wait && timeout !== undefined) {
    throw new ConvoyError('UsageInvalid', { reason: '--timeout is the limit of --wait', hint: 'add --wait' });
  }
  const text = timeout ?? DEFAULT_WAIT;
  return wait ? { timeout: parseDuration('--timeout', text, 'health'), text } : undefined;
}

/** A picture that changes, or a line for each change: other formats have an end. */
function watches({ watch = false, wait = false }: LiveHealthFlags, { kind }: OutputFormat): boolean {
  if (!watch) return false;
  if (wait) {
    throw new ConvoyError('UsageInvalid', { reason: '--watch and --wait exclude each other', hint: 'choose one' });
  }
  if (kind === 'table' || kind === 'wide' || kind === 'json') return true;
  const hint = 'use -o table, wide or json (a line for each change)';
  throw new ConvoyError('UsageInvalid', { reason: `--watch has no -o ${kind}`, hint });
}

/** Logs stand behind a table that has an end: no program could read them there. */
function showsLogs({ logs = false, watch = false }: LiveHealthFlags, { kind }: OutputFormat): boolean {
  if (!logs) return false;
  const other = watch ? '--watch' : kind === 'table' || kind === 'wide' ? undefined : `-o ${kind}`;
  if (other === undefined) return true;
  throw new ConvoyError('UsageInvalid', {
    reason: `--logs and ${other} exclude each other`,
    hint: 'use --logs with -o table or wide',
  });
}

async function compileFlags(
  words: readonly string[],
  flags: LiveHealthFlags,
  clock: () => number,
): Promise<LiveOptions> {
  const { output, now, deadline, selector = '' } = flags;
  const targets = parseTargets(words, flags);
  const format = parseOutput(output);
  if (format.kind === 'jsonpath') (await import('../jsonpath/parse.ts')).parseJsonPath(format.template);
  // A misspelt selector is told before the cluster is asked.
  parseLabelSelector(selector);
  const fixed = now === undefined ? undefined : parseTime('--now', now);
  const limit = deadline === undefined ? {} : { deadline: parseDeadlineFlag(deadline, 'health') };
  return {
    targets,
    choice: clusterChoice(flags),
    requestTimeout: parseRequestTimeout(flags.requestTimeout, 'health'),
    format,
    wait: waitLimit(flags),
    watch: watches(flags, format),
    logs: showsLogs(flags, format),
    judge: () => ({ now: fixed ?? clock(), ...limit }),
  };
}

/** Judges objects of a cluster and prints. Returns the exit code; throws a ConvoyError for wrong flags and a cluster that cannot be read. */
export async function runLiveHealth(
  words: readonly string[],
  flags: LiveHealthFlags,
  { io, prepareJudge, connectCluster }: CommandContext,
): Promise<number> {
  const options = await compileFlags(words, flags, io.now);
  const rules = await readRuleDocuments(flags.rules ?? [], io.files);
  if (rules.problems.length > 0) return refuse(io, rules.problems);
  const prepared = await prepareJudge(rules.documents);
  if ('problems' in prepared) return refuseLines(io, prepared.problems);

  const code = await withClusterErrors(async () => {
    const connection = await connectCluster(options.choice);
    try {
      const scope: Scope = {
        namespace: flags.allNamespaces === true ? '' : connection.namespace,
        ...(flags.selector === undefined ? {} : { labelSelector: flags.selector }),
      };
      const { requestTimeout: timeout, format, logs, wait } = options;
      const find = (ms = timeout) => findQueries(connection, options.targets, scope, prepared, ms);
      const session = { io, connection, prepared, format, timeout, logs, judgeOptions: options.judge };
      if (wait === undefined) return await run({ ...session, ...(await find()) }, options);
      const look = (ms: number) => find(Math.min(ms, timeout ?? ms));
      const { found, left } = await (await import('../live/await-kinds.ts')).awaitKinds(connection, io, wait, look);
      return await (await import('../live/wait.ts')).waitForHealth({ ...session, ...found }, left);
    } finally {
      await connection.close();
    }
  });
  return flags.exitZero === true && code === EXIT.notHealthy ? EXIT.healthy : code;
}

async function run(session: LiveSession, { watch }: LiveOptions): Promise<number> {
  if (watch) return (await import('../live/watch.ts')).watchHealth(session);
  return (await import('../live/print-once.ts')).judgeOnce(session);
}
