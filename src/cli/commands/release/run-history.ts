import type { Release } from '../../../core/api/index.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import { ageOf } from '../../printers/age.ts';
import { layOut, oneLine } from '../../printers/table.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { parseValueOutput, printValue } from './print-objects.ts';
import { findRelease, onCluster, shortRender } from './release-session.ts';

/** The flags of `release history` as they are typed. */
export interface HistoryFlags extends ClusterFlags {
  readonly output: string;
}

/** What is to be said of a render beside its row: what runs, what was healthy last, what is kept out. */
function notesOf({ status }: Release, renderRef: string): string {
  const notes = [
    [status.lastApplied?.renderRef, 'applied'],
    [status.lastHealthy?.renderRef, 'healthy last'],
    [status.held?.renderRef, 'held'],
    [status.held?.from, 'kept out'],
  ];
  return notes.flatMap(([ref, note]) => (ref === renderRef ? [note] : [])).join(', ');
}

/** Prints the renders that were attempted, newest first. Returns the exit code. */
export async function runHistory(name: string, flags: HistoryFlags, context: CommandContext): Promise<number> {
  const format = parseValueOutput(flags.output, ['table']);
  return onCluster('history', flags, context, async (session) => {
    const { release } = await findRelease(session, name);
    const history = release.status.history ?? [];
    if (format.kind !== 'table') {
      await session.io.out(await printValue(history, format));
      return EXIT.healthy;
    }
    if (history.length === 0) {
      await session.io.err(`release ${name} has not been attempted yet\n`);
      return EXIT.healthy;
    }
    const now = session.io.now();
    const rows = history.map(({ renderRef, revision, appliedAt, healthyAt, outcome }) => [
      shortRender(renderRef),
      oneLine(revision),
      ageOf(appliedAt, now),
      ageOf(healthyAt, now) || '-',
      outcome ?? 'Running',
      notesOf(release, renderRef),
    ]);
    await session.io.out(
      `${layOut([['RENDER', 'REVISION', 'APPLIED', 'HEALTHY', 'OUTCOME', 'NOTES'], ...rows]).join('\n')}\n`,
    );
    return EXIT.healthy;
  });
}
