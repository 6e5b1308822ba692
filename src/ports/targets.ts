import type { Release } from '../core/api/index.ts';
import type { Cluster } from './cluster.ts';

/** The cluster that a Release is applied to, as two users see it. */
export interface Target {
  /** Equal keys, equal cluster and equal credentials (impersonation apart): what informers are shared by. No secrets in it. */
  readonly key: string;
  /** Whether it is the cluster that the operator's own objects are in. */
  readonly home: boolean;
  /** For health and informers: the rights of the operator at home, those of the kubeconfig elsewhere. */
  readonly reader: Cluster;
  /** For all that is done for the Release, drift's dry runs included: acts as its service account where it has one. */
  readonly cluster: Cluster;
  /** `system:serviceaccount:NAMESPACE:NAME` that `cluster` acts as; '' when it acts as nobody else. */
  readonly actsAs: string;
}

/**
 * - `KubeConfigMissing` the Secret, or its key, is not there
 * - `KubeConfigInvalid` what it holds cannot be used, or asks for what a Secret may not: programs, files of the machine
 */
export type TargetFault = 'KubeConfigMissing' | 'KubeConfigInvalid';

/** The target of a Release could not be found out. The message is one line that says what to mend; it holds no secret. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly fault: TargetFault;

  constructor(fault: TargetFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Finds the cluster of a Release. Clients are shared and looked after here: nobody else closes them. */
export interface Targets {
  /**
   * Throws a TargetError; an ApiError or a TransportError when the Secret itself could not be read. That a cluster can be reached
   * is not asked.
   */
  of(release: Pick<Release, 'metadata' | 'spec'>, signal?: AbortSignal): Promise<Target>;
}
