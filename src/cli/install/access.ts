import { GROUP, SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { InstallOptions } from './options.ts';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];

interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

function rule(
  group: string,
  resources: string,
  verbs: readonly string[],
  resourceNames?: readonly string[],
): AccessRule {
  const named = resourceNames === undefined ? {} : { resourceNames };
  return { apiGroups: [group], resources: resources.split(' '), verbs, ...named };
}

/** What every part of the operator needs. */
const COMMON: readonly AccessRule[] = [
  rule(GROUP, 'releases releaseinventories healthrulesets globalhealthrulesets', READ),
  rule('', 'namespaces', ['get'], ['kube-system']),
  rule('events.k8s.io', 'events', ['create', 'patch']),
];

/** Applies what Releases hold, in the name of their service accounts. */
const RELEASE: readonly AccessRule[] = [
  rule(GROUP, 'releases', ['patch', 'update']),
  rule(GROUP, 'releases/status releases/finalizers', ['patch', 'update']),
  rule(GROUP, 'releaseinventories', ['create', 'patch', 'update', 'delete']),
  // Sources, values, kubeconfigs, and the renders that a rollback needs: in the namespaces of Releases, which nobody knows beforehand.
  rule('', 'configmaps', READ),
  rule('', 'secrets', [...READ, 'create', 'patch', 'delete']),
  rule('', 'serviceaccounts', ['impersonate']),
];

/** Reads what was applied, whatever its kind, and tells what it found. */
const OBSERVER: readonly AccessRule[] = [
  rule(GROUP, 'releases/status healthrulesets/status globalhealthrulesets/status', ['patch', 'update']),
  rule(GROUP, 'releaseinventories', ['patch']),
  rule(GROUP, 'releases', ['patch']),
  { apiGroups: ['*'], resources: ['*'], verbs: READ },
  rule('', 'secrets', READ),
  rule('', 'serviceaccounts', ['impersonate']),
];

const AGGREGATED_API: readonly AccessRule[] = [
  rule('apiregistration.k8s.io', 'apiservices', [...READ, 'patch'], [`${VERSION}.${SUBRESOURCES_GROUP}`]),
];

/** Least rights for what was asked for, and roles for people that grow into Kubernetes' own `view` and `edit`. */
export function accessObjects(options: InstallOptions): readonly KubernetesObject[] {
  const { namespace, controllers, aggregatedApi, clusterAdmin } = options;
  const subject = { kind: 'ServiceAccount', name: 'convoy', namespace };
  const rules = [
    ...COMMON,
    ...(controllers.has('release') ? RELEASE : []),
    ...(controllers.has('observer') ? OBSERVER : []),
    ...(aggregatedApi ? AGGREGATED_API : []),
  ];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'convoy', namespace } },
    clusterRole('convoy-operator', rules),
    clusterRoleBinding('convoy-operator', 'convoy-operator', subject),
    ...(clusterAdmin ? [clusterRoleBinding('convoy-cluster-admin', 'cluster-admin', subject)] : []),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'convoy-operator', namespace },
      rules: [
        rule('coordination.k8s.io', 'leases', [...READ, 'create', 'update', 'delete']),
        ...(aggregatedApi
          ? [rule('', 'secrets', ['create']), rule('', 'secrets', [...READ, 'update'], ['convoy-aggregated-api'])]
          : []),
      ],
    },
    roleBinding('convoy-operator', namespace, 'convoy-operator', subject),
    ...(aggregatedApi
      ? [
          clusterRoleBinding('convoy-auth-delegator', 'system:auth-delegator', subject),
          roleBinding(
            'convoy-authentication-reader',
            'kube-system',
            'extension-apiserver-authentication-reader',
            subject,
          ),
        ]
      : []),
    ...rolesForPeople(),
  ];
}

function rolesForPeople(): readonly KubernetesObject[] {
  const own = 'releases releaseinventories healthrulesets';
  return [
    clusterRole('convoy-view', [rule(GROUP, own, READ), rule(SUBRESOURCES_GROUP, 'releases/health', ['get'])], {
      [`${RBAC}/aggregate-to-view`]: 'true',
    }),
    clusterRole(
      'convoy-edit',
      [
        rule(GROUP, 'releases healthrulesets', ['create', 'update', 'patch', 'delete', 'deletecollection']),
        rule(SUBRESOURCES_GROUP, 'releases/sync', ['create']),
      ],
      { [`${RBAC}/aggregate-to-edit`]: 'true' },
    ),
  ];
}

function clusterRole(
  name: string,
  rules: readonly AccessRule[],
  labels?: Readonly<Record<string, string>>,
): KubernetesObject {
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules };
}

function clusterRoleBinding(name: string, role: string, subject: object): KubernetesObject {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [subject] };
}

function roleBinding(name: string, namespace: string, role: string, subject: object): KubernetesObject {
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: role };
  return { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, roleRef, subjects: [subject] };
}
