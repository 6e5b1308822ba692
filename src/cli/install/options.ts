import type { ControllerName } from '../operator.ts';

/** What `convoy install` was asked for. */
export interface InstallOptions {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly aggregatedApi: boolean;
  /** Gives the operator every right, so that a Release without a service account may hold anything. */
  readonly clusterAdmin: boolean;
  readonly defaultServiceAccount: string | undefined;
}
