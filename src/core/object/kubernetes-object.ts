/**
 * A Kubernetes object as it was read: plain JSON data that nothing has validated.
 * Integers beyond 2^53 are `bigint`; every other value is what `JSON.parse` gives.
 */
export type KubernetesObject = Readonly<Record<string, unknown>>;

/** What names an object. `group` is '' for the core group, `namespace` is '' for a cluster-scoped object. */
export interface ObjectRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
