import { RELEASES } from '../../../core/api/index.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { CLI_MANAGER, findRelease, onCluster } from './release-session.ts';

/** Suspends Releases, or lets them go on. Returns the exit code. */
export async function runSuspend(
  names: readonly string[],
  suspend: boolean,
  flags: ClusterFlags,
  context: CommandContext,
): Promise<number> {
  const command = suspend ? 'suspend' : 'resume';
  return onCluster(command, flags, context, async (session) => {
    for (const name of names) {
      const { release } = await findRelease(session, name);
      const { namespace } = release.metadata;
      const done = suspend ? 'suspended' : 'resumed';
      if (release.spec.suspend === suspend) {
        await session.io.out(`release ${name} ${suspend ? 'was suspended' : 'was not suspended'} already\n`);
        continue;
      }
      const path = { type: RELEASES, namespace, name };
      const options = { fieldManager: CLI_MANAGER, ...session.call };
      await session.connection.cluster.patch(path, 'merge', { spec: { suspend } }, options);
      await session.io.out(`release ${name} ${done}\n`);
    }
    return EXIT.healthy;
  });
}
