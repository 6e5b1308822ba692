import type { RuleSet } from '../../core/health/rule.ts';
import type { Query } from './connection.ts';
import { relatedOf } from './kinds-with-rules.ts';

type Type = Query['type'];

function namespaced(group: string, resource: string, kind: string): Type {
  return { group, version: 'v1', resource, kind, namespaced: true };
}

const PODS = namespaced('', 'pods', 'Pod');
const EVENTS = namespaced('', 'events', 'Event');
const REPLICA_SETS = namespaced('apps', 'replicasets', 'ReplicaSet');
const JOBS = namespaced('batch', 'jobs', 'Job');
const WORKLOADS = [
  namespaced('apps', 'deployments', 'Deployment'),
  namespaced('apps', 'statefulsets', 'StatefulSet'),
  namespaced('apps', 'daemonsets', 'DaemonSet'),
];

/** What objects of a kind own, down to pods. A custom resource may own any workload. */
function ownedBelow({ group, kind }: Type): readonly Type[] {
  switch (kind) {
    case 'Deployment':
      return [REPLICA_SETS, PODS];
    case 'CronJob':
      return [JOBS, PODS];
    case 'ReplicaSet':
    case 'ReplicationController':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job':
      return [PODS];
    default:
      return group.includes('.') && !group.endsWith('.k8s.io') ? [...WORKLOADS, REPLICA_SETS, JOBS, PODS] : [];
  }
}

function distinct(queries: readonly Query[]): readonly Query[] {
  const keys = new Map(
    queries.map((query) => [`${query.type.group}/${query.type.resource}/${query.namespace}`, query]),
  );
  return [...keys.values()];
}

/** Where the causes of objects that do not work are told: what they own, and Warning Events, in their namespaces. */
export function causeQueries(types: readonly Type[], namespaces: readonly string[]): readonly Query[] {
  const owned = types.flatMap(ownedBelow);
  return distinct(
    namespaces.flatMap((namespace) => [
      ...owned.map((type) => ({ type, namespace })),
      { type: EVENTS, namespace, fieldSelector: 'type=Warning' },
    ]),
  );
}

/** What the rules about some queries want to see beside their objects; verdicts depend on it. */
export function relatedQueries(
  queries: readonly Query[],
  sets: readonly RuleSet[],
  types: readonly Type[],
): readonly Query[] {
  const found = queries.flatMap(({ type, namespace }) =>
    relatedOf(type, sets).flatMap(({ apiVersion, resource }) => {
      const [version = '', group = ''] = apiVersion.split('/').reverse();
      const related = types.find((one) => one.group === group && one.version === version && one.resource === resource);
      return related === undefined || resource === 'secrets'
        ? []
        : [{ type: related, namespace: related.namespaced ? namespace : '' }];
    }),
  );
  return distinct(found);
}
