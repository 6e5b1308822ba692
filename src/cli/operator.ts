import type { ClusterChoice } from './live/connection.ts';

/** What the operator can do, each on its own. */
export const CONTROLLERS = ['release', 'observer'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];

/** An address to listen on; port 0: any free one. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** How much the log says. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What `convoy operator` was asked for, compiled once: nothing in it can be wrong any more but what the cluster says. */
export interface OperatorOptions {
  readonly cluster: ClusterChoice;
  readonly controllers: ReadonlySet<ControllerName>;
  /** How many shards the Releases are divided into; undefined: this process answers for all, without any lease. */
  readonly shards: number | undefined;
  /** Undefined: the uid of the cluster's namespace kube-system. */
  readonly installation: string | undefined;
  /** Impersonated where a Release names none. */
  readonly defaultServiceAccount: string | undefined;
  readonly crossNamespaceRefs: boolean;
  /** Lets kubeconfigs out of Secrets run programs here, and read files. */
  readonly insecureKubeconfigExec: boolean;
  /** Undefined: not served. */
  readonly aggregatedApi: (BindAddress & { readonly service: string }) | undefined;
  /** Of /livez, /readyz and /metrics. */
  readonly operations: BindAddress;
  /** Where fetched sources are kept; undefined: below the temporary folder of the machine. */
  readonly cacheFolder: string | undefined;
  /** Releases that the controller works on at once. */
  readonly workers: number;
  readonly logLevel: LogLevel;
}

/**
 * Runs the operator until the process is asked to end. Throws a ConvoyError for what keeps it from starting: KubeconfigUnusable,
 * PortTaken; and when a part of it ended that should not.
 */
export type RunOperator = (options: OperatorOptions) => Promise<void>;
