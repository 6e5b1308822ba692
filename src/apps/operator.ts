import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import {
  type ClusterConfig,
  clusterConfigOfSecret,
  connectCluster,
  KubeEventRecorder,
  loadClusterConfig,
  machineSurroundings,
  type Surroundings,
} from '../adapters/kube/index.ts';
import { openSources } from '../adapters/renderers/index.ts';
import { asConvoyError } from '../cli/live/failures.ts';
import type { OperatorOptions, RunOperator } from '../cli/operator.ts';
import { ConvoyError } from '../core/errors/index.ts';
import { asMap } from '../core/object/fields.ts';
import { loadYamlParser } from '../manifests/index.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ClusterTargets } from '../runtime/targets.ts';
import { nodeClock } from './node-clock.ts';
import type { OperatorLog } from './operator/log.ts';
import { type OperatorWorld, operate } from './operator/run-operator.ts';
import { parseManifests } from './parse-manifests.ts';

function surroundings(): Surroundings {
  return machineSurroundings({ environment: process.env, home: homedir(), clock: nodeClock, interactive: false });
}

/** Clients of target clusters: kubeconfigs of Secrets. */
export function clusterTargets(home: Cluster, options: TargetChoice, log: OperatorLog): ClusterTargets {
  const { defaultServiceAccount, insecureKubeconfigExec } = options;
  return new ClusterTargets({
    clock: nodeClock,
    home,
    ...(defaultServiceAccount === undefined ? {} : { defaultServiceAccount }),
    connect: async (kubeconfig, where) => {
      const choice = { insecureExec: insecureKubeconfigExec };
      const config = await clusterConfigOfSecret(kubeconfig, where, choice, surroundings());
      return connect(config, log);
    },
  });
}

type TargetChoice = Pick<OperatorOptions, 'defaultServiceAccount' | 'insecureKubeconfigExec'>;

function connect(config: ClusterConfig, log: OperatorLog): Cluster {
  return connectCluster({
    config,
    clock: nodeClock,
    userAgent: 'convoy-operator',
    onWarning: (warning) => log.warn({ warning }, 'the API server warns'),
  });
}

/** What an operator of this machine works with, on a cluster that it is given. */
export async function operatorWorld(
  cluster: Cluster,
  namespace: string,
  options: TargetChoice & Pick<OperatorOptions, 'cacheFolder'>,
  log: OperatorLog,
): Promise<OperatorWorld> {
  const parseYaml = await loadYamlParser();
  const identity = `${hostname()}-${process.pid}`.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  const { PATH = '', HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = process.env;
  return {
    clock: nodeClock,
    log,
    cluster,
    namespace,
    identity,
    targets: (home) => clusterTargets(home, options, log),
    sources: await openSources({
      folder: options.cacheFolder ?? join(tmpdir(), 'convoy-cache'),
      clock: nodeClock,
      parseManifests,
      parseYaml,
      searchPath: PATH,
      proxy: {
        ...(HTTP_PROXY === undefined ? {} : { http: HTTP_PROXY }),
        ...(HTTPS_PROXY === undefined ? {} : { https: HTTPS_PROXY }),
        ...(NO_PROXY === undefined ? {} : { no: NO_PROXY }),
      },
    }),
    readValues: (text) => asMap(parseYaml(text)),
    events: (controller) => new KubeEventRecorder({ cluster, clock: nodeClock, controller, instance: identity }),
  };
}

/** Aborts when the process is asked to end. */
function ended(): AbortSignal {
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  return end.signal;
}

/** What kept the operator from going on, as the line for the user. */
function told(error: unknown, { operations, aggregatedApi }: OperatorOptions): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return asConvoyError(error);
  const port = error instanceof Error && 'port' in error ? Number(error.port) : operations.port;
  const flag = port === aggregatedApi?.port ? '--aggregated-api-bind-address' : '--health-bind-address';
  return new ConvoyError('AddressTaken', { port, reason: code, flag });
}

/** The operator of `convoy operator`, until SIGINT or SIGTERM. */
export const runOperator: RunOperator = async (options) => {
  const signal = ended();
  // A line is written before the next thing is done: the last ones before a crash are the ones that count.
  const log = pino({ level: options.logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
  try {
    const config = await loadClusterConfig(options.cluster, surroundings());
    const cluster = connect(config, log);
    try {
      await operate(options, await operatorWorld(cluster, config.namespace, options, log), signal);
    } finally {
      await cluster.close();
    }
  } catch (error) {
    throw told(error, options);
  }
};
