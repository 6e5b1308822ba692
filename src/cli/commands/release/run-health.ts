import { ConvoyError } from '../../../core/errors/index.ts';
import { type HealthState, STATES_WORST_FIRST } from '../../../core/health/verdict.ts';
import { asList, asMap, isMap } from '../../../core/object/fields.ts';
import { entriesOf } from '../../../core/release/inventory/index.ts';
import { type ReleaseHealth, releaseHealthOf } from '../../../core/release/view/release-health.ts';
import { ApiError } from '../../../ports/errors.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import { healthLines, isState } from '../../printers/release-health.ts';
import { mayColour } from '../../talk.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { parseValueOutput, printValue } from './print-objects.ts';
import { type FoundRelease, findRelease, onCluster, type ReleaseSession, readPages } from './release-session.ts';
import { isWithoutAggregatedApi, subresourcePath } from './run-sync.ts';

/** The flags of `release health` as they are typed. */
export interface HealthFlags extends ClusterFlags {
  readonly output: string;
  readonly state?: string;
  readonly watch?: boolean;
  readonly exitZero?: boolean;
}

/** A Release whose health nobody asked for is not unhealthy: waves and hooks treat it so too. */
export function exitCodeOf({ healthy }: ReleaseHealth): number {
  if (healthy?.status === 'True' || healthy?.reason === 'NotConfigured') return EXIT.healthy;
  return EXIT.notHealthy;
}

/** Prints the health of a Release, object by object. Returns the exit code. */
export async function runHealth(name: string, flags: HealthFlags, context: CommandContext): Promise<number> {
  const format = parseValueOutput(flags.output, ['table']);
  const state = stateOf(flags.state);
  if (flags.watch === true && format.kind !== 'table' && format.kind !== 'json') {
    const hint = 'use -o table or json (a line for each change)';
    throw new ConvoyError('UsageInvalid', { reason: `--watch has no -o ${format.kind}`, hint });
  }
  const code = await onCluster('health', flags, context, async (session) => {
    const found = await findRelease(session, name);
    if (flags.watch === true) {
      const { watchRelease } = await import('./watch-health.ts');
      return watchRelease(session, found, { state, json: format.kind === 'json' });
    }
    const health = await readHealth(session, found, state);
    const { io } = session;
    await io.out(
      format.kind === 'table'
        ? `${healthLines(health, io.now(), mayColour(io)).join('\n')}\n`
        : await printValue(health, format),
    );
    return exitCodeOf(health);
  });
  return flags.exitZero === true && code === EXIT.notHealthy ? EXIT.healthy : code;
}

function stateOf(text: string | undefined): HealthState | undefined {
  if (text === undefined || isState(text)) return text;
  const hint = `use one of ${STATES_WORST_FIRST.join(', ')}`;
  throw new ConvoyError('UsageInvalid', { reason: `--state "${text}" is no state`, hint });
}

/** From the aggregated API; where there is none, from the inventory, which holds the same, and says so. */
async function readHealth(
  session: ReleaseSession,
  { release }: FoundRelease,
  state: HealthState | undefined,
): Promise<ReleaseHealth> {
  const filter = state === undefined ? '' : `?state=${state}`;
  try {
    const answer = await session.connection.cluster.raw(
      'GET',
      `${subresourcePath(release, 'health')}${filter}`,
      undefined,
      session.call,
    );
    if (isReleaseHealth(answer)) return answer;
    const { name, namespace } = release.metadata;
    const reason = 'the aggregated API answered with something else than a ReleaseHealth';
    throw new ConvoyError('ReleaseUnreadable', { name, namespace, reason });
  } catch (error) {
    if (!isWithoutAggregatedApi(error)) throw error;
    const pages = await readPages(session, release);
    const why = error instanceof ApiError && error.code === 404 ? 'is not installed' : 'does not answer';
    await session.io.err(`convoy: the aggregated API ${why}; read from the ReleaseInventory, which says the same\n`);
    return releaseHealthOf(release, entriesOf(pages), state);
  }
}

function isReleaseHealth(value: unknown): value is ReleaseHealth {
  const { kind, summary, resources, metadata } = asMap(value);
  return kind === 'ReleaseHealth' && isMap(summary) && isMap(metadata) && asList(resources).every(isMap);
}
