/** A row of the table of built-in kinds. */
export interface KindRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: 'namespaced' | 'cluster';
  readonly shortNames?: readonly string[];
  readonly inAll?: true;
  readonly subresources?: readonly string[];
}

const STATUS = ['status'];
const SCALED = ['status', 'scale'];

/** What the sandbox serves beside CRDs: what k8s.io/api 1.35 calls it, the way `kubectl api-resources` prints it. */
export const BUILT_IN_KINDS: readonly KindRow[] = [
  core('Namespace', 'namespaces', 'cluster', ['ns'], ['status', 'finalize']),
  core('Node', 'nodes', 'cluster', ['no'], STATUS),
  core('PersistentVolume', 'persistentvolumes', 'cluster', ['pv'], STATUS),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', 'namespaced', ['pvc'], STATUS),
  { ...core('Pod', 'pods', 'namespaced', ['po'], ['status', 'log', 'eviction']), inAll: true },
  { ...core('Service', 'services', 'namespaced', ['svc'], STATUS), inAll: true },
  core('ConfigMap', 'configmaps', 'namespaced', ['cm']),
  core('Secret', 'secrets', 'namespaced'),
  core('ServiceAccount', 'serviceaccounts', 'namespaced', ['sa'], ['token']),
  core('Endpoints', 'endpoints', 'namespaced', ['ep']),
  core('Event', 'events', 'namespaced', ['ev']),
  named('events.k8s.io', 'v1', 'Event', 'events', 'namespaced', ['ev']),
  core('LimitRange', 'limitranges', 'namespaced', ['limits']),
  core('ResourceQuota', 'resourcequotas', 'namespaced', ['quota'], STATUS),
  { ...core('ReplicationController', 'replicationcontrollers', 'namespaced', ['rc'], SCALED), inAll: true },
  apps('Deployment', 'deployments', ['deploy'], SCALED),
  apps('ReplicaSet', 'replicasets', ['rs'], SCALED),
  apps('StatefulSet', 'statefulsets', ['sts'], SCALED),
  apps('DaemonSet', 'daemonsets', ['ds'], STATUS),
  named('apps', 'v1', 'ControllerRevision', 'controllerrevisions', 'namespaced'),
  { ...named('batch', 'v1', 'Job', 'jobs', 'namespaced', [], STATUS), inAll: true },
  { ...named('batch', 'v1', 'CronJob', 'cronjobs', 'namespaced', ['cj'], STATUS), inAll: true },
  {
    ...named('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'namespaced', ['hpa'], STATUS),
    inAll: true,
  },
  named('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'namespaced', ['pdb'], STATUS),
  named('networking.k8s.io', 'v1', 'Ingress', 'ingresses', 'namespaced', ['ing'], STATUS),
  named('networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses', 'cluster'),
  named('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies', 'namespaced', ['netpol']),
  named('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices', 'namespaced'),
  named('coordination.k8s.io', 'v1', 'Lease', 'leases', 'namespaced'),
  named('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', 'cluster', ['sc']),
  named('scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses', 'cluster', ['pc']),
  named('rbac.authorization.k8s.io', 'v1', 'Role', 'roles', 'namespaced'),
  named('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings', 'namespaced'),
  named('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', 'cluster'),
  named('rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', 'clusterrolebindings', 'cluster'),
  named('apiregistration.k8s.io', 'v1', 'APIService', 'apiservices', 'cluster', [], STATUS),
  named(
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'cluster',
    ['crd', 'crds'],
    STATUS,
  ),
];

function named(
  group: string,
  version: string,
  kind: string,
  resource: string,
  scope: KindRow['scope'],
  shortNames: readonly string[] = [],
  subresources: readonly string[] = [],
): KindRow {
  return { group, version, kind, resource, scope, shortNames, subresources };
}

function core(
  kind: string,
  resource: string,
  scope: KindRow['scope'],
  shortNames: readonly string[] = [],
  subresources: readonly string[] = [],
): KindRow {
  return named('', 'v1', kind, resource, scope, shortNames, subresources);
}

function apps(kind: string, resource: string, shortNames: readonly string[], subresources: readonly string[]): KindRow {
  return { ...named('apps', 'v1', kind, resource, 'namespaced', shortNames, subresources), inAll: true };
}
