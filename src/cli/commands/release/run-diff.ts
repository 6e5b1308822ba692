import { diffRelease } from '../../../controllers/observer/drift/diff-release.ts';
import type { Release } from '../../../core/api/index.ts';
import { ConvoyError, harmless } from '../../../core/errors/index.ts';
import type { JsonMap } from '../../../core/object/fields.ts';
import { diffText, type ObjectDiff } from '../../../core/release/drift/index.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import { type ClusterFlags, clusterChoice } from '../run-live-health.ts';
import { parseValueOutput, printValue } from './print-objects.ts';
import { findRelease, onCluster, type ReleaseSession, readPages } from './release-session.ts';

/** The flags of `release diff` as they are typed. */
export interface DiffFlags extends ClusterFlags {
  readonly output: string;
  readonly targetContext?: string;
  readonly exitZero?: boolean;
}

/** Prints what differs on the cluster from what the Release asks for. Returns the exit code: 1 when something does. */
export async function runDiff(name: string, flags: DiffFlags, context: CommandContext): Promise<number> {
  const format = parseValueOutput(flags.output, ['diff']);
  return onCluster('diff', flags, context, async (session) => {
    const { release } = await findRelease(session, name);
    const objects = await onTarget(session, release, flags, context, (target) => compared(session, release, target));
    const differing = objects.filter(({ finding }) => finding.kind !== 'same');
    if (format.kind === 'diff') {
      await session.io.out(harmless(diffText(differing)));
      if (differing.length === 0) await session.io.err(`release ${name}: ${asRendered(objects.length)}\n`);
    } else {
      await session.io.out(await printValue(objects.map(objectValue), format));
    }
    return differing.length > 0 && flags.exitZero !== true ? EXIT.notHealthy : EXIT.healthy;
  });
}

function asRendered(count: number): string {
  return count === 1 ? 'the one object is as rendered' : `${count} objects are as rendered`;
}

/** Throws DiffImpossible. */
async function compared(session: ReleaseSession, release: Release, target: Cluster): Promise<readonly ObjectDiff[]> {
  const { cluster } = session.connection;
  const pages = await readPages(session, release);
  const diff = await diffRelease({ home: cluster, target, release, pages, signal: new AbortController().signal });
  if ('objects' in diff) return diff.objects;
  const { name } = release.metadata;
  const hint = `see \`convoy release get ${name}\``;
  throw new ConvoyError('DiffImpossible', { name, reason: diff.problem, hint });
}

/** Does a work on the cluster that the objects are on. Its kubeconfig is the operator's: a person names a context of their own. */
async function onTarget<Result>(
  session: ReleaseSession,
  release: Release,
  flags: DiffFlags,
  context: CommandContext,
  work: (target: Cluster) => Promise<Result>,
): Promise<Result> {
  const { name } = release.metadata;
  if (flags.targetContext === undefined) {
    const secret = release.spec.target?.kubeConfig?.secretRef.name;
    if (secret === undefined) return work(session.connection.cluster);
    const reason = `its objects are on the cluster of the Secret ${secret}`;
    throw new ConvoyError('DiffImpossible', {
      name,
      reason,
      hint: 'name a context of that cluster with --target-context',
    });
  }
  const connection = await context.connectCluster({ ...clusterChoice(flags), context: flags.targetContext });
  try {
    return await work(connection.cluster);
  } finally {
    await connection.close();
  }
}

/** One object as `-o json` prints it. */
function objectValue({ entry, finding }: ObjectDiff): JsonMap {
  const { group, version, kind, namespace, name } = entry;
  const { kind: state, ...rest } = finding;
  const paths = 'paths' in rest ? { paths: rest.paths } : {};
  const message = 'message' in rest ? { message: rest.message } : {};
  return { group, version, kind, namespace, name, state, ...paths, ...message };
}
