import { TransportError } from '../../ports/errors.ts';
import type { ClusterConnection } from './connection.ts';

/** A work on a cluster that may take `ms` (undefined: as long as the client allows). @throws TransportError (`timeout`) */
export async function within<Result>(
  { clock, cluster }: ClusterConnection,
  ms: number | undefined,
  work: Promise<Result>,
): Promise<Result> {
  if (ms === undefined) return work;
  const done = new AbortController();
  const late = clock.sleep(ms, done.signal).then((): never => {
    throw new TransportError(
      'timeout',
      `${cluster.description}: no answer within ${ms / 1000} s; check network and VPN, or give it more with --request-timeout`,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    // What was cut short has nothing more to say.
    late.catch(() => undefined);
  }
}
