import { asList, asMap, asString, asTime, field } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Column } from './resource.ts';

/** The value at a path such as `status.phase`. */
export function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(field, object);
}

/** `3d4h`, as kubectl writes an age (k8s.io/apimachinery/pkg/util/duration.HumanDuration, shortened to its two largest units). */
export function age(since: unknown, now: number): string {
  const start = asTime(since);
  if (start === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - start) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 8 && hours % 24 !== 0 ? `${days}d${hours % 24}h` : `${days}d`;
}

function column(name: string, cell: Column['cell'], type: Column['type'] = 'string', priority = 0): Column {
  return { name, type, priority, cell };
}

const count = (name: string, path: string): Column =>
  column(name, (object) => Number(at(object, path) ?? 0), 'integer');
const text = (name: string, path: string, none = ''): Column =>
  column(name, (object) => asString(at(object, path)) || none);
const ratio = (name: string, ready: string, wanted: string): Column =>
  column(name, (object) => `${Number(at(object, ready) ?? 0)}/${Number(at(object, wanted) ?? 0)}`);

export const NAME: Column = column('Name', ({ metadata }) => metadata.name);
export const AGE: Column = column('Age', ({ metadata }, now) => age(metadata.creationTimestamp, now));

const containersOf = (object: ApiObject): readonly unknown[] =>
  asList(at(object, 'spec.template.spec.containers') ?? at(object, 'spec.containers'));
const images: readonly Column[] = [
  column(
    'Containers',
    (object) =>
      containersOf(object)
        .map((one) => asString(field(one, 'name')))
        .join(','),
    'string',
    1,
  ),
  column(
    'Images',
    (object) =>
      containersOf(object)
        .map((one) => asString(field(one, 'image')))
        .join(','),
    'string',
    1,
  ),
];

const selector = (path: string): Column =>
  column(
    'Selector',
    (object) =>
      Object.entries(asMap(at(object, path)))
        .map(([key, value]) => `${key}=${value}`)
        .join(',') || '<none>',
    'string',
    1,
  );

/** `True`, or `False (REASON)`. */
function apiServiceAvailability(service: ApiObject): string {
  const [condition] = asList(at(service, 'status.conditions'));
  const status = asString(field(condition, 'status')) || 'Unknown';
  return status === 'True' ? status : `${status} (${asString(field(condition, 'reason'))})`;
}

/** Of the first metric, what is and what is wanted. */
function autoscalerTargets(autoscaler: ApiObject): string {
  const [wanted] = asList(at(autoscaler, 'spec.metrics'));
  const [current] = asList(at(autoscaler, 'status.currentMetrics'));
  const target = at(wanted, 'resource.target.averageUtilization');
  if (target === undefined) return '<none>';
  const is = at(current, 'resource.current.averageUtilization');
  return `${asString(at(wanted, 'resource.name'))}: ${is === undefined ? '<unknown>' : `${String(is)}%`}/${String(target)}%`;
}

/** What kubectl shows as a pod's status: the reason of the container that waits or ended, else the phase. */
function podStatus(pod: ApiObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const status of asList(at(pod, 'status.containerStatuses'))) {
    const reason = asString(at(status, 'state.waiting.reason')) || asString(at(status, 'state.terminated.reason'));
    if (reason !== '') return reason;
  }
  return asString(at(pod, 'status.reason')) || asString(at(pod, 'status.phase')) || 'Pending';
}

function readyContainers(pod: ApiObject): string {
  const ready = asList(at(pod, 'status.containerStatuses')).filter((status) => field(status, 'ready') === true);
  return `${ready.length}/${containersOf(pod).length}`;
}

function restarts(pod: ApiObject): number {
  return asList(at(pod, 'status.containerStatuses')).reduce<number>(
    (sum, status) => sum + Number(field(status, 'restartCount') ?? 0),
    0,
  );
}

function ports(service: ApiObject): string {
  const list = asList(at(service, 'spec.ports')).map((port) => `${field(port, 'port')}/${field(port, 'protocol')}`);
  return list.length === 0 ? '<none>' : list.join(',');
}

function jobStatus(job: ApiObject): string {
  const conditions = asList(at(job, 'status.conditions'));
  const last = conditions.filter((one) => field(one, 'status') === 'True').map((one) => asString(field(one, 'type')));
  return last.includes('Failed') ? 'Failed' : last.includes('Complete') ? 'Complete' : 'Running';
}

