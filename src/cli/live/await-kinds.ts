import { ConvoyError } from '../../core/errors/index.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import type { CliIo } from '../io.ts';
import { Alarm, Changes } from './changes.ts';
import type { ClusterConnection } from './connection.ts';
import { isRefusal } from './failures.ts';
import type { LiveSession } from './session.ts';
import { queryOf } from './targets.ts';
import type { WaitLimit } from './wait.ts';

/** What makes new kinds: their definitions, and the servers of other groups. */
const MAKERS = ['customresourcedefinitions.apiextensions.k8s.io', 'apiservices.apiregistration.k8s.io'];
/** ms until discovery is asked again: soon after a change, for the server takes a moment to serve what it has taken in, then ever later. */
const [SOON, LATEST] = [500, 30_000];

/** ms that a look may take however short the limit is: one that is cut short would not tell a slow server from one that is away. */
const SHORTEST_LOOK = 5_000;
/** ms in which changes that come together are seen as one. */
const BREATH = 100;

type Queries = Pick<LiveSession, 'queries' | 'related'>;

/** Why to ask again; undefined: the error stays. */
function notYet(error: unknown, waiting: boolean): string | undefined {
  if (error instanceof ConvoyError && error.code === 'KindNotServed') return error.message;
  // That the server is away is told at the start; later it may come back.
  const passing = error instanceof TransportError ? error.fault !== 'credentials' : !isRefusal(error);
  const fromCluster = error instanceof TransportError || error instanceof ApiError;
  return waiting && fromCluster && passing ? error.message : undefined;
}

/**
 * The queries that `find` finds, as soon as the cluster serves all their kinds: it asks again when a definition or a group changes, and from
 * time to time where those may not be read. Returns them with the rest of the limit.
 *
 * @param find gets the ms that it may take
 * @throws ConvoyError (`WaitTimeout`), and what `find` throws for other reasons
 */
export async function awaitKinds(
  connection: ClusterConnection,
  io: Pick<CliIo, 'err'>,
  limit: WaitLimit,
  find: (ms: number) => Promise<Queries>,
): Promise<{ readonly found: Queries; readonly left: WaitLimit }> {
  const { clock } = connection;
  const end = clock.now() + limit.timeout;
  const stop = new AbortController();
  const changes = new Changes();
  const alarm = new Alarm(clock, () => changes.mark(), stop.signal);
  let rest = SOON;
  let told = '';
  try {
    for (let waiting = false; ; waiting = true) {
      try {
        const found = await find(Math.max(SHORTEST_LOOK, end - clock.now()));
        return { found, left: { ...limit, timeout: Math.max(1, end - clock.now()) } };
      } catch (error) {
        const why = notYet(error, waiting);
        if (why === undefined) throw error;
        if (clock.now() >= end) throw timeout(connection, limit, error);
        if (why !== told) void io.err(`waiting: ${why}\n`);
        told = why;
      }
      if (!waiting) {
        await followMakers(connection, stop.signal, () => {
          rest = SOON;
          changes.mark();
        });
      }
      alarm.set(Math.min(rest, end - clock.now()));
      rest = Math.min(LATEST, rest * 2);
      await changes.next(stop.signal);
      // Definitions come in dozens.
      await clock.sleep(BREATH, stop.signal);
    }
  } finally {
    stop.abort();
  }
}

function timeout({ cluster }: ClusterConnection, { text }: WaitLimit, error: unknown): unknown {
  if (!(error instanceof ConvoyError)) return error;
  const what = `still no "${String(error.values['name'])}" is served`;
  return new ConvoyError('WaitTimeout', { where: cluster.description, timeout: text, what });
}

async function followMakers(connection: ClusterConnection, signal: AbortSignal, changed: () => void): Promise<void> {
  for (const name of MAKERS) {
    const type = await connection.cluster.discovery.find(name).catch(() => undefined);
    if (type !== undefined) connection.follow(queryOf(type, { namespace: '' }), changed, signal);
  }
}
