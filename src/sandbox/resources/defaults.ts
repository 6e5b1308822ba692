import { asList, isMap } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';

type Fields = Record<string, unknown>;

/** Sets what is missing. */
function fill(target: Fields, defaults: Readonly<Fields>): void {
  for (const [name, value] of Object.entries(defaults)) if (target[name] === undefined) target[name] = value;
}

function inner(parent: Fields, name: string): Fields {
  const value = parent[name];
  if (isMap(value)) return value as Fields;
  const made: Fields = {};
  parent[name] = made;
  return made;
}

function maps(list: unknown): Fields[] {
  return asList(list).filter(isMap) as Fields[];
}

function podDefaults(spec: Fields): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
  });
  for (const container of [...maps(spec['containers']), ...maps(spec['initContainers'])]) {
    const image = container['image'];
    const latest = typeof image === 'string' && (/:latest$/.test(image) || !/[:@][^/]*$/.test(image));
    fill(container, {
      imagePullPolicy: latest ? 'Always' : 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      resources: {},
    });
    for (const port of maps(container['ports'])) fill(port, { protocol: 'TCP' });
  }
}

const templateDefaults = (spec: Fields): void => podDefaults(inner(inner(spec, 'template'), 'spec'));

/** What the API server of Kubernetes 1.35 fills in, for the fields that the simulated controllers and common clients read. */
const DEFAULTS: Readonly<Record<string, (spec: Fields) => void>> = {
  Pod: podDefaults,
  Deployment: (spec) => {
    templateDefaults(spec);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = inner(spec, 'strategy');
    fill(strategy, { type: 'RollingUpdate' });
    if (strategy['type'] === 'RollingUpdate') {
      fill(inner(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
    }
  },
  ReplicaSet: (spec) => {
    templateDefaults(spec);
    fill(spec, { replicas: 1 });
  },
  StatefulSet: (spec) => {
    templateDefaults(spec);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
    const strategy = inner(spec, 'updateStrategy');
    fill(strategy, { type: 'RollingUpdate' });
    if (strategy['type'] === 'RollingUpdate') fill(inner(strategy, 'rollingUpdate'), { partition: 0 });
  },
  DaemonSet: (spec) => {
    templateDefaults(spec);
    fill(spec, { revisionHistoryLimit: 10 });
    const strategy = inner(spec, 'updateStrategy');
    fill(strategy, { type: 'RollingUpdate' });
    if (strategy['type'] === 'RollingUpdate') {
      fill(inner(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
    }
  },
  Job: (spec) => {
    templateDefaults(spec);
    fill(spec, { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false });
  },
  CronJob: (spec) => {
    const job = inner(inner(spec, 'jobTemplate'), 'spec');
    templateDefaults(job);
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  },
  HorizontalPodAutoscaler: (spec) =>
    fill(spec, {
      minReplicas: 1,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    }),
  // Without one it has an empty one.
  PodDisruptionBudget: () => {},
  Service: (spec) => {
    fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
    for (const port of maps(spec['ports'])) {
      fill(port, { protocol: 'TCP' });
      fill(port, { targetPort: port['port'] });
    }
  },
  PersistentVolumeClaim: (spec) => fill(spec, { volumeMode: 'Filesystem', storageClassName: 'standard' }),
  Namespace: (spec) => fill(spec, { finalizers: ['kubernetes'] }),
};

/** Fills in the defaults of a built-in kind; changes the object. */
export function applyDefaults(object: ApiObject): void {
  const defaults = DEFAULTS[object.kind];
  if (defaults !== undefined) defaults(inner(object, 'spec'));
  if (object.kind === 'Secret') secretData(object);
}

/** `stringData` is written only: it goes into `data`. */
function secretData(secret: ApiObject): void {
  fill(secret, { type: 'Opaque' });
  const { stringData } = secret;
  if (!isMap(stringData)) return;
  const data = inner(secret, 'data');
  for (const [name, value] of Object.entries(stringData)) data[name] = Buffer.from(String(value)).toString('base64');
  delete secret['stringData'];
}
