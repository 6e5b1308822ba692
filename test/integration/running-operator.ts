import { NO_LOG, type OperatorLog } from '../../src/apps/operator/log.ts';
import { operate } from '../../src/apps/operator/run-operator.ts';
import { operatorWorld } from '../../src/apps/operator.ts';
import { compileOperatorOptions, type OperatorFlags } from '../../src/cli/commands/run-operator.ts';
import type { Cluster } from '../../src/ports/cluster.ts';

export type OperatorTestFlags = Partial<OperatorFlags>;

const FLAGS: OperatorFlags = {
  controllers: 'release,observer',
  crossNamespaceRefs: true,
  aggregatedApi: true,
  aggregatedApiBindAddress: '127.0.0.1:0',
  aggregatedApiService: 'convoy',
  healthBindAddress: '127.0.0.1:0',
  workers: '4',
  logLevel: 'info',
};

export interface RunningOperator {
  /** By what listens there: `operations`, `aggregated API`. */
  readonly ports: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** An operator in this process. Resolves when it listens everywhere. */
export async function startOperator(
  cluster: Cluster,
  namespace: string,
  flags: OperatorTestFlags = {},
  identity = 'one',
  log: OperatorLog = NO_LOG,
): Promise<RunningOperator> {
  const options = compileOperatorOptions({ ...FLAGS, ...flags });
  const world = await operatorWorld(cluster, namespace, options, log);
  const stop = new AbortController();
  const ports = new Map<string, number>();
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const onListening = (what: string, port: number): void => {
      ports.set(what, port);
      if (ports.size === (options.aggregatedApi === undefined ? 1 : 2)) resolve();
    };
    ended = operate(options, { ...world, identity, onListening }, stop.signal);
    ended.catch(reject);
  });
  return {
    ports,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
