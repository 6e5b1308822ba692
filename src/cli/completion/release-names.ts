import { RELEASES } from '../../core/api/index.ts';
import { asString, field } from '../../core/object/fields.ts';
import type { ConnectCluster } from '../live/connection.ts';

/** ms that a person who pressed Tab waits. */
const PATIENCE = 2_000;

/** Names of the Releases of the namespace that the flags mean; none where the cluster cannot be asked: a Tab is no place for errors. */
export async function releaseNames(
  flags: ReadonlyMap<string, string>,
  connectCluster: ConnectCluster,
): Promise<readonly string[]> {
  const flag = (long: string, name: string): Readonly<Record<string, string>> => {
    const value = flags.get(long);
    return value === undefined ? {} : { [name]: value };
  };
  try {
    const connection = await connectCluster({
      ...flag('--namespace', 'namespace'),
      ...flag('--context', 'context'),
      ...flag('--kubeconfig', 'kubeconfig'),
      ...flag('--as', 'as'),
    });
    try {
      const path = { type: RELEASES, namespace: connection.namespace };
      const objects = await connection.listAll(path, { timeout: PATIENCE });
      return objects.map((object) => asString(field(object['metadata'], 'name'))).sort();
    } finally {
      await connection.close();
    }
  } catch {
    return [];
  }
}