function nodeStatus(node: ApiObject): string {
  const ready = asList(at(node, 'status.conditions')).find((one) => field(one, 'type') === 'Ready');
  return field(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
}

/** The columns between a kind's name and its age, as the printers of Kubernetes 1.35 have them. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Pod: [
    column('Ready', readyContainers),
    column('Status', podStatus),
    column('Restarts', restarts, 'integer'),
    AGE,
    column('IP', (pod) => asString(at(pod, 'status.podIP')) || '<none>', 'string', 1),
    column('Node', (pod) => asString(at(pod, 'spec.nodeName')) || '<none>', 'string', 1),
  ],
  Deployment: [
    ratio('Ready', 'status.readyReplicas', 'spec.replicas'),
    count('Up-to-date', 'status.updatedReplicas'),
    count('Available', 'status.availableReplicas'),
    AGE,
    ...images,
    selector('spec.selector.matchLabels'),
  ],
  ReplicaSet: [
    count('Desired', 'spec.replicas'),
    count('Current', 'status.replicas'),
    count('Ready', 'status.readyReplicas'),
    AGE,
    ...images,
    selector('spec.selector.matchLabels'),
  ],
  StatefulSet: [ratio('Ready', 'status.readyReplicas', 'spec.replicas'), AGE, ...images],
  DaemonSet: [
    count('Desired', 'status.desiredNumberScheduled'),
    count('Current', 'status.currentNumberScheduled'),
    count('Ready', 'status.numberReady'),
    count('Up-to-date', 'status.updatedNumberScheduled'),
    count('Available', 'status.numberAvailable'),
    AGE,
    ...images,
    selector('spec.selector.matchLabels'),
  ],
  Job: [column('Status', jobStatus), ratio('Completions', 'status.succeeded', 'spec.completions'), AGE, ...images],
  CronJob: [
    text('Schedule', 'spec.schedule'),
    column('Suspend', (job) => String(at(job, 'spec.suspend') ?? false)),
    column('Active', (job) => asList(at(job, 'status.active')).length, 'integer'),
    column('Last Schedule', (job, now) => {
      const last = at(job, 'status.lastScheduleTime');
      return last === undefined ? '<none>' : age(last, now);
    }),
    AGE,
  ],
  Service: [
    text('Type', 'spec.type'),
    text('Cluster-IP', 'spec.clusterIP', '<none>'),
    column('External-IP', () => '<none>'),
    column('Port(s)', ports),
    AGE,
    selector('spec.selector'),
  ],
  PersistentVolumeClaim: [
    text('Status', 'status.phase'),
    text('Volume', 'spec.volumeName'),
    text('Capacity', 'status.capacity.storage'),
    column('Access Modes', (claim) => asList(at(claim, 'spec.accessModes')).join(',')),
    text('StorageClass', 'spec.storageClassName'),
    AGE,
  ],
  Namespace: [text('Status', 'status.phase'), AGE],
  Node: [
    column('Status', nodeStatus),
    column('Roles', () => '<none>'),
    AGE,
    text('Version', 'status.nodeInfo.kubeletVersion'),
  ],
  ConfigMap: [column('Data', (map) => Object.keys(asMap(map['data'])).length, 'integer'), AGE],
  Secret: [text('Type', 'type'), column('Data', (secret) => Object.keys(asMap(secret['data'])).length, 'integer'), AGE],
  Event: [
    column('Last Seen', (event, now) => age(event['lastTimestamp'] ?? event.metadata.creationTimestamp, now)),
    text('Type', 'type'),
    text('Reason', 'reason'),
    column('Object', (event) => {
      const about = asMap(event['involvedObject']);
      return `${asString(about['kind']).toLowerCase()}/${asString(about['name'])}`;
    }),
    text('Message', 'message'),
  ],
  APIService: [
    column('Service', (one) => {
      const { namespace, name } = asMap(at(one, 'spec.service'));
      return name === undefined ? 'Local' : `${asString(namespace)}/${asString(name)}`;
    }),
    column('Available', apiServiceAvailability),
    AGE,
  ],
  HorizontalPodAutoscaler: [
    column('Reference', (one) => {
      const { kind, name } = asMap(at(one, 'spec.scaleTargetRef'));
      return `${asString(kind)}/${asString(name)}`;
    }),
    column('Targets', autoscalerTargets),
    count('MinPods', 'spec.minReplicas'),
    count('MaxPods', 'spec.maxReplicas'),
    count('Replicas', 'status.currentReplicas'),
    AGE,
  ],
  PodDisruptionBudget: [
    column('Min Available', (one) => String(at(one, 'spec.minAvailable') ?? 'N/A')),
    column('Max Unavailable', (one) => String(at(one, 'spec.maxUnavailable') ?? 'N/A')),
    count('Allowed Disruptions', 'status.disruptionsAllowed'),
    AGE,
  ],
  CustomResourceDefinition: [column('Created At', ({ metadata }) => metadata.creationTimestamp, 'date')],
  Lease: [text('Holder', 'spec.holderIdentity'), AGE],
};

/** The columns of a built-in kind. */
export function columnsOf(kind: string): readonly Column[] {
  const columns = COLUMNS[kind] ?? [AGE];
  // Events are read by what they are about: their names are made up.
  return kind === 'Event' ? [...columns, { ...NAME, priority: 1 }] : [NAME, ...columns];
}
