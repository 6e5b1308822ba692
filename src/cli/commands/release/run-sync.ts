import { RELEASES, type Release, SUBRESOURCES_GROUP, VERSION } from '../../../core/api/index.ts';
import { SYNC_REQUESTED } from '../../../core/release/names.ts';
import { ApiError } from '../../../ports/errors.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { CLI_MANAGER, findRelease, onCluster, type ReleaseSession } from './release-session.ts';

/** The path of a subresource of a Release in the aggregated API. */
export function subresourcePath({ metadata }: Pick<Release, 'metadata'>, subresource: 'health' | 'sync'): string {
  const [namespace, name] = [metadata.namespace, metadata.name].map(encodeURIComponent);
  return `/apis/${SUBRESOURCES_GROUP}/${VERSION}/namespaces/${namespace}/releases/${name}/${subresource}`;
}

/** Whether the aggregated API is not there, or does not answer: then the same can be had by Kubernetes' own means. */
export function isWithoutAggregatedApi(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 404 || error.code === 503);
}

/** Asks for a reconcile of each Release now. Returns the exit code. */
export async function runSync(names: readonly string[], flags: ClusterFlags, context: CommandContext): Promise<number> {
  return onCluster('sync', flags, context, async (session) => {
    for (const name of names) {
      const { release } = await findRelease(session, name);
      await requestSync(session, release);
      await session.io.out(`release ${name}: sync requested\n`);
      if (release.spec.suspend) {
        await session.io.err(
          `convoy: release ${name} is suspended, so nothing is fetched or applied; \`convoy release resume ${name}\`\n`,
        );
      }
    }
    return EXIT.healthy;
  });
}

async function requestSync(session: ReleaseSession, release: Release): Promise<void> {
  const { cluster } = session.connection;
  try {
    await cluster.raw('POST', subresourcePath(release, 'sync'), { reason: 'Manual' }, session.call);
  } catch (error) {
    if (!isWithoutAggregatedApi(error)) throw error;
    const { namespace, name } = release.metadata;
    const time = new Date(session.io.now()).toISOString();
    const patch = { metadata: { annotations: { [SYNC_REQUESTED]: `${time} Manual` } } };
    const options = { fieldManager: CLI_MANAGER, ...session.call };
    await cluster.patch({ type: RELEASES, namespace, name }, 'merge', patch, options);
  }
}
