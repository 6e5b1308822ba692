import { homedir } from 'node:os';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../adapters/kube/index.ts';
import type { ClusterConnection, ConnectCluster, Followed, Query } from '../cli/live/connection.ts';
import type { Cluster } from '../ports/cluster.ts';
import { Informer } from '../runtime/informer.ts';
import { listAll } from '../runtime/list-all.ts';
import { trimmed } from '../runtime/trim.ts';
import { nodeClock } from './node-clock.ts';

function selectorsOf({ name, labelSelector, fieldSelector }: Query) {
  const byName = name === undefined ? fieldSelector : `metadata.name=${name}`;
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(byName === undefined ? {} : { fieldSelector: byName }),
  };
}

function follow(
  cluster: Cluster,
  query: Query,
  changed: () => void,
  signal: AbortSignal,
  timeout: number | undefined,
): Followed {
  const { type, namespace } = query;
  const informer = new Informer({
    cluster,
    clock: nodeClock,
    path: { type, namespace },
    ...selectorsOf(query),
    ...(timeout === undefined ? {} : { requestTimeout: timeout }),
    onError: changed,
  });
  informer.addHandler({ added: changed, updated: changed, deleted: changed });
  // Neither rejects: the informer tells failures by `onError`, and an aborted wait resolves.
  void informer.run(signal);
  void informer.synced(signal).then(changed);
  return {
    objects: () => informer.store.list(),
    get synced() {
      return informer.hasSynced;
    },
    get problem() {
      return informer.problem;
    },
  };
}

function interrupted(): AbortSignal {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  // `convoy … --watch | head -1`
  process.stdout.once('error', end);
  return ended.signal;
}

/** Connects commands to the cluster that a kubeconfig names. */
export const connectByKubeconfig: ConnectCluster = async (choice): Promise<ClusterConnection> => {
  const config = await loadClusterConfig(
    choice,
    machineSurroundings({
      environment: process.env,
      home: homedir(),
      clock: nodeClock,
      interactive: process.stdin.isTTY === true,
    }),
  );
  let skew: number | undefined;
  const cluster = connectCluster({
    config,
    onServerTime: (time) => {
      skew = time - Date.now();
    },
    clock: nodeClock,
    onWarning: (text) => process.stderr.write(`Warning: ${text}\n`),
  });
  return {
    cluster,
    namespace: config.namespace,
    clock: nodeClock,
    listAll: async (path, options) =>
      (await listAll(cluster, path, { ...options, withoutManagedFields: true }, trimmed)).items,
    follow: (query, changed, signal, timeout) => follow(cluster, query, changed, signal, timeout),
    clockSkew: () => skew,
    interrupted,
    close: () => cluster.close(),
  };
};
