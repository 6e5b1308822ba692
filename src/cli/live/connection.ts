import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ListOptions, ResourcePath, ResourceType } from '../../ports/cluster.ts';

/** Which cluster is meant, and as whom: kubectl's flags. What is left out comes from the kubeconfig. */
export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly as?: string;
  readonly asGroups?: readonly string[];
}

/** Objects of one resource: all, those with labels, or the one of a name. */
export interface Query {
  readonly type: Pick<ResourceType, 'group' | 'version' | 'resource' | 'kind' | 'namespaced'>;
  /** '' for a cluster-scoped resource and for all namespaces. */
  readonly namespace: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What a query finds, kept up to date by a watch. */
export interface Followed {
  /** In no order. Empty until `synced`. */
  objects(): readonly KubernetesObject[];
  /** Whether all that was there at the start is known. */
  readonly synced: boolean;
  /** Why the server cannot be read at present. It is tried again all the time. */
  readonly problem: Error | undefined;
}

/** One cluster, as a command uses it. */
export interface ClusterConnection {
  readonly cluster: Cluster;
  /** Namespace of the context, or the one that was asked for. */
  readonly namespace: string;
  readonly clock: Clock;
  /** All pages of a list. */
  listAll(
    path: ResourcePath,
    options: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'timeout'>,
  ): Promise<readonly KubernetesObject[]>;
  /** Follows a query until the signal aborts. `changed` is called after each change, problems included. @param timeout ms for one request */
  follow(query: Query, changed: () => void, signal: AbortSignal, timeout?: number): Followed;
  /** ms by which the clock of the server was ahead of this one when it last answered; undefined: it has not said. */
  clockSkew(): number | undefined;
  /** Aborts when the person, or whoever reads the results, ends the command. Before it is asked for, that ends the process. */
  interrupted(): AbortSignal;
  close(): Promise<void>;
}

/**
 * Finds the cluster; nothing is asked of it yet.
 *
 * @throws TransportError (`credentials`)
 */
export type ConnectCluster = (choice: ClusterChoice) => Promise<ClusterConnection>;
