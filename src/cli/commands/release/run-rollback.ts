import { RELEASES, type Release } from '../../../core/api/index.ts';
import { ConvoyError } from '../../../core/errors/index.ts';
import { ROLLBACK_TO } from '../../../core/release/names.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { CLI_MANAGER, findRelease, onCluster, shortRender } from './release-session.ts';

/** The flags of `release rollback` as they are typed. */
export interface RollbackFlags extends ClusterFlags {
  readonly to?: string;
  readonly undo?: boolean;
}

/** Rolls a Release back to a render that it keeps, or lets it follow its source again. Returns the exit code. */
export async function runRollback(name: string, flags: RollbackFlags, context: CommandContext): Promise<number> {
  const { to, undo = false } = flags;
  if (undo && to !== undefined) {
    throw new ConvoyError('UsageInvalid', { reason: '--undo and --to exclude each other', hint: 'choose one' });
  }
  return onCluster('rollback', flags, context, async (session) => {
    const { release } = await findRelease(session, name);
    const renderRef = undo ? null : chosenRender(release, to);
    const { namespace } = release.metadata;
    const patch = { metadata: { annotations: { [ROLLBACK_TO]: renderRef } } };
    const options = { fieldManager: CLI_MANAGER, ...session.call };
    await session.connection.cluster.patch({ type: RELEASES, namespace, name }, 'merge', patch, options);
    await session.io.out(
      renderRef === null
        ? `release ${name} follows its source again\n`
        : `release ${name} rolls back to ${shortRender(renderRef)} (${revisionOf(release, renderRef)}), until its source gives another render or \`convoy release rollback ${name} --undo\`\n`,
    );
    return EXIT.healthy;
  });
}

interface Render {
  readonly renderRef: string;
  readonly revision: string;
}

/** Renders that the status names, those of which the bytes are kept first. */
function rendersOf({ status }: Release): readonly Render[] {
  return [status.lastHealthy, status.lastApplied, status.lastAttempted, ...(status.history ?? [])].filter(
    (one) => one !== undefined,
  );
}

function revisionOf(release: Release, renderRef: string): string {
  return rendersOf(release).find((one) => one.renderRef === renderRef)?.revision ?? 'unknown revision';
}

/** By the beginning of its digest or by its revision; without either the one that was healthy last. Throws RenderUnknown. */
function chosenRender(release: Release, to: string | undefined): string {
  const { metadata, status } = release;
  const { name } = metadata;
  if (to === undefined) {
    const healthy = status.lastHealthy?.renderRef;
    const hint = `name another with --to; see \`convoy release history ${name}\``;
    if (healthy === undefined) throw new ConvoyError('RenderUnknown', { name, render: 'that was healthy', hint });
    if (healthy === status.lastAttempted?.renderRef && status.held === undefined) {
      const reason = `what runs is the render that was healthy last (${shortRender(healthy)})`;
      throw new ConvoyError('UsageInvalid', { reason, hint });
    }
    return healthy;
  }
  const wanted = to.replace(/^sha256:/, '');
  const all = rendersOf(release);
  const matching = all.filter(
    ({ renderRef, revision }) => revision === to || (wanted.length >= 4 && renderRef.startsWith(`sha256:${wanted}`)),
  );
  const refs = [...new Set(matching.map(({ renderRef }) => renderRef))];
  const [only] = refs;
  if (only !== undefined && refs.length === 1) return only;
  const hint =
    refs.length > 1
      ? `it means several: ${refs.map(shortRender).join(', ')}; write more digits`
      : `see \`convoy release history ${name}\``;
  throw new ConvoyError('RenderUnknown', { name, render: to, hint });
}
