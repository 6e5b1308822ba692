import type { ObjectRef } from '../object/kubernetes-object.ts';

/** Kinds that others need come before them; `group/Kind`, one row a rank. */
const ORDER: readonly (readonly string[])[] = [
  ['/Namespace'],
  ['apiextensions.k8s.io/CustomResourceDefinition'],
  // What admission and scheduling look up when others are created.
  [
    'scheduling.k8s.io/PriorityClass',
    'storage.k8s.io/StorageClass',
    'node.k8s.io/RuntimeClass',
    'networking.k8s.io/IngressClass',
    '/ResourceQuota',
    '/LimitRange',
    'networking.k8s.io/NetworkPolicy',
  ],
  ['/ServiceAccount'],
  ['rbac.authorization.k8s.io/ClusterRole', 'rbac.authorization.k8s.io/Role'],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', 'rbac.authorization.k8s.io/RoleBinding'],
  ['/ConfigMap', '/Secret'],
  ['/PersistentVolume'],
  ['/PersistentVolumeClaim'],
  ['/Service', '/Endpoints', 'discovery.k8s.io/EndpointSlice'],
  [
    '/Pod',
    '/ReplicationController',
    'apps/ReplicaSet',
    'apps/Deployment',
    'apps/StatefulSet',
    'apps/DaemonSet',
    'batch/Job',
    'batch/CronJob',
  ],
];

/** They look at, or answer for, what is applied after them: a webhook whose Pods are not there yet refuses everything. */
const LAST: readonly string[] = [
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'apiregistration.k8s.io/APIService',
];

const RANKS: ReadonlyMap<string, number> = new Map([
  ...ORDER.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
  ...LAST.map((kind) => [kind, ORDER.length + 1] as const),
]);

type Placed = Pick<ObjectRef, 'group' | 'kind' | 'namespace' | 'name'>;

/** The place of a kind within its wave; every kind that is not listed stands behind the workloads. */
export function kindRank({ group, kind }: Pick<Placed, 'group' | 'kind'>): number {
  return RANKS.get(`${group}/${kind}`) ?? ORDER.length;
}

/** Kind order, then namespace, name, kind and group. */
export function compareByKind(a: Placed, b: Placed): number {
  return kindRank(a) - kindRank(b) || compareTexts(textsOf(a), textsOf(b));
}

/** Kinds that make room for others: applied and waited for before the rest of their wave. */
export function makesRoom({ group, kind }: Pick<Placed, 'group' | 'kind'>): boolean {
  return kindRank({ group, kind }) <= 1;
}

/** Kinds whose deletion takes what people cannot get back; pruned only where an annotation asks for it. */
const PROTECTED: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

export function isProtected({ group, kind }: Pick<Placed, 'group' | 'kind'>): boolean {
  return PROTECTED.has(`${group}/${kind}`);
}

/** Kinds that are never recreated for a field that cannot change. */
export function isNeverRecreated({ group, kind }: Pick<Placed, 'group' | 'kind'>): boolean {
  return isProtected({ group, kind }) || (group === '' && kind === 'PersistentVolume');
}

function textsOf({ group, kind, namespace, name }: Placed): readonly string[] {
  return [namespace, name, kind, group];
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs < 0 ? 0 : (a[differs] ?? '') < (b[differs] ?? '') ? -1 : 1;
}
