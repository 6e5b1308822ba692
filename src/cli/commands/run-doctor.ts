import { ConvoyError } from '../../core/errors/index.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { checkCluster } from '../live/check-cluster.ts';
import type { ClusterConnection } from '../live/connection.ts';
import { asConvoyError } from '../live/failures.ts';
import { type Check, checkLine } from '../printers/live-checks.ts';
import { readRuleDocuments } from '../read-inputs.ts';
import { formatProblems } from '../talk.ts';
import { type ClusterFlags, clusterChoice, parseRequestTimeout } from './run-live-health.ts';

/** The flags of `convoy doctor` as they are typed. */
export interface DoctorFlags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly rules?: readonly string[];
}

/** Checks and prints, each check as soon as it is made. Returns the exit code; throws a ConvoyError for wrong flags. */
export async function runDoctor(flags: DoctorFlags, context: CommandContext): Promise<number> {
  const { io, connectCluster, prepareJudge } = context;
  const timeout = parseRequestTimeout(flags.requestTimeout, 'doctor');
  const choice = clusterChoice(flags);
  let worst: number = EXIT.healthy;
  const tell = async (check: Check): Promise<void> => {
    if (check.state === 'problem') worst = Math.max(worst, EXIT.notHealthy);
    await io.out(checkLine(check));
  };

  const documents = await readRuleDocuments(flags.rules ?? [], io.files);
  const prepared = await prepareJudge(documents.documents);
  const wrong = [...formatProblems(documents.problems), ...('problems' in prepared ? prepared.problems : [])];
  for (const text of wrong) await tell({ state: 'problem', subject: 'rules', text });
  const { sets } = 'problems' in prepared ? { sets: [] } : prepared;
  if (wrong.length === 0) {
    const count = sets.reduce((sum, set) => sum + set.rules.length, 0);
    await tell({ state: 'ok', subject: 'rules', text: `${count} rules, all readable` });
  }

  let connection: ClusterConnection | undefined;
  let subject = 'kubeconfig';
  try {
    connection = await connectCluster(choice);
    await tell({ state: 'ok', subject, text: `${connection.cluster.description}, namespace ${connection.namespace}` });
    subject = 'server';
    const namespace = flags.allNamespaces === true ? '' : connection.namespace;
    for await (const check of checkCluster(connection, { namespace, sets, timeout })) await tell(check);
    return worst;
  } catch (error) {
    const told = asConvoyError(error);
    if (!(told instanceof ConvoyError)) throw told;
    await tell({ state: 'problem', subject, text: told.message });
    return told.kind.exitCode;
  } finally {
    await connection?.close();
  }
}
