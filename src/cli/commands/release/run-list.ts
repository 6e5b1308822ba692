import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import { parseLabelSelector } from '../../options/label-selector.ts';
import { ageOf } from '../../printers/age.ts';
import { layOut, oneLine } from '../../printers/table.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { parseValueOutput, printValue } from './print-objects.ts';
import { conditionOf, type FoundRelease, listObjects, onCluster, readFound } from './release-session.ts';

/** The flags of `release list` as they are typed. */
export interface ListFlags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output: string;
}

function rowOf({ release }: FoundRelease, now: number, wide: boolean): readonly string[] {
  const { metadata, status } = release;
  const [ready, healthy] = [conditionOf(release, 'Ready'), conditionOf(release, 'Healthy')];
  return [
    metadata.namespace,
    metadata.name,
    ready.status,
    healthy.reason === 'NotConfigured' ? '-' : healthy.status,
    status.lastApplied?.revision ?? '-',
    ageOf(metadata.creationTimestamp, now),
    ready.message,
    ...(wide ? [healthy.message] : []),
  ].map(oneLine);
}

const HEADER = ['NAMESPACE', 'NAME', 'READY', 'HEALTHY', 'REVISION', 'AGE', 'STATUS'];

/** Prints the Releases of a namespace or of all. Returns the exit code. */
export async function runList(flags: ListFlags, context: CommandContext): Promise<number> {
  const { allNamespaces = false, selector, output } = flags;
  const format = parseValueOutput(output, ['table', 'wide', 'name']);
  if (selector !== undefined) parseLabelSelector(selector);
  return onCluster('list', flags, context, async (session) => {
    const { io, connection } = session;
    const namespace = allNamespaces ? '' : connection.namespace;
    const objects = await listObjects(session, namespace, selector);
    const found = objects.map(readFound).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    switch (format.kind) {
      case 'name':
        await io.out(found.map(({ release }) => `release/${oneLine(release.metadata.name)}\n`).join(''));
        break;
      case 'table':
      case 'wide': {
        if (found.length === 0) {
          const where = namespace === '' ? '' : ` in namespace ${namespace}`;
          await io.err(`no releases${where} of ${connection.cluster.description}\n`);
          break;
        }
        const wide = format.kind === 'wide';
        const now = io.now();
        const rows = [[...HEADER, ...(wide ? ['HEALTH'] : [])], ...found.map((one) => rowOf(one, now, wide))];
        const lines = layOut(allNamespaces ? rows : rows.map(([, ...row]) => row));
        await io.out(`${lines.join('\n')}\n`);
        break;
      }
      default: {
        const items = found.map(({ object }) => object);
        await io.out(await printValue({ apiVersion: 'v1', kind: 'List', metadata: {}, items }, format));
      }
    }
    return EXIT.healthy;
  });
}

function keyOf({ release }: FoundRelease): string {
  return `${release.metadata.namespace}/${release.metadata.name}`;
}
